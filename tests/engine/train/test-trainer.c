/* test-trainer.c — what golden runs do not cover: resuming, multipliers, evaluation, blocks,
 * errors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/parallel.h"
#include "engine/block/layers.h"
#include "engine/formats/model-weights.h"
#include "engine/formats/npz.h"
#include "engine/graph/builder.h"
#include "engine/open/open.h"
#include "engine/train/checkpoint.h"
#include "engine/train/data.h"
#include "engine/train/trainer.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const HybTrainerOptions usual = {
  .loss = "softmax-cross-entropy",
  .optimizer = "adam",
};

static HybModel *
open_model (const char *text)
{
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (text, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  return model;
}

static double
step (HybTrainer *trainer, HybData *data, guint64 index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) batch = hyb_data_get_batch (data, index, FALSE, &error);
  HybTrainStep result = { 0 };

  g_assert_no_error (error);
  hyb_trainer_step (trainer, batch, &result, NULL, &error);
  g_assert_no_error (error);
  return result.loss;
}

static void
assert_equal_parameters (HybModel *a, HybModel *b)
{
  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *x = hyb_model_get_parameter (a, name), *y = hyb_model_get_parameter (b, name);

      g_assert_cmpmem (hyb_tensor_get_data (x), hyb_tensor_get_bytes (x), hyb_tensor_get_data (y),
                       hyb_tensor_get_bytes (y));
    }
}

/* Training that is resumed from saved states gives the same bytes as training without a break. */
static void
test_resume (gconstpointer text)
{
  g_autoptr (HybModelSpec) spec = hyb_model_spec_new (text, NULL);
  g_autoptr (HybData) data = hyb_data_new_task (spec, 1, NULL);
  g_autoptr (HybModel) whole = open_model (text);
  g_autoptr (HybModel) first = open_model (text);
  g_autoptr (HybTrainer) a = NULL;
  g_autoptr (HybTrainer) b = NULL;
  g_autoptr (HybTrainer) c = NULL;
  g_autofree char  *file = NULL;
  HybCarry          carry[] = { { "data1", 1 }, { "data2", 2 } };
  HybTrainerOptions how = usual;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("states-XXXXXX", &file, NULL);

  g_close (fd, NULL);
  if (spec->klass->task.carry || spec->types->len == 3)
    {
      how.loss = "l2";
      how.carry = carry;
      how.n_carry = 2;
    }
  a = hyb_trainer_new (whole, &how, &error);
  g_assert_no_error (error);
  for (guint64 i = 0; i < 6; i++)
    step (a, data, i);

  b = hyb_trainer_new (first, &how, &error);
  for (guint64 i = 0; i < 3; i++)
    step (b, data, i);
  g_assert_true (hyb_trainer_save_states (b, file, &error));
  c = hyb_trainer_new (first, &how, &error);
  g_assert_true (hyb_trainer_load_states (c, file, &error));
  g_assert_cmpuint (hyb_trainer_n_steps (c), ==, 3);
  for (guint64 i = 3; i < 6; i++)
    step (c, data, i);
  assert_equal_parameters (whole, first);
  g_remove (file);
}

static void
test_multipliers (void)
{
  g_autoptr (HybModelSpec) spec = hyb_model_spec_new ("gallery:mlp?inputs=8&hidden=4", NULL);
  g_autoptr (HybData) data = hyb_data_new_task (spec, 1, NULL);
  g_autoptr (HybModel) model = open_model ("gallery:mlp?inputs=8&hidden=4");
  const char *name = hyb_model_get_parameter_name (model, 0);
  g_autoptr (HybTensor) before = hyb_tensor_copy (hyb_model_get_parameter (model, name));
  g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &usual, NULL);

  hyb_trainer_set_multipliers (trainer, name, 0, 0);
  step (trainer, data, 0);
  g_assert_cmpmem (hyb_tensor_get_data (before), hyb_tensor_get_bytes (before),
                   hyb_tensor_get_data (hyb_model_get_parameter (model, name)),
                   hyb_tensor_get_bytes (before));
}

