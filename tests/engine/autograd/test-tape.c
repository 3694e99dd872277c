/* test-tape.c — what a tape records, and the gradients of its backward pass.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/tape.h"

#include "engine/base/error.h"
#include "engine/block/trace.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

#include <string.h>

/* Calls an operator with up to three inputs and returns its first output. */
static HybTensor *
call_with (HybTape          *tape,
           const char       *name,
           const char       *attributes_text,
           guint             n,
           HybTensor *const *inputs)
{
  const HybOp *op = hyb_op_find (name);
  g_auto (GStrv) attributes = op_attributes_from_text (attributes_text);
  g_autofree gpointer *outputs = NULL;
  HybRun               context = { .training = TRUE, .seed = 5 };
  g_autoptr (GError) error = NULL;
  gpointer params = NULL;
  guint    n_inputs, n_outputs;

  g_assert_nonnull (op);
  if (op->params)
    params = hyb_params_parse (op->params, op->params_size, (const char *const *) attributes, NULL,
                               &error);
  g_assert_no_error (error);
  hyb_op_arity (op, params, &n_inputs, &n_outputs);
  g_assert_cmpuint (n_inputs, ==, n);

  outputs = g_new0 (gpointer, n_outputs);
  hyb_tape_call (tape,
                 &(HybImperativeCall){ .op = op,
                                       .params = params,
                                       .n_inputs = n_inputs,
                                       .inputs = inputs,
                                       .outputs = (HybTensor **) outputs },
                 &context, &error);
  g_assert_no_error (error);
  hyb_params_unref (params);
  for (guint i = 1; i < n_outputs; i++)
    hyb_tensor_unref (outputs[i]);

  return outputs[0];
}

static HybTensor *
call (HybTape *tape, const char *name, const char *attributes, HybTensor *a, HybTensor *b)
{
  return call_with (tape, name, attributes, b ? 2 : 1, (HybTensor *[]){ a, b });
}

static void
run_backward (HybTape *tape, HybTensor *head, gboolean retain)
{
  g_autoptr (GError) error = NULL;

  hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &head, .retain = retain },
                     &error);
  g_assert_no_error (error);
}

static void
test_a_product_gives_the_other_factor (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor ("f32[2]", 2., 3.);
  g_autoptr (HybTensor) b = op_tensor ("f32[2]", 5., 7.);
  g_autoptr (HybTensor) y = NULL;

  hyb_tape_attach (tape, a, HYB_REQUEST_WRITE);
  hyb_tape_begin (tape);
  y = call (tape, "elemwise_mul", NULL, a, b);
  hyb_tape_end (tape);
  op_assert_near (y, 0, 10., 21.);

  g_assert_null (hyb_tape_get_gradient (tape, a));
  run_backward (tape, y, FALSE);
  op_assert_near (hyb_tape_get_gradient (tape, a), 0, 5., 7.);
  g_assert_null (hyb_tape_get_gradient (tape, b));
}

static void
test_requests_write_or_add (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor ("f32[1]", 2.);
  g_autoptr (HybTensor) b = op_tensor ("f32[1]", 3.);

  hyb_tape_attach (tape, a, HYB_REQUEST_WRITE);
  hyb_tape_attach (tape, b, HYB_REQUEST_ADD);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (HybTensor) y = NULL;

      hyb_tape_begin (tape);
      y = call (tape, "elemwise_mul", NULL, a, b);
      hyb_tape_end (tape);
      run_backward (tape, y, FALSE);
    }

  op_assert_near (hyb_tape_get_gradient (tape, a), 0, 3.);
  op_assert_near (hyb_tape_get_gradient (tape, b), 0, 6.);
  hyb_tape_clear_gradients (tape);
  g_assert_null (hyb_tape_get_gradient (tape, b));
  hyb_tape_attach (tape, b, HYB_REQUEST_NULL);
  g_assert_null (hyb_tape_get_gradient (tape, b));
}

/* The gradient of w in Σ w·xₜ over 20 uses.  other_shapes: the rows of every third use have another
 * shape.  further: w has another reader, which adds (5, 7) to the gradient. */
