/* test-scatter-combine.c — tests of _scatter_combine: samples and refusals for op-check.h, and repeated indices.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_scatter_combine",
    "rows",
    "reduction=mul",
    { "f32[4,2]", "i64[3] = 3,1,3", "f32[3,2]" },
    OP_SKIP_GRADIENT },
  { "_scatter_combine",
    "smaller",
    "reduction=min",
    { "f64[4]", "i64[2] = 0,2", "f64[2]" },
    OP_SKIP_GRADIENT },
  { "_scatter_combine",
    "larger",
    "reduction=max",
    { "i32[4]", "i32[2] = 0,2", "i32[2]" },
    OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_scatter_combine",
    "updates of another size",
    "reduction=min",
    { "f32[4,2]", "i64[2]", "f32[2,3]" },
    "the updates: " },
  { "_scatter_combine",
    "an index outside",
    "reduction=max",
    { "f32[2]", "i64[2] = 1,2", "f32[2]" },
    "index 2 is outside of axis 0" },
  { 0 },
};

static void
assert_combined (const char *reduction, double first, double last)
{
  g_autoptr (HybTensor) y =
      op_run ("_scatter_combine", reduction, op_tensor ("f32[3]", 2., 3., 4.),
              op_tensor ("i64[4]", 0., 2., 0., 2.), op_tensor ("f32[4]", 5., -1., 1., 7.), NULL);

  op_assert_near (y, 0, first, 3., last);
}

static void
test_repeated_indices (void)
{
  assert_combined ("reduction=mul", 10, -28);
  assert_combined ("reduction=min", 1, -1);
  assert_combined ("reduction=max", 5, 7);
}

static void
test_nan_stays (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_scatter_combine", "reduction=max", op_tensor ("f32[2]", NAN, 1.),
              op_tensor ("i64[2]", 0., 1.), op_tensor ("f32[2]", 5., NAN), NULL);

  g_assert_true (isnan (hyb_tensor_get_value (y, 0)));
  g_assert_true (isnan (hyb_tensor_get_value (y, 1)));
}

TEST_PROGRAM (test_scatter_combine)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("scatter-combine", hyb_ops_scatter_combine, samples, refusals);
  g_test_add_func ("/engine/ops/scatter-combine/repeated-indices", test_repeated_indices);
  g_test_add_func ("/engine/ops/scatter-combine/nan-stays", test_nan_stays);
  return g_test_run ();
}
