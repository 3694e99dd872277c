/* test-box-nms.c — box_nms and box_iou: the checks of op-check.h on samples and refusals;
 * conversion of formats, the background class.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_box_iou", "corners", NULL, { "f32[2,3,4] 0..1", "f32[2,4] 0..1" } },
  { "_contrib_box_iou", "centres", "format=center", { "f32[2,4] 0.1..1", "f32[4] 0.1..1" } },
  { "_contrib_box_nms",
    "by class, which a small step changes",
    "id_index=0",
    { "f32[1,4,6] = "
      "0,0.9,0.1,0.1,0.5,0.5,0,0.7,0.12,0.1,0.5,0.5,1,0.8,0.1,0.12,0.5,0.5,0,0.2,0.6,0.6,0.9,0.9" },
    OP_SKIP_GRADIENT },
  { "_contrib_box_nms",
    "best two",
    "topk=2 force_suppress=True valid_thresh=0.3 in_format=center out_format=center",
    { "f32[1,4,6] = "
      "0,0.9,0.1,0.1,0.5,0.5,0,0.7,0.12,0.1,0.5,0.5,1,0.8,0.1,0.12,0.5,0.5,0,0.2,0.6,0.6,0.9,0."
      "9" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_box_nms", "rows too short", "coord_start=3", { "f32[1,4,6]" }, "needs 7" },
  { "_contrib_box_nms",
    "the score is a coordinate",
    "coord_start=1",
    { "f32[1,4,6]" },
    "the score (1)" },
  { "_contrib_box_nms",
    "the score is the last coordinate",
    "score_index=5",
    { "f32[1,4,6]" },
    "the score (5)" },
  { "_contrib_box_nms",
    "the class is a coordinate",
    "id_index=2",
    { "f32[1,4,6]" },
    "the class (2)" },
  { "_contrib_box_nms", "the class is the score", "id_index=1", { "f32[1,4,6]" }, "the class (1)" },
  { "_contrib_box_iou", "boxes of five numbers", NULL, { "f32[2,5]", "f32[2,4]" }, "lhs: " },
  { 0 },
};

static void
test_formats_are_converted (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_box_nms", "out_format=center score_index=0 coord_start=1",
              op_tensor ("f32[2,5]", 0.5, 1., 2., 3., 6., 0., 0., 0., 1., 1.), NULL);

  op_assert_near (y, 1e-6, 0.5, 2., 4., 2., 4., -1., -1., -1., -1., -1.);
}

static void
test_boxes_of_class_minus_one_are_background (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_box_nms", "id_index=0",
              op_tensor ("f32[2,6]", -1., 0.9, 0., 0., 1., 1., 2., 0.5, 3., 3., 4., 4.), NULL);

  op_assert_near (y, 1e-6, 2., 0.5, 3., 3., 4., 4., -1., -1., -1., -1., -1., -1.);
}

TEST_PROGRAM (test_box_nms)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("box-nms", hyb_ops_box_nms, samples, refusals);
  g_test_add_func ("/engine/ops/box-nms/formats-are-converted", test_formats_are_converted);
  g_test_add_func ("/engine/ops/box-nms/boxes-of-class-minus-one-are-background",
                   test_boxes_of_class_minus_one_are_background);

  return g_test_run ();
}
