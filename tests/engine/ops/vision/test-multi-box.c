/* test-multi-box.c — MultiBoxPrior and MultiBoxDetection: the checks of op-check.h on samples and
 * refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_MultiBoxPrior", "one box a cell", NULL, { "f32[1,3,2,3]" } },
  { "_contrib_MultiBoxPrior",
    "several, cut off",
    "sizes=(0.5, 0.25) ratios=(1, 2, 0.5) clip=True steps=(0.4, 0.3) offsets=(0.2, 0.7)",
    { "f32[1,2,2,2]" } },
  { "_contrib_MultiBoxDetection",
    "all",
    NULL,
    { "f32[2,3,3] 0..1", "f32[2,12]",
      "f32[1,3,4] = 0.1,0.1,0.5,0.5,0.2,0.1,0.6,0.5,0.5,0.5,0.9,0.9" } },
  { "_contrib_MultiBoxDetection",
    "the best one sorted",
    "nms_topk=1 force_suppress=True clip=False threshold=0.4",
    { "f32[2,3,3] 0..1", "f32[2,12]",
      "f32[1,3,4] = 0.1,0.1,0.5,0.5,0.2,0.1,0.6,0.5,0.5,0.5,0.9,0.9" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_MultiBoxPrior", "no size", "sizes=()", { "f32[1,3,2,3]" }, "sizes" },
  { "_contrib_MultiBoxPrior", "ratio 0", "ratios=(0,)", { "f32[1,3,2,3]" }, "ratios" },
  { "_contrib_MultiBoxPrior", "above the cell", "offsets=(-0.1,0)", { "f32[1,3,2,3]" }, "offsets" },
  { "_contrib_MultiBoxPrior", "right of it", "offsets=(1,1.1)", { "f32[1,3,2,3]" }, "offsets" },
  { "_contrib_MultiBoxDetection",
    "offsets of another number",
    NULL,
    { "f32[1,2,3]", "f32[1,9]", "f32[1,3,4]" },
    "loc_pred: " },
  { "_contrib_MultiBoxDetection",
    "variances of another number",
    "variances=(1, 2)",
    { "f32[1,2,3]", "f32[1,12]", "f32[1,3,4]" },
    "variances" },
  { 0 },
};

TEST_PROGRAM (test_multi_box)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("multi-box", hyb_ops_multi_box, samples, refusals);

  return g_test_run ();
}
