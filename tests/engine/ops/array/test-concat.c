/* test-concat.c — tests of Concat, _rnn_param_concat and stack: samples and refusals for op-check.h,
 * the order of pieces, and the inference of one or two unknown pieces.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Concat", "default axis", "num_args=2", { "f32[2,3]", "f32[2,2]" } },
  { "Concat", "first axis", "num_args=3 dim=0", { "f32[1,2]", "f32[2,2]", "f32[1,2]" } },
  { "Concat", "negative axis", "num_args=2 dim=-1", { "f32[2,2,1]", "f32[2,2,3]" } },
  { "Concat", "one input", "num_args=1", { "f32[2,3]" } },
  { "Concat", "one is empty", "num_args=2", { "f32[2,0]", "f32[2,2]" } },
  { "Concat", "integers", "num_args=2 dim=0", { "i32[2]", "i32[3]" } },
  { "_rnn_param_concat", "flat pieces", "num_args=3 dim=0", { "f32[4]", "f32[2]", "f32[3]" } },
  { "stack", "first axis", "num_args=2", { "f32[2,3]", "f32[2,3]" } },
  { "stack", "in the middle", "num_args=3 axis=1", { "f32[2,2]", "f32[2,2]", "f32[2,2]" } },
  { "stack", "last axis", "num_args=2 axis=-1", { "f32[2,3]", "f32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Concat", "other sizes differ", "num_args=2 dim=1", { "f32[2,3]", "f32[3,3]" }, "input 1: " },
  { "Concat", "axis outside", "num_args=2 dim=2", { "f32[2,3]", "f32[2,3]" }, "axis 2 is outside" },
  { "Concat", "smallest integer", "num_args=-9223372036854775808", { "f32[2]" }, "num_args" },
  { "Concat", "no input", "num_args=0", { "f32[2]" }, "num_args" },
  { "stack", "shapes differ", "num_args=2", { "f32[2,3]", "f32[2,2]" }, "input 1: " },
  { "stack", "axis outside", "num_args=1 axis=3", { "f32[2,3]" }, "axis 3 is outside" },
  { 0 },
};

static HybCall
pieces_of (const char *op, const char *const *attributes, HybType *types, guint n)
{
  const HybOp *found = hyb_op_find (op);

  return (HybCall){
    .op = found,
    .params = hyb_params_parse (found->params, found->params_size, attributes, NULL, NULL),
    .n_inputs = n,
    .n_outputs = 1,
    .input = types,
    .output = types + n,
  };
}

static HybType
flat (gint64 size)
{
  return (HybType){ hyb_shape_1d (size), HYB_F32 };
}

static void
test_one_unknown_piece_gets_the_rest (void)
{
  const char *const attributes[] = { "num_args", "3", "dim", "0", NULL };
  HybType           types[] = { flat (4), flat (HYB_UNKNOWN), flat (3), flat (12) };
  HybCall           call = pieces_of ("Concat", attributes, types, 3);

  g_assert_true (call.op->infer_shape (&call, NULL));
  g_assert_cmpint (types[1].shape.dim[0], ==, 5);
  hyb_params_unref ((gpointer) call.params);
}

static void
test_two_unknown_weights_share_the_rest (void)
{
  const char *const attributes[] = { "num_args", "3", "dim", "0", NULL };
  HybType           types[] = { flat (HYB_UNKNOWN), flat (4), HYB_TYPE_UNKNOWN, flat (12) };
  HybCall           call = pieces_of ("_rnn_param_concat", attributes, types, 3);
  HybType           odd[] = { flat (HYB_UNKNOWN), flat (4), flat (HYB_UNKNOWN), flat (11) };

  g_assert_true (call.op->infer_shape (&call, NULL));
  g_assert_cmpint (types[0].shape.dim[0], ==, 4);
  g_assert_cmpint (types[2].shape.dim[0], ==, 4);

  call.input = odd;
  call.output = odd + 3;
  /* They are not equal then, and what they are is known later. */
  g_assert_true (call.op->infer_shape (&call, NULL));
  g_assert_cmpint (odd[0].shape.dim[0], ==, HYB_UNKNOWN);
  odd[0] = flat (8);
  g_assert_false (call.op->infer_shape (&call, NULL));
  hyb_params_unref ((gpointer) call.params);
}

static void
test_pieces_stand_in_their_order (void)
{
  g_autoptr (HybTensor) y = op_run ("Concat", "num_args=2", op_tensor ("f32[2,1]", 1., 2.),
                                    op_tensor ("f32[2,2]", 3., 4., 5., 6.), NULL);
  g_autoptr (HybTensor) z = op_run ("stack", "num_args=2 axis=-1", op_tensor ("f32[2]", 1., 2.),
                                    op_tensor ("f32[2]", 3., 4.), NULL);

  op_assert_near (y, 0, 1., 3., 4., 2., 5., 6.);
  op_assert_near (z, 0, 1., 3., 2., 4.);
}

TEST_PROGRAM (test_concat)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("concat", hyb_ops_concat, samples, refusals);
  g_test_add_func ("/engine/ops/concat/one-unknown-piece-gets-the-rest",
                   test_one_unknown_piece_gets_the_rest);
  g_test_add_func ("/engine/ops/concat/two-unknown-weights-share-the-rest",
                   test_two_unknown_weights_share_the_rest);
  g_test_add_func ("/engine/ops/concat/pieces-stand-in-their-order",
                   test_pieces_stand_in_their_order);

  return g_test_run ();
}