static void
check_uses (gboolean other_shapes, gboolean further)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) w = op_tensor ("f32[1,2]", 2., 3.);
  g_autoptr (HybTensor) factor = op_tensor ("f32[2,1]", 5., 7.);
  g_autoptr (HybTensor) y = NULL;

  hyb_tape_attach (tape, w, HYB_REQUEST_WRITE);
  hyb_tape_begin (tape);
  y = further ? call (tape, "dot", NULL, w, factor) : op_tensor ("f32[1,1]", 0.);
  for (int t = 1; t <= 20; t++)
    {
      gboolean is_other = other_shapes && t % 3 == 0;
      g_autoptr (HybTensor) x =
          op_tensor (is_other ? "f32[1,2,1]" : "f32[1,2]", (double) t, (double) (2 * t));
      g_autoptr (HybTensor) product =
          call (tape, "FullyConnected", "num_hidden=1 no_bias=True", x, w);
      HybTensor *sum = call (tape, "elemwise_add", NULL, y, product);

      hyb_tensor_unref (y);
      y = sum;
    }
  hyb_tape_end (tape);
  run_backward (tape, y, FALSE);
  op_assert_near (hyb_tape_get_gradient (tape, w), 0, 210. + (further ? 5. : 0.),
                  420. + (further ? 7. : 0.));
}

static void
test_uses_of_one_weight_add_up (void)
{
  check_uses (FALSE, FALSE);
  check_uses (TRUE, FALSE);
  check_uses (FALSE, TRUE);
}

static void
test_what_is_computed_in_a_pause_is_a_constant (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor ("f32[1]", 3.);
  g_autoptr (HybTensor) square = NULL;
  g_autoptr (HybTensor) y = NULL;

  hyb_tape_attach (tape, a, HYB_REQUEST_WRITE);
  g_assert_false (hyb_tape_is_recording (tape));
  hyb_tape_begin (tape);
  hyb_tape_pause (tape);
  g_assert_false (hyb_tape_is_recording (tape));
  square = call (tape, "elemwise_mul", NULL, a, a);
  hyb_tape_end (tape);
  g_assert_true (hyb_tape_is_recording (tape));
  y = call (tape, "elemwise_mul", NULL, square, a);
  hyb_tape_end (tape);

  run_backward (tape, y, FALSE);
  op_assert_near (hyb_tape_get_gradient (tape, a), 0, 9.);
}

static void
test_a_recording_can_be_kept_and_gone_over_again (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor ("f32[1]", 3.);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (GError) error = NULL;

  hyb_tape_attach (tape, a, HYB_REQUEST_ADD);
  hyb_tape_begin (tape);
  y = call (tape, "elemwise_mul", NULL, a, a);
  hyb_tape_end (tape);

  run_backward (tape, y, TRUE);
  run_backward (tape, y, FALSE);
  op_assert_near (hyb_tape_get_gradient (tape, a), 0, 12.);

  g_assert_false (
      hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &y }, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING);
}

static void
test_head_gradients_can_be_given (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor ("f32[2]", 3., 4.);
  g_autoptr (HybTensor) weight = op_tensor ("f32[2]", 10., 100.);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *heads[2], *gradients[] = { weight, NULL };

  hyb_tape_attach (tape, a, HYB_REQUEST_WRITE);
  hyb_tape_begin (tape);
  y = call (tape, "elemwise_mul", NULL, a, a);
  hyb_tape_end (tape);
  heads[0] = heads[1] = y;

  /* The same head twice, with gradients `weight` and ones. */
  hyb_tape_backward (tape,
                     &(HybBackwardPass){
                         .n_heads = 2, .heads = heads, .head_gradients = gradients },
                     &error);
  g_assert_no_error (error);
  op_assert_near (hyb_tape_get_gradient (tape, a), 0, 6. * 11, 8. * 101);
}

/* The backward pass uses the dropout mask of the forward pass. */
static void
test_random_masks_repeat (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor_from_text ("f32[64] 1..2", 0);
  g_autoptr (HybTensor) y = NULL;
  HybTensor *gradient;

  if (!hyb_op_find ("Dropout"))
    {
      g_test_skip ("no operator Dropout");
      return;
    }

  hyb_tape_attach (tape, a, HYB_REQUEST_WRITE);
  hyb_tape_begin (tape);
  y = call (tape, "Dropout", "p=0.5", a, NULL);
  hyb_tape_end (tape);
  run_backward (tape, y, FALSE);

  gradient = hyb_tape_get_gradient (tape, a);
  for (gint64 i = 0; i < 64; i++)
    g_assert_cmpint (hyb_tensor_get_value (gradient, i) != 0, ==, hyb_tensor_get_value (y, i) != 0);
}