/* Evaluation does not change training. */
static void
test_evaluation (void)
{
  static const char text[] = "gallery:foreach-rnn?inputs=4&hidden=4&length=3&batch=2";
  g_autoptr (HybModelSpec) spec = hyb_model_spec_new (text, NULL);
  g_autoptr (HybData) data = hyb_data_new_task (spec, 1, NULL);
  g_autoptr (HybModel) a_model = open_model (text);
  g_autoptr (HybModel) b_model = open_model (text);
  HybCarry          carry[] = { { "data1", 1 }, { "data2", 2 } };
  HybTrainerOptions how = { .loss = "l2", .optimizer = "sgd", .n_carry = 2, .carry = carry };
  g_autoptr (HybTrainer) a = hyb_trainer_new (a_model, &how, NULL);
  g_autoptr (HybTrainer) b = hyb_trainer_new (b_model, &how, NULL);
  double first = NAN, again = NAN;

  for (guint64 i = 0; i < 3; i++)
    {
      g_autoptr (GHashTable) batch = hyb_data_get_batch (data, 0, TRUE, NULL);

      step (a, data, i);
      step (b, data, i);
      g_assert_true (hyb_trainer_evaluate (a, batch, TRUE, &first, NULL));
      g_assert_true (hyb_trainer_evaluate (a, batch, TRUE, &again, NULL));
      g_assert_cmpfloat (first, ==, again);
      g_assert_true (hyb_trainer_evaluate (a, batch, FALSE, &again, NULL));
      g_assert_cmpfloat (first, !=, again);
    }
  assert_equal_parameters (a_model, b_model);
}

/* The trainer updates the block's own parameters, so the block has learned afterwards. */
static void
test_block (void)
{
  g_autoptr (HybBlock) net = hyb_sequential (NULL);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (HybTensor) x =
      hyb_tensor_new_float (2, (gint64[]){ 4, 2 }, (float[]){ 0, 0, 0, 1, 1, 0, 1, 1 });
  g_autoptr (HybTensor) y = hyb_tensor_new_float (1, (gint64[]){ 4 }, (float[]){ 0, 1, 1, 0 });
  g_autoptr (GHashTable) batch = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (HybTrainer) trainer = NULL;
  g_autoptr (HybTensor) frozen = NULL;
  g_autoptr (GError) error = NULL;
  HybTrainerOptions how = usual;
  HybParameter     *fixed;
  HybTrainStep      result = { 0 };
  GPtrArray        *parameters;
  HybTensor        *output;

  how.settings = (const char *const[]){ "learning_rate", "0.05", NULL };
  hyb_append (net, hyb_dense (.units = 16, .activation = "tanh"));
  hyb_append (net, hyb_batch_norm (.axis = 1));
  hyb_append (net, hyb_dense (.units = 2));
  hyb_block_initialize (net, "xavier", 1);
  g_assert_null (hyb_trainer_new_for_block (net, &how, &error));
  g_assert_nonnull (strstr (error->message, "hybridize"));
  g_clear_error (&error);

  g_assert_true (hyb_block_hybridize (net, TRUE, NULL, NULL));
  hyb_call (F, net, hyb_value_from_tensor (F, x));
  parameters = hyb_block_collect_parameters (net);
  fixed = parameters->pdata[1];
  hyb_parameter_set_request (fixed, HYB_GRAD_NULL);
  frozen = hyb_tensor_copy (hyb_parameter_get_data (fixed, NULL));
  trainer = hyb_trainer_new_for_block (net, &how, &error);
  g_assert_no_error (error);
  g_hash_table_insert (batch, (gpointer) "data", x);
  g_hash_table_insert (batch, (gpointer) "label", y);
  for (int i = 0; i < 200; i++)
    g_assert_true (hyb_trainer_step (trainer, batch, &result, NULL, NULL));
  g_assert_cmpfloat (result.loss, <, 0.05);

  output = hyb_value_get_tensor (hyb_call (F, net, hyb_value_from_tensor (F, x)));
  for (gint64 i = 0; i < 4; i++)
    g_assert_cmpint (hyb_tensor_get_value (output, 2 * i + 1) >
                         hyb_tensor_get_value (output, 2 * i),
                     ==, hyb_tensor_get_value (y, i) == 1);
  g_assert_cmpmem (hyb_tensor_get_data (frozen), hyb_tensor_get_bytes (frozen),
                   hyb_tensor_get_data (hyb_parameter_get_data (fixed, NULL)),
                   hyb_tensor_get_bytes (frozen));
  g_ptr_array_unref (parameters);
}

