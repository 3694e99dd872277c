/* test-exchange.c — a trainer gives its gradients away while they become ready, and uses what comes back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/open/open.h"
#include "engine/train/data.h"
#include "engine/train/exchange.h"
#include "tests/program.h"

#include <string.h>

#define N_STEPS 5

/* Another process, of which the test decides what it computes. */
typedef struct
{
  HybExchange exchange;
  GPtrArray  *from,
      *seen; /* by gradient of this step: where it lies, and its bytes when it was ready (GBytes) */
  guint    n_early, n_ready, n_polls, n_steps;
  float    factor; /* what averages are of the gradients */
  gboolean fails;
} Other;

static void
take_gradient (gpointer data, const HybReadyGradient *gradient)
{
  Other *other = data;

  for (gint64 i = 0; i < gradient->n; i++)
    gradient->to[i] = gradient->from[i] * other->factor;
  g_ptr_array_add (other->from, (gpointer) gradient->from);
  g_ptr_array_add (other->seen, g_bytes_new (gradient->from, (gsize) gradient->n * sizeof (float)));
  other->n_ready++;
  other->n_early += gradient->is_early;
}

static void
count_poll (gpointer data, const HybSpan *span)
{
  g_assert_nonnull (span);
  ((Other *) data)->n_polls++;
}

/* What was ready has not changed since. */
static gboolean
finish_step (gpointer data, double *loss, GError **error)
{
  Other *other = data;

  for (guint i = 0; i < other->from->len; i++)
    {
      gsize         n;
      gconstpointer seen = g_bytes_get_data (other->seen->pdata[i], &n);

      g_assert_cmpmem (other->from->pdata[i], n, seen, n);
    }
  g_ptr_array_set_size (other->from, 0);
  g_ptr_array_set_size (other->seen, 0);
  other->n_steps++;
  *loss += 1;
  if (other->fails)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "it is gone");
  return !other->fails;
}

static gboolean
average_alone (gpointer data, float *values, gint64 n, GError **error)
{
  return TRUE;
}

static void
init_other (Other *other, float factor)
{
  *other = (Other){ .from = g_ptr_array_new (),
                    .seen = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref),
                    .factor = factor,
                    .exchange = { .data = other,
                                  .ready = take_gradient,
                                  .poll = count_poll,
                                  .finish = finish_step,
                                  .average = average_alone } };
}

static void
clear_other (Other *other)
{
  g_ptr_array_unref (other->from);
  g_ptr_array_unref (other->seen);
}

/* --- Trainings --- */

/* Trains N_STEPS; other: (nullable).  The model, (transfer full); *loss: of the last step. */
static HybModel *
train (const char *text, HybMode mode, const char *rate, Other *other, double *loss)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModelSpec) spec = hyb_model_spec_new (text, NULL);
  g_autoptr (HybData) data = hyb_data_new_task (spec, 1, NULL);
  HybModel         *model = hyb_model_open (text, NULL, HYB_EPOCH_HIGHEST, &error);
  const char *const settings[] = { "learning_rate", rate, NULL };
  HybTrainerOptions options = {
    .loss = "softmax-cross-entropy", .optimizer = "sgd", .settings = settings, .mode = &mode
  };
  g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &options, &error);

  g_assert_no_error (error);
  if (other)
    g_assert_true (hyb_trainer_set_exchange (trainer, &other->exchange, &error));
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr (GHashTable) batch = hyb_data_get_batch (data, i, FALSE, &error);
      HybTrainStep step;

      g_assert_true (hyb_trainer_step (trainer, batch, &step, NULL, &error));
      *loss = step.loss;
    }
  return model;
}

static void
assert_equal_parameters (HybModel *a, HybModel *b)
{
  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *x = hyb_model_get_parameter (a, name), *y = hyb_model_get_parameter (b, name);

      g_assert_cmpmem (hyb_tensor_get_data (x),
                       hyb_tensor_get_bytes (x),
                       hyb_tensor_get_data (y),
                       hyb_tensor_get_bytes (y));
    }
}

/* Averages that are the gradients give the same bytes as training alone; gradients do not change after they are ready. */
static void
test_same_bytes (gconstpointer text)
{
  Other  other;
  double loss, loss_alone;

  init_other (&other, 1);
  {
    g_autoptr (HybModel) alone = train (text, HYB_MODE_STATIC, "0.125", NULL, &loss_alone);
    g_autoptr (HybModel) together = train (text, HYB_MODE_STATIC, "0.125", &other, &loss);

    assert_equal_parameters (alone, together);
  }
  g_assert_cmpfloat (loss, ==, loss_alone + 1);
  g_assert_cmpuint (other.n_steps, ==, N_STEPS);
  g_assert_cmpuint (other.n_ready % N_STEPS, ==, 0);
  g_assert_cmpuint (other.n_early, >, 0);
  g_assert_cmpuint (other.n_polls, >, 0);
  clear_other (&other);
}