/* RNN is recorded as an operator that also outputs its gates, which the caller does not see. */
static void
test_operators_record_in_their_own_form (void)
{
  static const char attributes[] = "mode=gru state_size=3 num_layers=1";
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) data = op_tensor_from_text ("f32[4,2,3]", 0);
  g_autoptr (HybTensor) weights = op_tensor_from_text ("f32[72]", 1);
  g_autoptr (HybTensor) state = op_tensor_from_text ("f32[1,2,3]", 2);
  HybTensor *inputs[] = { data, weights, state };
  g_autoptr (HybTensor) plain = call_with (tape, "RNN", attributes, 3, inputs);
  g_autoptr (HybTensor) recorded = NULL;
  double step = 1e-3, sum = 0;
  float *weight = hyb_tensor_get_data (weights);

  hyb_tape_attach (tape, weights, HYB_REQUEST_WRITE);
  hyb_tape_begin (tape);
  recorded = call_with (tape, "RNN", attributes, 3, inputs);
  hyb_tape_end (tape);
  op_assert_same (recorded, plain, 1e-6);
  run_backward (tape, recorded, FALSE);

  /* The difference quotient of the sum of all outputs by one weight. */
  weight[5] += (float) step;
  g_clear_pointer (&recorded, hyb_tensor_unref);
  recorded = call_with (tape, "RNN", attributes, 3, inputs);
  for (gint64 i = 0; i < hyb_tensor_get_size (plain); i++)
    sum += hyb_tensor_get_value (recorded, i) - hyb_tensor_get_value (plain, i);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (hyb_tape_get_gradient (tape, weights), 5),
                                  sum / step, 5e-3);
}

static void
test_f_records (void)
{
  g_autoptr (HybF) F = hyb_f_new (TRUE, 1);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) a = op_tensor ("f32[2]", 2., 3.);
  HybValue *x = hyb_value_from_tensor (F, a);
  HybValue *y;
  g_autoptr (GError) error = NULL;

  hyb_tape_attach (tape, a, HYB_REQUEST_WRITE);
  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  y = hyb_mul (F, x, hyb_mul (F, x, x));
  hyb_tape_end (tape);
  hyb_f_check (F, &error);
  g_assert_no_error (error);

  run_backward (tape, hyb_value_get_tensor (y), FALSE);
  op_assert_near (hyb_tape_get_gradient (tape, a), 1e-6, 12., 27.);
}

/* The determinant of one matrix is a number without axes, as its gradient is; under MXNet's legacy rules both have one. */
static void
test_shapes_without_axes_have_gradients (void)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) matrix = op_tensor ("f32[2,2]", 1., 2., 3., 5.);
  g_autoptr (HybTensor) det = NULL;
  HybTensor *outputs[3] = { NULL };
  g_autoptr (GError) error = NULL;

  hyb_tape_attach (tape, matrix, HYB_REQUEST_ADD);
  hyb_tape_begin (tape);
  hyb_tape_call (tape,
                 &(HybImperativeCall){ .op = hyb_op_find ("_linalg_det"),
                                       .n_inputs = 1,
                                       .inputs = &matrix,
                                       .outputs = outputs,
                                       .has_scalars = TRUE },
                 NULL, &error);
  hyb_tape_end (tape);
  g_assert_no_error (error);
  det = outputs[0];
  g_assert_cmpint (hyb_tensor_get_shape (det)->rank, ==, 0);
  run_backward (tape, det, TRUE);
  run_backward (tape, det, FALSE);
  op_assert_near (hyb_tape_get_gradient (tape, matrix), 1e-5, 10., -6., -4., 2.);
  hyb_tensor_unref (outputs[1]);
  hyb_tensor_unref (outputs[2]);
}

TEST_PROGRAM (test_tape)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/autograd/tape/" name, function)
  TEST ("uses-of-one-weight-add-up", test_uses_of_one_weight_add_up);
  TEST ("a-product-gives-the-other-factor", test_a_product_gives_the_other_factor);
  TEST ("requests-write-or-add", test_requests_write_or_add);
  TEST ("what-is-computed-in-a-pause-is-a-constant",
        test_what_is_computed_in_a_pause_is_a_constant);
  TEST ("a-recording-can-be-kept-and-gone-over-again",
        test_a_recording_can_be_kept_and_gone_over_again);
  TEST ("head-gradients-can-be-given", test_head_gradients_can_be_given);
  TEST ("random-masks-repeat", test_random_masks_repeat);
  TEST ("operators-record-in-their-own-form", test_operators_record_in_their_own_form);
  TEST ("F-records", test_f_records);
  TEST ("shapes-without-axes-have-gradients", test_shapes_without_axes_have_gradients);
#undef TEST

  return g_test_run ();
}
