/* test-pairwise-coupling.c — tests of _pairwise_coupling: samples and refusals for op-check.h, and probabilities.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_pairwise_coupling", "two classes", "num_classes=2", { "f32[3,1]" }, OP_SKIP_GRADIENT },
  { "_pairwise_coupling", "four classes", "num_classes=4", { "f32[2,6]" }, OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_pairwise_coupling", "one class", "num_classes=1", { "f32[2,0]" }, "num_classes is 1" },
  { "_pairwise_coupling", "columns", "num_classes=3", { "f32[2,2]" }, "does not match" },
  { 0 },
};

/* Pairs that agree about the probabilities 0.5, 0.3 and 0.2 give them, as near as the rounds end. */
static void
test_agreeing_pairs (void)
{
  g_autoptr (HybTensor) p = op_run ("_pairwise_coupling", "num_classes=3",
                                    op_tensor ("f32[1,3]", 0.5 / 0.8, 0.5 / 0.7, 0.3 / 0.5), NULL);
  g_autoptr (HybTensor) even =
      op_run ("_pairwise_coupling", "num_classes=3", op_tensor ("f32[1,3]", 0.5, 0.5, 0.5), NULL);

  op_assert_near (p, 5e-3, 0.5, 0.3, 0.2);
  op_assert_near (even, 1e-6, 1. / 3, 1. / 3, 1. / 3);
}

TEST_PROGRAM (test_pairwise_coupling)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("pairwise-coupling", hyb_ops_pairwise_coupling, samples, refusals);
  g_test_add_func ("/engine/ops/pairwise-coupling/agreeing-pairs", test_agreeing_pairs);
  return g_test_run ();
}
