/* test-convenience.c — calls that save programs a detour: prediction, gradients of parameters, numbers
 * of values, comparisons, results of loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/autograd/tape.h"
#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/rnn/cell.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static const float one_two_three[] = { 1, 2, 3 };

static HybTensor *
row (void)
{
  return hyb_tensor_new_float (2, (const gint64[]){ 1, 3 }, one_two_three);
}

static HybBlock *
dense_of_ones (void)
{
  HybBlock *dense = hyb_dense (.units = 2, .in_units = 3, .weight_init = "ones");

  hyb_block_initialize (dense, NULL, 0);
  return dense;
}

/* --- Prediction --- */

static void
test_a_block_predicts_in_one_call (void)
{
  g_autoptr (HybBlock) dense = dense_of_ones ();
  g_autoptr (HybTensor) x = row ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) y = hyb_block_predict (dense, x, &error);

  g_assert_no_error (error);
  g_assert_cmpint (hyb_tensor_get_size (y), ==, 2);
  g_assert_cmpfloat (hyb_tensor_get_value (y, 1), ==, 6);
}

static void
test_a_prediction_reports_what_is_missing (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 2);
  g_autoptr (HybTensor) x = row ();
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_block_predict (dense, x, &error));
  g_assert_nonnull (strstr (error->message, "has not been initialized"));
}

static HybValue *
twice (HybF *F, HybValue *x)
{
  return hyb_list_of (F, x, x, NULL);
}

static void
test_a_prediction_of_several_outputs_is_refused (void)
{
  g_autoptr (HybBlock) block = hyb_lambda_new (twice, NULL);
  g_autoptr (HybTensor) x = row ();
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_block_predict (block, x, &error));
  g_assert_nonnull (strstr (error->message, "a list of 2 values"));
  g_assert_nonnull (strstr (error->message, "hyb_call()"));
}

/* --- Gradients --- */

static void
test_gradients_are_read_from_parameters (void)
{
  g_autoptr (HybBlock) dense = dense_of_ones ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybF) F = hyb_f_new (TRUE, 0);
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (dense);
  g_autoptr (HybTensor) x = row ();
  g_autoptr (GError) error = NULL;
  HybTensor *y, *gradient;

  g_assert_true (hyb_block_attach_gradients (dense, tape, &error));
  g_assert_null (hyb_parameter_get_gradient (parameters->pdata[0], tape));
  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  y = hyb_value_get_tensor (hyb_call (F, dense, hyb_value_from_tensor (F, x)));
  hyb_tape_end (tape);
  g_assert_true (hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &y }, &error));
  gradient = hyb_parameter_get_gradient (parameters->pdata[0], tape);
  g_assert_cmpint (hyb_tensor_get_size (gradient), ==, 6);
  for (gint64 i = 0; i < 6; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (gradient, i), ==, one_two_three[i % 3]);
}

static void
test_parameters_without_a_request_get_no_gradient (void)
{
  g_autoptr (HybBlock) dense = dense_of_ones ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybF) F = hyb_f_new (TRUE, 0);
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (dense);
  g_autoptr (HybTensor) x = row ();
  g_autoptr (GError) error = NULL;
  HybTensor *y;

  hyb_parameter_set_request (parameters->pdata[1], HYB_GRAD_NULL);
  g_assert_true (hyb_block_attach_gradients (dense, tape, &error));
  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  y = hyb_value_get_tensor (hyb_call (F, dense, hyb_value_from_tensor (F, x)));
  hyb_tape_end (tape);
  g_assert_true (hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &y }, &error));
  g_assert_nonnull (hyb_parameter_get_gradient (parameters->pdata[0], tape));
  g_assert_null (hyb_parameter_get_gradient (parameters->pdata[1], tape));
}

static void
test_gradients_need_initialized_parameters (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 2);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GError) error = NULL;

  hyb_block_initialize (dense, NULL, 0);
  g_assert_false (hyb_block_attach_gradients (dense, tape, &error));
  g_assert_nonnull (strstr (error->message, "Run the block once"));
}

/* --- Numbers --- */

static void
test_a_number_is_read_from_an_array_of_one (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (HybTensor) x = row ();
  HybValue *sum = hyb_sum (F, hyb_value_from_tensor (F, x), "None");

  g_assert_cmpfloat (hyb_value_get_double (sum), ==, 6);
  g_assert_null (hyb_f_get_error (F));
}

static void
test_a_number_is_not_read_from_three (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (HybTensor) x = row ();

  g_assert_true (isnan (hyb_value_get_double (hyb_value_from_tensor (F, x))));
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "an array of 3 elements"));
}

static void
test_a_number_of_a_traced_array_is_explained (void)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);

  g_assert_true (isnan (hyb_value_get_double (hyb_value_variable (F, "x", NULL))));
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "hyb_while_loop()"));
}

/* --- Comparisons --- */

static void
assert_values (HybValue *value, double a, double b, double c)
{
  HybTensor *tensor = hyb_value_get_tensor (value);

  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 0), ==, a);
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 1), ==, b);
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 2), ==, c);
}

static void
test_comparisons_give_ones_and_zeros (void)
{
  static const double expected[][3] = {
    [HYB_EQUAL] = { 0, 1, 0 },   [HYB_NOT_EQUAL] = { 1, 0, 1 },
    [HYB_LESS] = { 1, 0, 0 },    [HYB_LESS_EQUAL] = { 1, 1, 0 },
    [HYB_GREATER] = { 0, 0, 1 }, [HYB_GREATER_EQUAL] = { 0, 1, 1 },
  };
  static const float twos[] = { 2, 2, 2 };
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (HybTensor) x = row ();
  g_autoptr (HybTensor) y = hyb_tensor_new_float (2, (const gint64[]){ 1, 3 }, twos);
  HybValue *a = hyb_value_from_tensor (F, x), *b = hyb_value_from_tensor (F, y);

  for (guint how = 0; how < G_N_ELEMENTS (expected); how++)
    {
      const double *e = expected[how];

      assert_values (hyb_compare (F, a, (HybComparison) how, b), e[0], e[1], e[2]);
      assert_values (hyb_compare_scalar (F, a, (HybComparison) how, 2), e[0], e[1], e[2]);
    }
}

