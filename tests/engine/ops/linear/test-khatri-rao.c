/* test-khatri-rao.c — tests of khatri_rao: samples and refusals for
 * op-check.h, and the example of its documentation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "khatri_rao", "two", "num_args=2", { "f32[2,3]", "f32[4,3]" } },
  { "khatri_rao", "three", "num_args=3", { "f32[2,3]", "f32[1,3]", "f32[3,3]" } },
  { "khatri_rao", "one", "num_args=1", { "f32[2,3]" } },
  { "khatri_rao", "no row", "num_args=2", { "f32[2,3]", "f32[0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "khatri_rao",
    "other columns",
    "num_args=2",
    { "f32[2,3]", "f32[4,2]" },
    "the numbers of columns" },
  { "khatri_rao", "no matrix", "num_args=1", { "f32[3]" }, "2 dimensions" },
  { 0 },
};

static void
test_columns_are_multiplied (void)
{
  g_autoptr (HybTensor) y =
      op_run ("khatri_rao", "num_args=2", op_tensor ("f32[2,2]", 1., -1., 2., -3.),
              op_tensor ("f32[3,2]", 1., 4., 2., 5., 3., 6.), NULL);

  op_assert_near (y, 0, 1., -4., 2., -5., 3., -6., 2., -12., 4., -15., 6., -18.);
}

TEST_PROGRAM (test_khatri_rao)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("khatri-rao", hyb_ops_khatri_rao, samples, refusals);
  g_test_add_func ("/engine/ops/khatri-rao/columns-are-multiplied", test_columns_are_multiplied);
  return g_test_run ();
}
