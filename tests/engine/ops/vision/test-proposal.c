/* test-proposal.c — Proposal and MultiProposal: the checks of op-check.h on samples and refusals;
 * regions are repeated where there are too few.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define SMALL "scales=(1, 2) ratios=(1,) feature_stride=4 rpn_min_size=1 rpn_post_nms_top_n=3"

static const OpSample samples[] = {
  { "_contrib_Proposal",
    "one image",
    SMALL,
    { "f32[1,4,2,3] 0..1", "f32[1,8,2,3]", "f32[1,3] = 8,12,1" } },
  { "_contrib_Proposal",
    "with scores, corners",
    SMALL " output_score=True iou_loss=True rpn_pre_nms_top_n=4",
    { "f32[1,4,2,2] 0..1", "f32[1,8,2,2]", "f32[1,3] = 8,8,1" } },
  { "_contrib_MultiProposal",
    "two images, one padded",
    SMALL " output_score=True",
    { "f32[2,4,2,2] 0..1", "f32[2,8,2,2]", "f32[2,3] = 8,8,1,5,4,1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_Proposal",
    "two images",
    SMALL,
    { "f32[2,4,2,3]", "f32[2,8,2,3]", "f32[2,3]" },
    "use MultiProposal" },
  { "_contrib_Proposal",
    "scores of other anchors",
    SMALL,
    { "f32[1,6,2,3]", "f32[1,12,2,3]", "f32[1,3]" },
    "cls_prob: " },
  { "_contrib_MultiProposal",
    "offsets of other anchors",
    SMALL,
    { "f32[2,4,2,3]", "f32[2,4,2,3]", "f32[2,3]" },
    "bbox_pred: " },
  { "_contrib_MultiProposal",
    "no scale",
    "scales=()",
    { "f32[2,4,2,3]", "f32[2,8,2,3]", "f32[2,3]" },
    "scales has 0 numbers" },
  { 0 },
};

/* One anchor of 4 × 4 pixels in the only cell of an image, without offsets. */
static void
test_too_few_regions_are_repeated (void)
{
  g_autoptr (HybTensor) regions =
      op_run ("_contrib_Proposal",
              "scales=(1,) ratios=(1,) feature_stride=4 rpn_min_size=1 rpn_post_nms_top_n=2",
              op_tensor ("f32[1,2,1,1]", 0.3, 0.7), op_tensor ("f32[1,4,1,1]", 0., 0., 0., 0.),
              op_tensor ("f32[1,3]", 4., 4., 1.), NULL);

  op_assert_near (regions, 0, 0., 0., 0., 3., 3., 0., 0., 0., 3., 3.);
}

TEST_PROGRAM (test_proposal)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("proposal", hyb_ops_proposal, samples, refusals);
  g_test_add_func ("/engine/ops/proposal/too-few-regions-are-repeated",
                   test_too_few_regions_are_repeated);

  return g_test_run ();
}
