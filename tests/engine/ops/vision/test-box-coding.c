/* test-box-coding.c — box_encode and box_decode: the checks of op-check.h on samples and refusals;
 * matches that are no rows of refs; each is the inverse of the other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_contrib_box_decode", "centres", NULL, { "f32[2,3,4]", "f32[1,3,4] 0.5..2" } },
  { "_contrib_box_decode",
    "corners, clipped",
    "format=corner std0=0.1 std1=0.1 std2=0.2 std3=0.2 clip=0.1",
    { "f32[1,2,4]", "f32[1,2,4] = 0,0,1,1,0.5,0.5,2,3" } },
  { "_contrib_box_decode",
    "anchors of four dimensions",
    NULL,
    { "f32[1,6,4]", "f32[1,2,3,4]" },
    OP_OTHER_SHAPE },
  { "_contrib_box_encode",
    "some chosen",
    NULL,
    { "f32[2,3] = 1,0,1,0,0,1", "f32[2,3] = 0,1,1,0,-1,0",
      "f32[2,3,4] = 0,0,1,1,0,0,2,2,1,1,3,2,0,0,1,1,0,0,2,2,1,1,3,2",
      "f32[2,2,4] = 0,0,2,2,1,1,2,3,0,0,2,2,1,1,2,3", "f32[4] = 0,0.1,0,0",
      "f32[4] = 0.1,0.1,0.2,0.2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_box_decode",
    "boxes of five numbers",
    NULL,
    { "f32[1,2,5]", "f32[1,2,4]" },
    "data: " },
  { "_contrib_box_decode",
    "anchors for each sample",
    NULL,
    { "f32[2,3,4]", "f32[2,3,4]" },
    "share one set of anchors" },
  { "_contrib_box_decode",
    "another number of anchors",
    NULL,
    { "f32[2,3,4]", "f32[1,1,5,4]" },
    "the numbers of anchors and boxes" },
  { "_contrib_box_decode", "flat anchors", NULL, { "f32[2,3,4]", "f32[3,4]" }, "anchors" },
  { "_contrib_box_encode",
    "three means",
    NULL,
    { "f32[1,2]", "f32[1,2]", "f32[1,2,4]", "f32[1,1,4]", "f32[3]", "f32[4]" },
    "means: " },
  { "_contrib_box_encode",
    "another number of matches",
    NULL,
    { "f32[1,2]", "f32[1,3]", "f32[1,2,4]", "f32[1,1,4]", "f32[4]", "f32[4]" },
    "anchors: " },
  { 0 },
};

/* An index behind the last row, and one before the first, must not be read. */
static void
test_a_match_outside_refs_gives_nan (void)
{
  g_autoptr (HybTensor) targets =
      op_run ("_contrib_box_encode", NULL, op_tensor ("f32[1,3]", 1., 1., 0.),
              op_tensor ("f32[1,3]", 1., -1., 7.),
              op_tensor_from_text ("f32[1,3,4] = 0,0,1,1,0,0,1,1,0,0,1,1", 0),
              op_tensor ("f32[1,1,4]", 0., 0., 1., 1.), op_tensor ("f32[4]", 0., 0., 0., 0.),
              op_tensor ("f32[4]", 1., 1., 1., 1.), NULL);

  op_assert_near (targets, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0., 0., 0., 0.);
}

static void
test_decoding_gives_the_encoded_boxes (void)
{
  HybTensor *anchors = op_tensor ("f64[1,2,4]", 0., 0., 1., 1., 2., 1., 5., 3.);
  HybTensor *boxes = op_tensor ("f64[1,2,4]", 0.3, 0.1, 1.7, 0.9, 2.5, 2., 4., 7.);
  HybTensor *offsets =
      op_run ("_contrib_box_encode", NULL, op_tensor ("f64[1,2]", 1., 1.),
              op_tensor ("f64[1,2]", 0., 1.), hyb_tensor_ref (anchors), hyb_tensor_ref (boxes),
              op_tensor ("f64[4]", 0., 0., 0., 0.), op_tensor ("f64[4]", 0.1, 0.1, 0.2, 0.2), NULL);
  g_autoptr (HybTensor) decoded =
      op_run ("_contrib_box_decode", "std0=0.1 std1=0.1 std2=0.2 std3=0.2 format=corner", offsets,
              anchors, NULL);

  op_assert_same (decoded, boxes, 1e-7);
  hyb_tensor_unref (boxes);
}

TEST_PROGRAM (test_box_coding)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("box-coding", hyb_ops_box_coding, samples, refusals);
  g_test_add_func ("/engine/ops/box-coding/a-match-outside-refs-gives-nan",
                   test_a_match_outside_refs_gives_nan);
  g_test_add_func ("/engine/ops/box-coding/decoding-gives-the-encoded-boxes",
                   test_decoding_gives_the_encoded_boxes);

  return g_test_run ();
}