static void
test_arithmetic_with_numbers (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (HybTensor) x = row ();
  HybValue *a = hyb_value_from_tensor (F, x);

  assert_values (hyb_sub_scalar (F, a, 1), 0, 1, 2);
  assert_values (hyb_div_scalar (F, a, 2), 0.5, 1, 1.5);
  assert_values (hyb_power_scalar (F, a, 2), 1, 4, 9);
  assert_values (hyb_maximum_scalar (F, a, 2), 2, 2, 3);
  assert_values (hyb_minimum_scalar (F, a, 2), 1, 2, 2);
}

static void
test_arrays_of_zeros_and_ones (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

  assert_values (hyb_zeros (F, "(1, 3)"), 0, 0, 0);
  assert_values (hyb_ones (F, "(3,)"), 1, 1, 1);
}

/* --- Loops --- */

static HybValue *
running_sum (HybF *F, HybValue *slice, HybValue **states, gpointer user)
{
  HybValue *sum = hyb_add (F, slice, hyb_item (F, *states, 0));

  *states = hyb_list (F, 1, &sum);
  return sum;
}

static void
test_results_of_loops_have_names (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (HybTensor) x = hyb_tensor_new_float (2, (const gint64[]){ 3, 1 }, one_two_three);
  g_autoptr (HybTensor) zero = hyb_tensor_new_scalar (0);
  HybValue     *start = hyb_value_from_tensor (F, zero);
  HybLoopResult loop =
      hyb_loop_result (F, hyb_foreach (F, running_sum, hyb_value_from_tensor (F, x),
                                       hyb_list (F, 1, &start), NULL));

  g_assert_null (hyb_f_get_error (F));
  assert_values (loop.outputs, 1, 3, 6);
  g_assert_cmpfloat (hyb_value_get_double (hyb_item (F, loop.states, 0)), ==, 6);
}

static void
test_results_of_a_failed_loop_are_failed (void)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  HybLoopResult loop = hyb_loop_result (F, hyb_list (F, 0, NULL));

  g_assert_true (hyb_value_is_failed (loop.outputs));
  g_assert_true (hyb_value_is_failed (loop.states));
}

static HybValue *
loses_its_state (HybF *F, HybValue *slice, HybValue **states, gpointer user)
{
  HybValue *sum = hyb_add (F, slice, hyb_item (F, *states, 0));

  *states = hyb_list (F, 0, NULL);
  return sum;
}

static HybValue *
loop_that_loses_its_state (HybF *F, HybValue *x)
{
  return hyb_foreach (F, loses_its_state, hyb_item (F, x, 0), hyb_item (F, x, 1), NULL);
}

/* Computed and traced, the loop is refused in the same words. */
static void
test_a_loop_keeps_its_number_of_states (void)
{
  g_autoptr (HybBlock) block = hyb_lambda_new (loop_that_loses_its_state, NULL);
  g_autoptr (HybTensor) x = hyb_tensor_new_float (2, (const gint64[]){ 1, 3 }, one_two_three);
  g_autoptr (HybTensor) state = hyb_tensor_new_float (1, (const gint64[]){ 3 }, one_two_three);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (GError) error = NULL;
  HybValue *inner = hyb_value_from_tensor (F, state);

  hyb_call_list (F, block, hyb_value_from_tensor (F, x), hyb_list (F, 1, &inner), NULL);
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "gave 0 states for 1"));
  g_assert_null (hyb_block_trace (block, 2, "[0, [0]]", FALSE, &error));
  g_assert_nonnull (strstr (error->message, "gave 0 states for 1"));
}

TEST_PROGRAM (test_convenience)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/engine/block/convenience/" name, function)
  ADD ("a-block-predicts-in-one-call", test_a_block_predicts_in_one_call);
  ADD ("a-prediction-reports-what-is-missing", test_a_prediction_reports_what_is_missing);
  ADD ("a-prediction-of-several-outputs-is-refused",
       test_a_prediction_of_several_outputs_is_refused);
  ADD ("gradients-are-read-from-parameters", test_gradients_are_read_from_parameters);
  ADD ("parameters-without-a-request-get-no-gradient",
       test_parameters_without_a_request_get_no_gradient);
  ADD ("gradients-need-initialized-parameters", test_gradients_need_initialized_parameters);
  ADD ("a-number-is-read-from-an-array-of-one", test_a_number_is_read_from_an_array_of_one);
  ADD ("a-number-is-not-read-from-three", test_a_number_is_not_read_from_three);
  ADD ("a-number-of-a-traced-array-is-explained", test_a_number_of_a_traced_array_is_explained);
  ADD ("comparisons-give-ones-and-zeros", test_comparisons_give_ones_and_zeros);
  ADD ("arithmetic-with-numbers", test_arithmetic_with_numbers);
  ADD ("arrays-of-zeros-and-ones", test_arrays_of_zeros_and_ones);
  ADD ("results-of-loops-have-names", test_results_of_loops_have_names);
  ADD ("results-of-a-failed-loop-are-failed", test_results_of_a_failed_loop_are_failed);
  ADD ("a-loop-keeps-its-number-of-states", test_a_loop_keeps_its_number_of_states);
  return g_test_run ();
}
