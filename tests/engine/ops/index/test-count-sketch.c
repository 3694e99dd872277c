/* test-count-sketch.c — tests of _contrib_count_sketch: samples and refusals for
 * op-check.h, and the example of its documentation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_count_sketch",
    "rows",
    "out_dim=3",
    { "f32[2,4]", "f32[1,4] = 0,2,2,1", "f32[1,4] = 1,-1,1,1" } },
  { "_contrib_count_sketch",
    "images",
    "out_dim=2",
    { "f32[1,2,2,3]", "f32[1,3] = 0,1,1", "f32[1,3] = 1,-1,-1" } },
  { "_contrib_count_sketch",
    "tables of several rows",
    "out_dim=2",
    { "f32[2,3]", "f32[2,3] = 0,1,1", "f32[4,3] = 1,-1,-1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_count_sketch",
    "beyond the row",
    "out_dim=3",
    { "f32[1,2]", "f32[1,2] = 0,3", "f32[1,2] = 1" },
    "index 3 is outside of axis 1" },
  { "_contrib_count_sketch",
    "short table",
    "out_dim=3",
    { "f32[1,2]", "f32[1,3]", "f32[1,2] = 1" },
    "the lengths of the rows" },
  { "_contrib_count_sketch",
    "three dimensions",
    "out_dim=3",
    { "f32[1,1,2]", "f32[1,2]", "f32[1,2]" },
    "should have 2 or 4" },
  { 0 },
};

static void
test_elements_are_added_with_their_sign (void)
{
  g_autoptr (HybTensor) y = op_run ("_contrib_count_sketch", "out_dim=5",
                                    op_tensor ("f32[2,4]", 1.2, 2.5, 3.4, 1., 3.2, 5.7, 6.6, 2.),
                                    op_tensor ("f32[1,4]", 0., 3., 4., 4.),
                                    op_tensor ("f32[1,4]", 1., -1., 1., -1.), NULL);

  op_assert_near (y, 1e-6, 1.2, 0., 0., -2.5, 2.4, 3.2, 0., 0., -5.7, 4.6);
}

TEST_PROGRAM (test_count_sketch)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("count-sketch", hyb_ops_count_sketch, samples, refusals);
  g_test_add_func ("/engine/ops/count-sketch/elements-are-added-with-their-sign",
                   test_elements_are_added_with_their_sign);
  return g_test_run ();
}