/* Twice the gradients at half the rate are the same update. */
static void
test_averages_are_used (void)
{
  Other  other;
  double loss;

  init_other (&other, 2);
  {
    g_autoptr (HybModel) alone =
        train ("gallery:mlp?inputs=8", HYB_MODE_STATIC, "0.25", NULL, &loss);
    g_autoptr (HybModel) together =
        train ("gallery:mlp?inputs=8", HYB_MODE_STATIC, "0.125", &other, &loss);

    assert_equal_parameters (alone, together);
  }
  clear_other (&other);
}

/* Where outputs move from run to run, gradients are given away after the run. */
static void
test_other_modes_wait_for_the_end_of_the_run (void)
{
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_HYBRID; mode++)
    {
      Other  other;
      double loss;

      init_other (&other, 1);
      {
        g_autoptr (HybModel) alone = train ("gallery:mlp?inputs=8", mode, "0.125", NULL, &loss);
        g_autoptr (HybModel) together =
            train ("gallery:mlp?inputs=8", mode, "0.125", &other, &loss);

        assert_equal_parameters (alone, together);
      }
      g_assert_cmpuint (other.n_early, ==, 0);
      g_assert_cmpuint (other.n_ready, >, 0);
      clear_other (&other);
    }
}

static void
test_a_failure_stops_the_step (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModelSpec) spec = hyb_model_spec_new ("gallery:mlp?inputs=8", NULL);
  g_autoptr (HybData) data = hyb_data_new_task (spec, 1, NULL);
  g_autoptr (HybModel) model =
      hyb_model_open ("gallery:mlp?inputs=8", NULL, HYB_EPOCH_HIGHEST, NULL);
  HybTrainerOptions options = { .loss = "softmax-cross-entropy", .optimizer = "sgd" };
  g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &options, NULL);
  g_autoptr (GHashTable) batch = hyb_data_get_batch (data, 0, FALSE, NULL);
  HybTrainStep step;
  Other        other;

  init_other (&other, 1);
  other.fails = TRUE;
  g_assert_true (hyb_trainer_set_exchange (trainer, &other.exchange, &error));
  g_assert_false (hyb_trainer_step (trainer, batch, &step, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED);
  g_assert_cmpuint (hyb_trainer_n_steps (trainer), ==, 0);
  clear_other (&other);
}

static void
test_other_types_are_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model =
      hyb_model_open ("gallery:mlp?inputs=8", NULL, HYB_EPOCH_HIGHEST, NULL);
  const char *name = hyb_model_get_parameter_name (model, 0);
  g_autoptr (HybTensor) half = hyb_tensor_convert (hyb_model_get_parameter (model, name), HYB_F16);
  HybTrainerOptions options = { .loss = "softmax-cross-entropy", .optimizer = "sgd" };
  Other             other;

  init_other (&other, 1);
  hyb_model_set_parameter (model, name, half);
  {
    g_autoptr (HybTrainer) trainer = hyb_trainer_new (model, &options, &error);

    g_assert_no_error (error);
    g_assert_false (hyb_trainer_set_exchange (trainer, &other.exchange, &error));
  }
  g_assert_nonnull (strstr (error->message, "float16"));
  clear_other (&other);
}

TEST_PROGRAM (test_exchange)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_add_data_func ("/engine/train/exchange/same-bytes-as-alone-mlp",
                        "gallery:mlp?inputs=8",
                        test_same_bytes);
  g_test_add_data_func ("/engine/train/exchange/same-bytes-as-alone-lenet",
                        "gallery:lenet",
                        test_same_bytes);
  g_test_add_data_func ("/engine/train/exchange/same-bytes-as-alone-stacked",
                        "gallery:stacked?length=4&batch=3",
                        test_same_bytes);
  g_test_add_data_func ("/engine/train/exchange/same-bytes-as-alone-resnet",
                        "gallery:resnet18?channels=2&classes=3&size=32&batch=2",
                        test_same_bytes);
  g_test_add_func ("/engine/train/exchange/averages-are-used", test_averages_are_used);
  g_test_add_func ("/engine/train/exchange/other-modes-wait-for-the-end-of-the-run",
                   test_other_modes_wait_for_the_end_of_the_run);
  g_test_add_func ("/engine/train/exchange/a-failure-stops-the-step",
                   test_a_failure_stops_the_step);
  g_test_add_func ("/engine/train/exchange/other-types-are-refused", test_other_types_are_refused);
  return g_test_run ();
}
