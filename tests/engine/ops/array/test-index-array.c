/* test-index-array.c — tests of _contrib_index_array: samples and refusals for
 * op-check.h, and the example of its documentation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_index_array", "all axes", NULL, { "f32[2,3]" } },
  { "_contrib_index_array", "some axes", "axes=(1, 0, -1)", { "f32[2,3,2]" } },
  { "_contrib_index_array", "no axis", "axes=()", { "f32[2,3]" } },
  { "_contrib_index_array", "no element", NULL, { "f32[0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_index_array", "axis out of range", "axes=(2,)", { "f32[2,3]" }, "axis 2 is outside" },
  { 0 },
};

static void
test_coordinates (void)
{
  g_autoptr (HybTensor) y = op_run ("_contrib_index_array", "axes=(1, 0)",
                                    op_tensor ("f32[3,2]", 0., 0., 0., 0., 0., 0.), NULL);

  op_assert_type (y, "int64 (3, 2, 2)");
  op_assert_near (y, 0, 0., 0., 1., 0., 0., 1., 1., 1., 0., 2., 1., 2.);
}

TEST_PROGRAM (test_index_array)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("index-array", hyb_ops_index_array, samples, refusals);
  g_test_add_func ("/engine/ops/index-array/coordinates", test_coordinates);
  return g_test_run ();
}