static void
test_refusals (void)
{
  g_autoptr (HybModel) model = open_model ("gallery:mlp?inputs=8&hidden=4");
  const HybCarry    no_input = { "data7", 0 }, no_output = { "data", 3 };
  const char *const unknown[] = { "speed", "1", NULL };
  const struct
  {
    HybTrainerOptions options;
    const char       *message;
  } rows[] = {
    { { .loss = "hinges", .optimizer = "sgd" }, "there is no loss “hinges”; there are softmax" },
    { { .loss = "l2", .optimizer = "lbfgs" }, "there is no optimizer “lbfgs”; there are sgd" },
    { { .loss = "l2", .optimizer = "sgd", .settings = unknown }, "has no setting “speed”" },
    { { .loss = "l2", .optimizer = "sgd", .n_carry = 1, .carry = &no_input }, "no input “data7”" },
    { { .loss = "l2", .optimizer = "sgd", .n_carry = 1, .carry = &no_output },
      "output 3 cannot be carried" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_trainer_new (model, &rows[i].options, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i].message));
    }
}

/* The sum of squares of how far two models' parameters lie apart. */
static double
squared_distance (HybModel *a, HybModel *b)
{
  double sum = 0;

  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *x = hyb_model_get_parameter (a, name), *y = hyb_model_get_parameter (b, name);

      for (gint64 k = 0; k < hyb_tensor_get_size (x); k++)
        sum += pow (hyb_tensor_get_value (x, k) - hyb_tensor_get_value (y, k), 2);
    }
  return sum;
}

/* Takes one step of plain descent with a rate of 1, which moves the parameters by the gradient, and returns the norm
 * that the trainer states.  Most parameters are one array of 100,352 weights. */
static double
step_norm (guint threads)
{
  static const char *const text = "gallery:mlp?inputs=784&hidden=128";
  static const char *const settings[] = { "learning_rate", "1", "momentum", "0", "wd", "0", NULL };
  HybTrainerOptions        how = { .loss = "softmax-cross-entropy",
                                   .optimizer = "sgd",
                                   .settings = settings };
  g_autoptr (HybModelSpec) spec = hyb_model_spec_new (text, NULL);
  g_autoptr (HybData) data = hyb_data_new_task (spec, 1, NULL);
  g_autoptr (HybModel) model = open_model (text);
  g_autoptr (HybModel) before = open_model (text);
  g_autoptr (GHashTable) batch = hyb_data_get_batch (data, 0, FALSE, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &how, &error);
  HybTrainStep result = { 0 };

  g_assert_no_error (error);
  hyb_parallel_set_threads (threads);
  g_assert_true (hyb_trainer_step (trainer, batch, &result, NULL, &error));
  hyb_parallel_set_threads (0);
  g_assert_cmpfloat_with_epsilon (result.gradient_norm / sqrt (squared_distance (model, before)), 1,
                                  1e-4);
  return result.gradient_norm;
}

/* What docs/measuring.md promises: the same bytes with the same number of threads; with another number, products may
 * be summed in another order. */
static void
test_norm (void)
{
  double norms[2];

  for (guint threads = 1; threads <= 2; threads++)
    {
      norms[threads - 1] = step_norm (threads);
      g_assert_cmpfloat (step_norm (threads), ==, norms[threads - 1]);
    }
  g_assert_cmpfloat_with_epsilon (norms[1] / norms[0], 1, 1e-5);
}

/* --- Short memory and damaged states --- */

#define LARGE (1 << 20) /* elements of the arrays */

static HybValueId
call (HybBuilder *builder, const char *op, const HybNodeSpec *spec)
{
  g_autoptr (GError) error = NULL;
  HybValueId value = hyb_builder_call (builder, op, spec, &error);

  g_assert_no_error (error);
  return value;
}

