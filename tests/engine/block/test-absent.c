/* test-absent.c — values and arrays that do not exist: NULL, and numbers of a trace, are reported and
 * crash nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

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
      assert_says (hyb_f_get_error (F)->message,
                   "block softmaxcrossentropyloss",
                   i == 0 ? "item 1 was asked of 1" : "NULL");
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/engine/block/absent/" name, function)
  ADD ("a-number-of-a-traced-array", test_a_number_of_a_traced_array);
  ADD ("elements-beyond-the-end-are-no-numbers", test_elements_beyond_the_end_are_no_numbers);
  ADD ("a-loss-without-its-arguments", test_a_loss_without_its_arguments);
  ADD ("null-is-a-failed-value", test_null_is_a_failed_value);
  ADD ("a-trace-of-nothing", test_a_trace_of_nothing);
#undef ADD
  return g_test_run ();
}
