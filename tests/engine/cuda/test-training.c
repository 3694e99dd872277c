/* test-training.c — training on the pretend GPU: the processor's losses and parameters, what is copied, and
 * resuming.
 *
 * HYB_PRETEND, which meson.build sets, says in which order threads run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/gpu-private.h"
#include "engine/graph/builder.h"
#include "tests/engine/cuda/faulty-backend.h"
#include "tests/engine/cuda/training.h"
#include "tests/program.h"

#include <glib/gstdio.h>

#define STEPS 6

static const Training forms[] = {
  { "perceptron with momentum",
    PERCEPTRON,
    "sgd",
    { "momentum", "0.9", "wd", "0.01", "clip_gradient", "0.2" },
    0 },
  { "perceptron by Adam", PERCEPTRON, "adam", { NULL }, 0.1 },
  { "perceptron by RMSProp", PERCEPTRON, "rmsprop", { "centered", "1", "clip_weights", "0.5" }, 0 },
  { "language model by Adam", LANGUAGE, "adam", { NULL }, 0.5 },
  { "language model by descent", LANGUAGE, "sgd", { NULL }, 0 },
};

static gboolean
begin (void)
{
  return set_up (g_getenv ("HYB_PRETEND") ? g_getenv ("HYB_PRETEND") : "");
}

static HybTrainer *
start (HybModel *model, const Training *how, HybMode mode, HybGpu *gpu)
{
  g_autoptr (GError) error = NULL;
  HybTrainer *trainer = new_trainer (model, how, mode, gpu, &error);

  g_assert_no_error (error);
  return trainer;
}

static double
evaluate (HybTrainer *trainer, HybModel *model)
{
  g_autoptr (GHashTable) batch = new_batch (model, 50);
  g_autoptr (GError) error = NULL;
  double loss = NAN;

  hyb_trainer_evaluate (trainer, batch, TRUE, &loss, &error);
  g_assert_no_error (error);
  return loss;
}

/* Losses and norms of every step, parameters at the end, and the loss of an evaluation. */
static void
test_numbers (gconstpointer data)
{
  const Training *how = data;
  g_autoptr (HybModel) there = NULL;
  g_autoptr (HybModel) here = NULL;
  g_autoptr (HybTrainer) gpu_trainer = NULL;
  g_autoptr (HybTrainer) trainer = NULL;
  HybGpu *gpu;

  if (!begin ())
    return;
  there = open_model (how->model);
  here = open_model (how->model);
  gpu = open_gpu ();
  gpu_trainer = start (there, how, HYB_MODE_STATIC, gpu);
  trainer = start (here, how, HYB_MODE_STATIC, NULL);
  hyb_gpu_unref (gpu);
  for (guint64 i = 0; i < STEPS; i++)
    {
      HybTrainStep a = train_step (gpu_trainer, there, i), b = train_step (trainer, here, i);

      g_assert_cmpfloat_with_epsilon (a.loss, b.loss, 2e-5);
      g_assert_cmpfloat_with_epsilon (a.gradient_norm, b.gradient_norm, 2e-5);
      if (i == 2)
        g_assert_cmpfloat_with_epsilon (evaluate (gpu_trainer, there), evaluate (trainer, here),
                                        2e-5);
    }
  g_assert_cmpfloat (compare_parameters (there, here), >, 1e-3);
  read_back (gpu_trainer);
  g_assert_cmpfloat (compare_parameters (there, here), <, 5e-5);
  g_assert_cmpfloat_with_epsilon (evaluate (gpu_trainer, there), evaluate (trainer, here), 2e-5);
  g_clear_pointer (&gpu_trainer, hyb_trainer_free);
  assert_clean ();
}

/* All modes give the same bytes; static mode records and replays. */
static void
test_modes (gconstpointer data)
{
  static const HybMode modes[] = { HYB_MODE_STATIC, HYB_MODE_HYBRID, HYB_MODE_IMPERATIVE };
  const Training      *how = data;
  HybModel            *models[G_N_ELEMENTS (modes)];

  if (!begin ())
    return;
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_autoptr (HybGpu) gpu = open_gpu ();
      g_autoptr (HybTrainer) trainer = NULL;

      models[m] = open_model (how->model);
      trainer = start (models[m], how, modes[m], gpu);
      for (guint64 i = 0; i < STEPS; i++)
        train_step (trainer, models[m], i);
      read_back (trainer);
      if (modes[m] == HYB_MODE_STATIC)
        g_assert_cmpuint (calls ("cuGraphLaunch"), >, 0);
    }
  g_assert_cmpfloat (compare_parameters (models[0], models[1]), ==, 0);
  /* Without passes sums are added in another order. */
  g_assert_cmpfloat (compare_parameters (models[0], models[2]), <, 5e-5);
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    hyb_model_unref (models[m]);
  assert_clean ();
}