/* A model that multiplies "x" by the parameter "w", both of this type and size, and casts the product to float32. */
static HybModel *
new_product (HybDType dtype)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  const HybType     type = { hyb_shape_1d (LARGE), dtype };
  const HybValueId  inputs[] = { hyb_builder_add_variable (builder, "x", NULL),
                                 hyb_builder_add_variable (builder, "w", NULL) };
  const char *const to_float[] = { "dtype", "float32", NULL };
  g_autoptr (HybTensor) weight = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (HybGraph) graph = NULL;
  HybValueId product = call (builder, "elemwise_mul",
                             &(HybNodeSpec){ .name = "product", .n_inputs = 2, .inputs = inputs });

  hyb_builder_add_head (builder, call (builder, "Cast",
                                       &(HybNodeSpec){ .name = "cast",
                                                       .attributes = to_float,
                                                       .n_inputs = 1,
                                                       .inputs = &product }));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_model_set_graph (model, graph);
  hyb_model_set_parameter (model, "w", weight);
  return model;
}

/* A model that multiplies "x" by the parameter "w", both of this type with two elements; w is zero. */
static HybModel *
new_typed_product (HybDType dtype)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  const HybType    type = { hyb_shape_1d (2), dtype };
  const HybValueId inputs[] = { hyb_builder_add_variable (builder, "x", NULL),
                                hyb_builder_add_variable (builder, "w", NULL) };
  g_autoptr (HybTensor) weight = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (HybGraph) graph = NULL;

  hyb_builder_add_head (builder,
                        call (builder, "elemwise_mul",
                              &(HybNodeSpec){ .name = "y", .n_inputs = 2, .inputs = inputs }));
  graph = hyb_builder_freeze (g_steal_pointer (&builder));
  hyb_model_set_graph (model, graph);
  hyb_model_set_parameter (model, "w", weight);
  return model;
}

/* A step of plain descent with a rate of 1 moves w from 0 to minus its gradient. */
static void
test_types_of_losses (void)
{
  static const char *const settings[] = { "learning_rate", "1", "momentum", "0", "wd", "0", NULL };
  static const struct
  {
    const char *loss;
    double      is, moved[2];
  } rows[] = {
    { "none", 0, { -1, -2 } }, /* the sum of y: the gradient is x */
    { "l2", 2.5, { 0.5, 3 } }, /* the mean of (y − label)² / 2: the gradient is −x · label / 2 */
  };
  static const HybDType dtypes[] = { HYB_F16, HYB_F32, HYB_F64 };

  for (guint i = 0; i < G_N_ELEMENTS (rows) * G_N_ELEMENTS (dtypes); i++)
    {
      HybDType dtype = dtypes[i % G_N_ELEMENTS (dtypes)];
      guint    row = i / G_N_ELEMENTS (dtypes);
      g_autoptr (HybModel) model = new_typed_product (dtype);
      HybTrainerOptions how = { .loss = rows[row].loss,
                                .optimizer = "sgd",
                                .settings = settings,
                                .data = (const char *const[]){ "x", "label", NULL } };
      g_autoptr (HybTensor) numbers = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 1, 2 });
      g_autoptr (HybTensor) labels = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 1, 3 });
      g_autoptr (HybTensor) x = hyb_tensor_convert (numbers, dtype);
      g_autoptr (HybTensor) label = hyb_tensor_convert (labels, dtype);
      g_autoptr (GHashTable) batch = g_hash_table_new (g_str_hash, g_str_equal);
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &how, &error);
      HybTrainStep result = { 0 };

      g_assert_no_error (error);
      g_hash_table_insert (batch, (gpointer) "x", x);
      g_hash_table_insert (batch, (gpointer) "label", label);
      hyb_trainer_step (trainer, batch, &result, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (result.loss, ==, rows[row].is);
      for (gint64 k = 0; k < 2; k++)
        g_assert_cmpfloat (hyb_tensor_get_value (hyb_model_get_parameter (model, "w"), k), ==,
                           rows[row].moved[k]);
    }
}

/* Takes a step, and another one for which an array of four bytes for each element is too large. */
static void
assert_memory_is_checked (HybDType dtype, const HybTrainerOptions *options, const char *name)
{
  const HybType type = { hyb_shape_1d (LARGE), dtype };
  g_autoptr (HybModel) model = new_product (dtype);
  g_autoptr (HybTensor) x = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (GHashTable) batch = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, options, &error);
  HybTrainStep result = { 0 };

  g_assert_no_error (error);
  if (options->n_carry == 0)
    g_hash_table_insert (batch, (gpointer) "x", x);
  hyb_trainer_step (trainer, batch, &result, NULL, &error);
  g_assert_no_error (error);
  hyb_limits_set (3 << 20, 0);
  g_assert_false (hyb_trainer_step (trainer, batch, &result, NULL, &error));
  hyb_limits_set (0, 0);
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, name));
  g_assert_cmpuint (hyb_trainer_n_steps (trainer), ==, 1);
}

