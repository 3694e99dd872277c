/* test-softmax-cross-entropy.c — softmax_cross_entropy: the checks of op-check.h on samples and
 * refusals; a probability of 0.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "softmax_cross_entropy", "rows", NULL, { "f32[3,4]", "f32[3] = 0,3,1" } },
  { "softmax_cross_entropy", "integer labels", NULL, { "f32[3,4]", "i32[3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "softmax_cross_entropy",
    "labels of another number",
    NULL,
    { "f32[3,4]", "f32[4]" },
    "label: " },
  { "softmax_cross_entropy", "three axes", NULL, { "f32[3,4,2]", "f32[3]" }, "2 dimensions" },
  { 0 },
};

static void
test_a_hopeless_row_stays_finite (void)
{
  g_autoptr (HybTensor) y =
      op_run ("softmax_cross_entropy", NULL, op_tensor ("f32[1,2]", 1000., 0.),
              op_tensor ("f32[1]", 1.), NULL);

  op_assert_near (y, 1e-5, 18.420681);
}

TEST_PROGRAM (test_softmax_cross_entropy)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("softmax-cross-entropy", hyb_ops_softmax_cross_entropy, samples, refusals);
  g_test_add_func ("/engine/ops/softmax-cross-entropy/a-hopeless-row-stays-finite",
                   test_a_hopeless_row_stays_finite);

  return g_test_run ();
}
