/* test-crop.c — Crop: the checks of op-check.h on samples and refusals; center_crop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Crop", "given window", "num_args=1 h_w=(2,3) offset=(1,1)", { "f32[1,2,4,5]" } },
  { "Crop", "middle", "num_args=1 h_w=(2,2) center_crop=True", { "f32[1,1,5,4]" } },
  { "Crop", "like another", "num_args=2 offset=(2,1)", { "f32[2,1,4,4]", "f32[2,3,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Crop",
    "beyond the edge",
    "num_args=1 h_w=(4,2) offset=(2,0)",
    { "f32[1,1,5,5]" },
    "a window of 4 cells from 2 on does not fit the 5 cells" },
  { "Crop", "no size", "num_args=1", { "f32[1,1,5,5]" }, "0 cells" },
  { 0 },
};

static void
test_the_middle_is_in_the_middle (void)
{
  g_autoptr (HybTensor) y = op_run ("Crop", "num_args=1 h_w=(1,1) center_crop=True",
                                    op_tensor ("f32[1,1,1,5]", 1., 2., 3., 4., 5.), NULL);

  op_assert_near (y, 0, 3.);
}

TEST_PROGRAM (test_crop)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("crop", hyb_ops_crop, samples, refusals);
  g_test_add_func ("/engine/ops/crop/the-middle-is-in-the-middle",
                   test_the_middle_is_in_the_middle);

  return g_test_run ();
}