/* Three steps, a checkpoint, and three steps of another trainer are six steps. */
static void
test_resume (gconstpointer data)
{
  const Training *how = data;
  g_autoptr (HybModel) whole = NULL;
  g_autoptr (HybModel) halves = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybTrainer) a = NULL;
  g_autoptr (HybTrainer) b = NULL;
  g_autoptr (HybTrainer) c = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *file = NULL;
  int              fd;

  if (!begin ())
    return;
  fd = g_file_open_tmp ("states-XXXXXX", &file, NULL);
  g_close (fd, NULL);
  whole = open_model (how->model);
  halves = open_model (how->model);
  gpu = open_gpu ();
  a = start (whole, how, HYB_MODE_STATIC, gpu);
  for (guint64 i = 0; i < STEPS; i++)
    train_step (a, whole, i);
  read_back (a);

  b = start (halves, how, HYB_MODE_STATIC, gpu);
  for (guint64 i = 0; i < STEPS / 2; i++)
    train_step (b, halves, i);
  hyb_trainer_save_states (b, file, &error);
  g_assert_no_error (error);
  c = start (halves, how, HYB_MODE_STATIC, gpu);
  hyb_trainer_load_states (c, file, &error);
  g_assert_no_error (error);
  for (guint64 i = STEPS / 2; i < STEPS; i++)
    train_step (c, halves, i);
  read_back (c);
  g_assert_cmpfloat (compare_parameters (whole, halves), ==, 0);
  g_remove (file);
}

/* After the first step only the batch goes there and only loss and norm come back; a checkpoint reads each
 * array once. */
static void
test_copies (gconstpointer data)
{
  const Training *how = data;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybTrainer) trainer = NULL;
  guint before, n_kept;

  if (!begin ())
    return;
  model = open_model (how->model);
  gpu = open_gpu ();
  trainer = start (model, how, HYB_MODE_STATIC, gpu);
  n_kept = hyb_model_n_parameters (model) *
               (1 + hyb_optimizer_n_states (hyb_trainer_get_optimizer (trainer))) +
           (strstr (how->model, "lstm") ? 2 : 0);
  before = calls ("cuMemcpyAsync");
  train_step (trainer, model, 0);
  g_assert_cmpuint (calls ("cuMemcpyAsync") - before, >=, n_kept);
  train_step (trainer, model, 1); /* recorded */
  for (guint64 i = 2; i < STEPS; i++)
    {
      g_autofree char *work = NULL;

      before = calls ("cuMemcpyAsync");
      train_step (trainer, model, i);
      g_assert_cmpuint (calls ("cuMemcpyAsync") - before, <=, 3);
      work = hyb_executor_dup_device_work (hyb_trainer_get_executor (trainer));
      g_test_message ("%s", work);
    }
  before = calls ("cuMemcpyAsync");
  read_back (trainer);
  g_assert_cmpuint (calls ("cuMemcpyAsync") - before, ==, n_kept);
  before = calls ("cuMemcpyAsync");
  read_back (trainer);
  g_assert_cmpuint (calls ("cuMemcpyAsync") - before, ==, 0);
  g_clear_pointer (&trainer, hyb_trainer_free);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

/* Six steps, of which each sends the next batch while it computes. */
static void
train_all_ahead (HybTrainer *trainer, HybModel *model)
{
  g_autoptr (GHashTable) next = NULL;
  g_autoptr (GError) error = NULL;
  HybTrainStep result;

  for (guint64 i = 0; i < STEPS; i++)
    {
      train_ahead (trainer, model, &next, &result, &error);
      g_assert_no_error (error);
    }
}

