/* test-absent.c — values and arrays that do not exist: NULL, and numbers of a trace, are reported and
 * crash nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/exec/executor.h"
#include "engine/exec/plan.h"
#include "engine/rnn/bucket.h"
#include "engine/rnn/layer.h"
#include "engine/train/trainer.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static HybTensor *
array (int rank, gint64 a, gint64 b)
{
  return hyb_tensor_new_float (rank, (gint64[]){ a, b }, NULL);
}

static void
assert_says (const char *message, const char *first, const char *second)
{
  g_test_message ("%s", message);
  g_assert_nonnull (strstr (message, first));
  g_assert_nonnull (strstr (message, second));
}

/* Reads a number as one would of a computed array; while tracing that is an error. */
static HybValue *
read_number (HybF *F, HybValue *x)
{
  double first = hyb_tensor_get_value (hyb_value_get_tensor (x), 0);

  g_assert_true (isnan (first));
  g_assert_cmpint (hyb_tensor_get_size (hyb_value_get_tensor (x)), ==, 0);
  g_assert_null (hyb_tensor_get_data (hyb_value_get_tensor (x)));
  g_assert_cmpint (hyb_tensor_get_shape (hyb_value_get_tensor (x))->rank, ==, HYB_UNKNOWN);
  return hyb_mul_scalar (F, x, first);
}

static HybValue *
double_it (HybF *F, HybValue *x)
{
  return hyb_mul_scalar (F, x, 2);
}

static void
test_a_number_of_a_traced_array (void)
{
  g_autoptr (HybBlock) block = hyb_lambda_new (read_number, "reader_");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = hyb_block_trace (block, 1, "0", FALSE, &error);

  g_assert_null (graph);
  assert_says (error->message, "block reader", "numbers were read of a traced array");
}

static void
test_elements_beyond_the_end_are_no_numbers (void)
{
  g_autoptr (HybTensor) x = array (1, 2, 0);

  ((float *) hyb_tensor_get_data (x))[1] = 5;
  g_assert_cmpfloat (hyb_tensor_get_value (x, 1), ==, 5);
  g_assert_true (isnan (hyb_tensor_get_value (x, 2)));
  g_assert_true (isnan (hyb_tensor_get_value (x, -1)));
}

static HybValue *
call_loss (HybF *F, HybValue *prediction, gboolean only_prediction)
{
  g_autoptr (HybBlock) loss = hyb_loss_new ("softmax-cross-entropy", NULL);

  return hyb_call (F, loss, only_prediction ? prediction : NULL);
}

static void
test_a_loss_without_its_arguments (void)
{
  g_autoptr (HybTensor) x = array (2, 2, 3);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
      HybValue *loss = call_loss (F, hyb_value_from_tensor (F, x), i == 0);

      g_assert_true (hyb_value_is_failed (loss) || hyb_n_items (loss) == 0);
      assert_says (hyb_f_get_error (F)->message, "block softmaxcrossentropyloss",
                   i == 0 ? "there is no item 1: a single array has 1" : "NULL");
    }
}

static void
test_null_is_a_failed_value (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  HybValue *missing[2] = { NULL, NULL };

  g_assert_true (hyb_value_is_failed (hyb_call (F, NULL, NULL)));
  g_assert_true (hyb_value_is_failed (NULL));
  g_assert_true (hyb_value_is_failed (hyb_value_from_tensor (F, NULL)));
  g_assert_true (hyb_value_is_failed (hyb_list (F, 2, missing)));
  g_assert_true (hyb_value_is_failed (hyb_item (F, NULL, 0)));
  g_assert_true (hyb_value_is_failed (hyb_add (F, NULL, NULL)));
  g_assert_null (hyb_value_get_tensor (NULL));
  g_assert_null (hyb_value_get_name (NULL));
  g_assert_false (hyb_is_list (NULL));
  g_assert_cmpuint (hyb_n_items (NULL), ==, 0);
  g_assert_cmpint (hyb_value_get_type (NULL)->shape.rank, ==, HYB_UNKNOWN);
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "NULL"));
}

static void
test_a_trace_of_nothing (void)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_f_finish (F, NULL, &error));
  g_assert_nonnull (strstr (error->message, "NULL"));
}

/* Every constructor takes NULL for its options. */
static void
test_blocks_without_options (void)
{
  static HybBlock *(*const constructors[]) (
      const HybCellOptions *) = { hyb_rnn_cell_new, hyb_lstm_cell_new, hyb_gru_cell_new };
  static HybBlock *(*const norms[]) (const HybNormOptions *) = {
    hyb_batch_norm_new, hyb_layer_norm_new, hyb_instance_norm_new, hyb_group_norm_new
  };
  HybBlock *blocks[] = { hyb_dense_new (NULL),         hyb_conv_new (NULL),
                         hyb_pool_new (NULL),          hyb_loss_new ("l2", NULL),
                         hyb_lstmp_cell_new (NULL, 2), hyb_rnn_layer_new (NULL),
                         hyb_fused_cell_new (NULL) };

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    {
      g_assert_nonnull (blocks[i]);
      hyb_block_unref (blocks[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (constructors); i++)
    {
      g_autoptr (HybBlock) block = constructors[i](NULL);

      g_assert_nonnull (block);
    }
  for (guint i = 0; i < G_N_ELEMENTS (norms); i++)
    {
      g_autoptr (HybBlock) block = norms[i](NULL);

      g_assert_nonnull (block);
    }
}

/* What needs an option says so. */
static void
test_options_that_are_needed (void)
{
  g_autoptr (HybBlock) block = hyb_dense (.units = 2, .in_units = 3);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GPtrArray) sentences = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_bucket_iterator_new (sentences, NULL, &error));
  assert_says (error->message, "0 sentences", "at least 1");
  g_clear_error (&error);
  g_assert_null (hyb_trainer_new (model, NULL, &error));
  assert_says (error->message, "there", "loss");
  g_clear_error (&error);
  g_assert_null (hyb_trainer_new_for_block (block, NULL, &error));
  g_assert_nonnull (error);
}

static void
test_runs_without_options (void)
{
  g_autoptr (HybBlock) block = hyb_lambda_new (double_it, "double_");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = hyb_block_trace (block, 1, "0", FALSE, &error);
  g_autoptr (HybTensor) x = array (1, 2, 0);
  HybType type = *hyb_tensor_get_type (x);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybPlan) plan = NULL;

  g_assert_no_error (error);
  executor = hyb_executor_new (graph, NULL);
  g_assert_nonnull (executor);
  plan = hyb_plan_new (graph, &type, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (plan);
}

TEST_PROGRAM (test_absent)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/engine/block/absent/" name, function)
  ADD ("a-number-of-a-traced-array", test_a_number_of_a_traced_array);
  ADD ("elements-beyond-the-end-are-no-numbers", test_elements_beyond_the_end_are_no_numbers);
  ADD ("a-loss-without-its-arguments", test_a_loss_without_its_arguments);
  ADD ("null-is-a-failed-value", test_null_is_a_failed_value);
  ADD ("a-trace-of-nothing", test_a_trace_of_nothing);
  ADD ("blocks-without-options", test_blocks_without_options);
  ADD ("options-that-are-needed", test_options_that_are_needed);
  ADD ("runs-without-options", test_runs_without_options);
#undef ADD
  return g_test_run ();
}