static void
test_memory_for_conversions (void)
{
  const HybTrainerOptions options = { .loss = "none",
                                      .optimizer = "sgd",
                                      .data = (const char *const[]){ "x", NULL } };

  assert_memory_is_checked (HYB_F16, &options, "“w”");
}

static void
test_memory_for_carried_states (void)
{
  const HybCarry          carry = { "x", 0 };
  const HybTrainerOptions options = {
    .loss = "none", .optimizer = "sgd", .n_carry = 1, .carry = &carry
  };

  assert_memory_is_checked (HYB_F32, &options, "“x”");
}

/* A number of steps that no training can have reached is refused, both when states are loaded and when they are only looked
 * at. */
static void
test_damaged_number_of_steps (void)
{
  static const double numbers[] = { -1, NAN, INFINITY, 1e300 };
  g_autoptr (HybModel) model = open_model ("gallery:mlp?inputs=8&hidden=4");
  g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &usual, NULL);
  g_autoptr (HybTensorList) parameters = hyb_model_list_parameters (model);
  g_autofree char *file = NULL;

  g_close (g_file_open_tmp ("states-XXXXXX", &file, NULL), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      const HybType type = { hyb_shape_1d (1), HYB_F64 };
      g_autoptr (HybTensor) steps = hyb_tensor_new_zeros (&type, NULL);
      g_autoptr (HybTensorList) states = NULL;
      g_autoptr (GError) error = NULL;
      HybCheckpoint checkpoint;

      g_assert_true (hyb_trainer_save_states (trainer, file, NULL));
      states = hyb_npz_read_file (file, NULL);
      *(double *) hyb_tensor_get_data (steps) = numbers[i];
      hyb_tensor_list_set (states, "steps", steps);
      g_assert_true (hyb_npz_write_file (states, file, NULL));
      g_assert_false (hyb_checkpoint_read (file, parameters, &checkpoint, &error));
      g_assert_nonnull (strstr (error->message, "it must be a number from 0"));
      g_clear_error (&error);
      g_assert_false (hyb_trainer_load_states (trainer, file, &error));
      g_assert_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED);
    }
  g_remove (file);
}

TEST_PROGRAM (test_trainer)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/train/trainer/resumes-to-the-same-bytes/dropout",
                        "gallery:stacked?length=4&batch=3&dropout=0.5", test_resume);
  g_test_add_data_func ("/engine/train/trainer/resumes-to-the-same-bytes/batch-normalisation",
                        "gallery:resnet18?channels=2&classes=3&size=32&batch=2", test_resume);
  g_test_add_data_func ("/engine/train/trainer/resumes-to-the-same-bytes/carried-states",
                        "gallery:foreach-rnn?inputs=4&hidden=4&length=3&batch=2", test_resume);
  g_test_add_func ("/engine/train/trainer/a-learning-rate-of-zero-changes-nothing",
                   test_multipliers);
  g_test_add_func ("/engine/train/trainer/evaluation-changes-nothing", test_evaluation);
  g_test_add_func ("/engine/train/trainer/a-block-learns-and-shares-its-parameters", test_block);
  g_test_add_func ("/engine/train/trainer/the-norm-is-that-of-the-whole-gradient", test_norm);
  g_test_add_func ("/engine/train/trainer/invalid-options-are-errors", test_refusals);
  g_test_add_func ("/engine/train/trainer/losses-may-have-any-type-of-floats",
                   test_types_of_losses);
  g_test_add_func ("/engine/train/trainer/memory-for-conversions-is-checked",
                   test_memory_for_conversions);
  g_test_add_func ("/engine/train/trainer/memory-for-carried-states-is-checked",
                   test_memory_for_carried_states);
  g_test_add_func ("/engine/train/trainer/a-damaged-number-of-steps-is-refused",
                   test_damaged_number_of_steps);
  return g_test_run ();
}
