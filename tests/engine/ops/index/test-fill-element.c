/* test-fill-element.c — tests of fill_element_0index, _scatter_set_nd and _sparse_retain: samples and refusals for
 * op-check.h, and indices at and beyond the edge.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "fill_element_0index", "plain", NULL, { "f32[2,3]", "f32[2]", "f32[2] = 2,0" } },
  { "fill_element_0index", "integers", NULL, { "i32[2,3]", "i32[2]", "i64[2] = 2,0" } },
  { "_scatter_set_nd",
    "elements",
    "shape=(3, 4)",
    { "f32[3,4]", "f32[3]", "i32[2,3] = 0,2,1,3,0,1" } },
  { "_scatter_set_nd", "rows", "shape=(4, 2)", { "f32[4,2]", "f32[2,2]", "f32[1,2] = 3,1" } },
  { "_sparse_retain", "rows", NULL, { "f32[3,2]", "i64[2] = 2,0" } },
  { "_sparse_retain", "nothing", NULL, { "f32[3,2]", "i64[0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "fill_element_0index",
    "beyond the row",
    NULL,
    { "f32[2,3]", "f32[2]", "f32[2] = 2,3" },
    "index 3 is outside of axis 1" },
  { "fill_element_0index",
    "negative",
    NULL,
    { "f32[2,3]", "f32[2]", "f32[2] = -1,0" },
    "index -1 is outside of axis 1" },
  { "fill_element_0index",
    "other rows",
    NULL,
    { "f32[2,3]", "f32[3]", "f32[3]" },
    "the numbers of rows" },
  { "_scatter_set_nd",
    "beyond an axis",
    "shape=(2, 2)",
    { "f32[2,2]", "f32[2]", "i64[2,2] = 0,1,1,2" },
    "index 2 is outside of axis 1" },
  { "_scatter_set_nd",
    "other shape",
    "shape=(3, 2)",
    { "f32[2,2]", "f32[2]", "i64[2,2] = 0" },
    "does not match" },
  { "_scatter_set_nd",
    "too many coordinates",
    "shape=(2,)",
    { "f32[2]", "f32[2]", "i64[2,2] = 0" },
    "2 coordinates cannot select" },
  { "_sparse_retain",
    "beyond the rows",
    NULL,
    { "f32[3,2]", "i64[1] = 3" },
    "index 3 is outside of axis 0" },
  { "_sparse_retain", "scalar", NULL, { "f32[]", "i64[1] = 0" }, "has no rows" },
  { 0 },
};

/* The examples of MXNet's documentation. */
static void
test_elements_are_replaced (void)
{
  g_autoptr (HybTensor) filled =
      op_run ("fill_element_0index", NULL, op_tensor ("f32[2,3]", 0., 0., 0., 0., 0., 0.),
              op_tensor ("f32[2]", 5., 6.), op_tensor ("f32[2]", 2., 0.), NULL);
  g_autoptr (HybTensor) set =
      op_run ("_scatter_set_nd", "shape=(2, 2)", op_tensor ("f32[2,2]", 1., 1., 1., 1.),
              op_tensor ("f32[3]", 2., 3., 0.), op_tensor ("i64[2,3]", 1., 1., 0., 0., 1., 0.),
              NULL);
  g_autoptr (HybTensor) kept =
      op_run ("_sparse_retain", NULL, op_tensor ("f32[3,2]", 1., 2., 3., 4., 5., 6.),
              op_tensor ("i64[2]", 0., 2.), NULL);

  op_assert_near (filled, 0, 0., 0., 5., 6., 0., 0.);
  op_assert_near (set, 0, 0., 1., 2., 3.);
  op_assert_near (kept, 0, 1., 2., 0., 0., 5., 6.);
}

TEST_PROGRAM (test_fill_element)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("fill-element", hyb_ops_fill_element, samples, refusals);
  g_test_add_func ("/engine/ops/fill-element/elements-are-replaced", test_elements_are_replaced);
  return g_test_run ();
}
