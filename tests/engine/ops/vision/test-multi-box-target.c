/* test-multi-box-target.c — MultiBoxTarget: the checks of op-check.h on samples and refusals;
 * samples without boxes; more negatives wanted than there are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define ANCHORS "f32[1,3,4] = 0.1,0.1,0.5,0.5,0.2,0.1,0.6,0.5,0.5,0.5,0.9,0.9"
#define LABELS  "f32[2,2,5] = 1,0.1,0.1,0.5,0.55,0,0.5,0.5,1,1,2,0.2,0.2,0.6,0.6,-1,-1,-1,-1,-1"

static const OpSample samples[] = {
  { "_contrib_MultiBoxTarget", "all negatives", NULL, { ANCHORS, LABELS, "f32[2,3,3]" } },
  { "_contrib_MultiBoxTarget",
    "mined negatives",
    "negative_mining_ratio=1 overlap_threshold=0.7 ignore_label=-5 variances=(1, 1, 1, 1)",
    { ANCHORS, LABELS, "f32[2,3,3]" } },
  { "_contrib_MultiBoxTarget",
    "only the best anchors",
    "overlap_threshold=0",
    { ANCHORS, LABELS, "f32[2,3,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_MultiBoxTarget",
    "labels without boxes",
    NULL,
    { "f32[1,3,4]", "f32[2,2,4]", "f32[2,3,3]" },
    "the number of columns of label is 4" },
  { "_contrib_MultiBoxTarget",
    "no label",
    NULL,
    { "f32[1,3,4]", "f32[2,0,5]", "f32[2,3,3]" },
    "the number of boxes in label is 0" },
  { "_contrib_MultiBoxTarget",
    "scores of other anchors",
    NULL,
    { "f32[1,3,4]", "f32[2,2,5]", "f32[2,3,4]" },
    "cls_pred: " },
  { "_contrib_MultiBoxTarget",
    "mining in another batch",
    "negative_mining_ratio=3",
    { "f32[1,3,4]", "f32[2,2,5]", "f32[1,3,3]" },
    "the batch sizes" },
  { "_contrib_MultiBoxTarget",
    "mining below no overlap",
    "negative_mining_ratio=3 negative_mining_thresh=0",
    { "f32[1,3,4]", "f32[2,2,5]", "f32[2,3,3]" },
    "negative_mining_thresh is 0" },
  { "_contrib_MultiBoxTarget",
    "three variances",
    "variances=(1, 1, 1)",
    { "f32[1,3,4]", "f32[2,2,5]", "f32[2,3,3]" },
    "variances has 3 numbers" },
  { 0 },
};

static HybTensor *
classes_of (const char *attributes, const char *labels)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;

  g_ptr_array_add (inputs, op_tensor_from_text (ANCHORS, 0));
  g_ptr_array_add (inputs, op_tensor_from_text (labels, 1));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,2,3]", 2));
  outputs = op_run_all ("_contrib_MultiBoxTarget", attributes, FALSE, inputs);
  return hyb_tensor_ref (outputs->pdata[2]);
}

static void
test_a_sample_without_boxes_is_ignored (void)
{
  g_autoptr (HybTensor) classes = classes_of ("ignore_label=-3", "f32[1,1,5] = -1");

  op_assert_near (classes, 0, -3., -3., -3.);
}

/* Two negatives per positive would be two, and one of the two other anchors overlaps too much. */
static void
test_no_more_negatives_than_candidates_are_mined (void)
{
  g_autoptr (HybTensor) classes =
      classes_of ("negative_mining_ratio=2 overlap_threshold=0.9 negative_mining_thresh=0.3",
                  "f32[1,1,5] = 4,0.1,0.1,0.5,0.5");

  op_assert_near (classes, 0, 5., -1., 0.);
}

TEST_PROGRAM (test_multi_box_target)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("multi-box-target", hyb_ops_multi_box_target, samples, refusals);
  g_test_add_func ("/engine/ops/multi-box-target/a-sample-without-boxes-is-ignored",
                   test_a_sample_without_boxes_is_ignored);
  g_test_add_func ("/engine/ops/multi-box-target/no-more-negatives-than-candidates-are-mined",
                   test_no_more_negatives_than_candidates_are_mined);

  return g_test_run ();
}