/* The same bytes come out when batches are sent ahead, and recorded work is replayed all the same. */
static void
test_ahead (gconstpointer data)
{
  const Training *how = data;
  g_autoptr (HybModel) plain = NULL;
  g_autoptr (HybModel) ahead = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybTrainer) a = NULL;
  g_autoptr (HybTrainer) b = NULL;
  g_autofree char *work = NULL;

  if (!begin ())
    return;
  plain = open_model (how->model);
  ahead = open_model (how->model);
  gpu = open_gpu ();
  a = start (plain, how, HYB_MODE_STATIC, gpu);
  for (guint64 i = 0; i < STEPS; i++)
    train_step (a, plain, i);
  read_back (a);
  b = start (ahead, how, HYB_MODE_STATIC, gpu);
  train_all_ahead (b, ahead);
  work = hyb_executor_dup_device_work (hyb_trainer_get_executor (b));
  g_assert_nonnull (strstr (work, " replayed: 1."));
  g_assert_nonnull (strstr (work, " 4 copies ")); /* numbers, batch, loss, norm */
  read_back (b);
  g_assert_cmpfloat (compare_parameters (plain, ahead), ==, 0);
  g_clear_pointer (&a, hyb_trainer_free);
  g_clear_pointer (&b, hyb_trainer_free);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

/* --- Shapes that show only while running --- */

static HybValueId
add_node (HybBuilder *builder, const char *op, guint n, const HybValueId *inputs)
{
  g_autoptr (GError) error = NULL;
  HybNodeSpec spec = { .name = op, .n_inputs = n, .inputs = inputs };
  HybValueId  value = hyb_builder_call (builder, op, &spec, &error);

  g_assert_no_error (error);
  return value;
}

/* The squares of those rows of data w that the mask names. */
static HybModel *
new_masked_model (void)
{
  HybModel   *model = hyb_model_new ();
  HybBuilder *builder = hyb_builder_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybTensor) w = new_tensor (3, 2, 0.7);
  HybValueId inputs[] = { hyb_builder_add_variable (builder, "data", NULL),
                          hyb_builder_add_variable (builder, "w", NULL) };

  inputs[0] = add_node (builder, "dot", 2, inputs);
  inputs[1] = hyb_builder_add_variable (builder, "mask", NULL);
  inputs[0] = add_node (builder, "boolean_mask", 2, inputs);
  hyb_builder_add_head (builder, add_node (builder, "square", 1, inputs));
  graph = hyb_builder_freeze (builder);
  hyb_model_set_graph (model, graph);
  hyb_model_set_parameter (model, "w", w);
  return model;
}

static HybTrainer *
start_masked (HybModel *model, HybGpu *gpu)
{
  static const char *const data[] = { "data", "mask", NULL };
  HybTrainerOptions options = { .loss = "none", .optimizer = "adam", .data = data, .gpu = gpu };
  g_autoptr (GError) error = NULL;
  HybTrainer *trainer = hyb_trainer_new (model, &options, &error);

  g_assert_no_error (error);
  return trainer;
}

static double
train_masked (HybTrainer *trainer, guint64 step)
{
  g_autoptr (GHashTable) batch =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GError) error = NULL;
  HybTensor   *mask = new_tensor (4, 0, 0);
  HybTrainStep result;

  for (guint64 i = 0; i < 4; i++)
    ((float *) hyb_tensor_get_data (mask))[i] = (i + step) % 3 != 0;
  g_hash_table_insert (batch, (gpointer) "data", new_tensor (4, 3, 0.3 + (double) step));
  g_hash_table_insert (batch, (gpointer) "mask", mask);
  hyb_trainer_step (trainer, batch, &result, NULL, &error);
  g_assert_no_error (error);
  return result.loss;
}

/* The processor computes whole steps. */
static void
test_dynamic_model (void)
{
  g_autoptr (HybModel) there = NULL;
  g_autoptr (HybModel) here = NULL;
  g_autoptr (HybTrainer) gpu_trainer = NULL;
  g_autoptr (HybTrainer) trainer = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autofree char *work = NULL;

  if (!begin ())
    return;
  there = new_masked_model ();
  here = new_masked_model ();
  gpu = open_gpu ();
  gpu_trainer = start_masked (there, gpu);
  trainer = start_masked (here, NULL);
  for (guint64 i = 0; i < STEPS; i++)
    g_assert_cmpfloat_with_epsilon (train_masked (gpu_trainer, i), train_masked (trainer, i), 1e-6);
  work = hyb_executor_dup_device_work (hyb_trainer_get_executor (gpu_trainer));
  g_assert_nonnull (strstr (work, "some shapes show only while running"));
  read_back (gpu_trainer);
  g_assert_cmpfloat (compare_parameters (there, here), <, 1e-6);
}

/* --- A planted fault: the next batch does not wait until the last one was read --- */

static void
follow_nothing (HybQueue *queue, HybQueue *other)
{
}

