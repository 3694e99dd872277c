/* test-binary-gradient.c — tests of the gradients of functions of two tensors where operands are
 * equal.
 *
 * Elsewhere the samples in test-elementwise-binary.c and test-broadcast.c compare them with finite
 * differences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_backward_div_rhs _backward_power_lhs _backward_power_rhs _backward_hypot_lhs "
    "_backward_hypot_rhs _backward_mod_rhs _backward_maximum_lhs _backward_maximum_rhs "
    "_backward_minimum_lhs _backward_minimum_rhs",
    "operands repeated",
    NULL,
    { "f32[2,3]", "f32[2,1] 0.5..2", "f32[3] 0.6..2.1" } },
  { 0 },
};

static HybTensor *
run (const char *op)
{
  return op_run (op, NULL, op_tensor ("f32[3]", 1., 2., 3.), op_tensor ("f32[3]", 1., 2., 3.),
                 op_tensor ("f32[3]", 0., 2., 4.), NULL);
}

static void
test_the_left_operand_wins_ties (void)
{
  g_autoptr (HybTensor) a = run ("_backward_maximum_lhs");
  g_autoptr (HybTensor) b = run ("_backward_maximum_rhs");
  g_autoptr (HybTensor) c = run ("_backward_minimum_lhs");
  g_autoptr (HybTensor) d = run ("_backward_minimum_rhs");

  op_assert_near (a, 0, 1., 2., 0.);
  op_assert_near (b, 0, 0., 0., 3.);
  op_assert_near (c, 0, 0., 2., 3.);
  op_assert_near (d, 0, 1., 0., 0.);
}

TEST_PROGRAM (test_binary_gradient)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("binary-gradient", hyb_ops_binary_gradient, samples, NULL);
  g_test_add_func ("/engine/ops/binary-gradient/the-left-operand-wins-ties",
                   test_the_left_operand_wins_ties);

  return g_test_run ();
}
