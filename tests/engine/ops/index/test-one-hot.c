/* test-one-hot.c — tests of one_hot: samples and refusals for op-check.h, and that an index outside of
 * the row sets no element.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "one_hot", "plain", "depth=4", { "f32[3] = 0,3,1" } },
  { "one_hot", "values", "depth=3 on_value=5 off_value=-1", { "i32[2] = 2,0" } },
  { "one_hot", "table", "depth=3 dtype=float16", { "f32[2,2] = 0,1,2,1" } },
  { "one_hot", "no depth", "depth=0", { "f32[2] = 0,1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "one_hot", "negative depth", "depth=-1", { "f32[2]" }, "depth" },
  { 0 },
};

static void
test_indices_outside_set_nothing (void)
{
  g_autoptr (HybTensor) y = op_run ("one_hot", "depth=2 on_value=3 off_value=1 dtype=int32",
                                    op_tensor ("f32[4]", -1., 2., 1.9, -0.5), NULL);

  op_assert_type (y, "int32 (4, 2)");
  op_assert_near (y, 0, 1., 1., 1., 1., 1., 3., 3., 1.);
}

TEST_PROGRAM (test_one_hot)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("one-hot", hyb_ops_one_hot, samples, refusals);
  g_test_add_func ("/engine/ops/one-hot/indices-outside-set-nothing",
                   test_indices_outside_set_nothing);

  return g_test_run ();
}