static void
test_early_batch_is_found (void)
{
  const Training how = { "", PERCEPTRON, "sgd", { NULL }, 0 };
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTrainer) trainer = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (GHashTable) next = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *found = NULL;
  HybTrainStep     result;
  HybBackend       faulty;

  if (!begin ())
    return;
  faulty = *hyb_backend_load (&error);
  g_assert_no_error (error);
  faulty.follow = follow_nothing;
  model = open_model (how.model);
  gpu = hyb_gpu_open_with (&faulty, 0, HYB_GPU_PRECISE, &error);
  g_assert_no_error (error);
  trainer = start (model, &how, HYB_MODE_STATIC, gpu);
  for (guint64 i = 0; i < STEPS && !error; i++)
    train_ahead (trainer, model, &next, &result, &error);
  g_assert_nonnull (error);
  found = problems ();
  g_assert_cmpstr (found, !=, "");
}

/* --- A planted fault: a twin that lets the recording keep the learning rate --- */

static double     *kept_numbers; /* on the device */
static HybTrainer *baking;

static void
bake_rate (HybQueue *queue, const HybCall *call, const HybRun *given, gpointer prepared)
{
  gconstpointer inputs[8];
  double numbers[] = { hyb_optimizer_get_learning_rate (hyb_trainer_get_optimizer (baking)), 0, 1,
                       NAN };
  HybRun baked = *given;

  memcpy (inputs, given->input, sizeof (gconstpointer) * call->n_inputs);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      gint64 bits;

      memcpy (&bits, &numbers[i], sizeof bits);
      for (guint row = 0; row < 16; row++)
        real_backend->set (queue, (gint64 *) kept_numbers + 4 * row + i, bits);
    }
  inputs[2] = kept_numbers;
  baked.input = inputs;
  real_op.launch (queue, call, &baked, prepared);
}

/* The comparison with the processor finds a rate that was recorded: two steps are right, the next is not. */
static void
test_recorded_rate_is_found (void)
{
  const Training how = { "", PERCEPTRON, "sgd", { NULL }, 0 };
  g_autoptr (HybModel) there = NULL;
  g_autoptr (HybModel) here = NULL;
  g_autoptr (HybTrainer) trainer = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (GError) error = NULL;
  HybBackend faulty;

  if (!begin ())
    return;
  there = open_model (how.model);
  here = open_model (how.model);
  faulty = new_faulty_backend ("_update_sgd", bake_rate);
  gpu = hyb_gpu_open_with (&faulty, 0, HYB_GPU_PRECISE, &error);
  g_assert_no_error (error);
  kept_numbers = faulty.take (gpu->device, FALSE, 64 * sizeof *kept_numbers, &error);
  g_assert_no_error (error);
  baking = start (there, &how, HYB_MODE_STATIC, gpu);
  trainer = start (here, &how, HYB_MODE_STATIC, NULL);
  for (guint64 i = 0; i < 4; i++)
    {
      train_step (baking, there, i);
      train_step (trainer, here, i);
      read_back (baking);
      g_assert_true ((compare_parameters (there, here) < 1e-6) == (i < 2));
    }
  g_clear_pointer (&baking, hyb_trainer_free);
  faulty.give (gpu->device, FALSE, kept_numbers);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  g_free ((gpointer) faulty.ops);
  assert_clean ();
}

TEST_PROGRAM (test_training)
{
  static const struct
  {
    const char *name;
    void (*test) (gconstpointer form);
  } tests[] = {
    { "has-the-processor's-numbers", test_numbers },
    { "is-the-same-in-all-modes", test_modes },
    { "is-resumed-to-the-same-bytes", test_resume },
    { "copies-batches-and-losses-only", test_copies },
    { "is-the-same-with-batches-sent-ahead", test_ahead },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
      {
        g_autofree char *path =
            g_strdup_printf ("/engine/cuda/training/%s/%s", forms[i].name, tests[t].name);

        g_test_add_data_func (path, &forms[i], tests[t].test);
      }
  g_test_add_func ("/engine/cuda/training/"
                   "a-model-whose-shapes-show-while-running-is-the-processor's",
                   test_dynamic_model);
  g_test_add_func ("/engine/cuda/training/a-learning-rate-that-was-recorded-is-found",
                   test_recorded_rate_is_found);
  g_test_add_func ("/engine/cuda/training/a-batch-that-comes-too-early-is-found",
                   test_early_batch_is_found);
  return g_test_run ();
}
