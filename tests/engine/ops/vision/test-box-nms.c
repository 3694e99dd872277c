/* test-box-nms.c — box_nms and box_iou: the checks of op-check.h on samples and refusals;
 * conversion of formats, the background class.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <string.h>

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

/* Overlap of two boxes of corners, by the definition. */
static double
overlap (const float *a, const float *b)
{
  double width = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  double height = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  double common = MAX (width, 0) * MAX (height, 0);

  return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common);
}

/* Many boxes on a grid, scores that occur several times, classes or none, and the best of them only: the same boxes as
 * by the definition, best first. */
static void
check_many (gint64 n, gint64 n_best, gboolean by_class)
{
  HybType type = { hyb_shape_2d (n, 6), HYB_F32 };
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree char *attributes =
      g_strdup_printf ("overlap_thresh=0.413 topk=%d id_index=%d", (int) n_best, by_class ? 0 : -1);
  float *boxes = hyb_tensor_get_data (x);
  gint64 n_seen = 0, n_scores = 1 + n / 3;

  for (gint64 i = 0; i < n; i++)
    {
      float left = (float) (i * 7 % 23), top = (float) (i * 5 % 19);
      float row[6] = { (float) (i % 3),
                       (float) (1 + i * 11 % n_scores),
                       left,
                       top,
                       left + 3 + (float) (i % 4),
                       top + 4 + (float) (i % 3) };

      memcpy (boxes + i * 6, row, sizeof row);
    }
  for (gint64 score = n_scores; score > 0; score--)
    for (gint64 i = 0; i < n; i++)
      {
        gboolean is_dropped = FALSE;

        if ((gint64) boxes[i * 6 + 1] != score || (n_best > 0 && n_seen++ >= n_best))
          continue;
        for (guint k = 0; k < kept->len && !is_dropped; k++)
          {
            const float *other = boxes + g_array_index (kept, gint64, k) * 6;

            is_dropped = (!by_class || other[0] == boxes[i * 6]) &&
                         overlap (other + 2, boxes + i * 6 + 2) > 0.413;
          }
        if (!is_dropped)
          g_array_append_val (kept, i);
      }
  y = op_run ("_contrib_box_nms", attributes, hyb_tensor_ref (x), NULL);
  for (gint64 i = 0; i < n * 6; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (y, i), ==,
                       i / 6 < kept->len
                           ? (double) boxes[g_array_index (kept, gint64, i / 6) * 6 + i % 6]
                           : -1);
}

static void
test_many_boxes (void)
{
  static const gint64 sizes[] = { 1, 2, 33, 257, 900 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gint64 n_best = -1; n_best < 80; n_best += n_best < 0 ? 2 : 39)
      {
        check_many (sizes[i], n_best, FALSE);
        check_many (sizes[i], n_best, TRUE);
      }
}

TEST_PROGRAM (test_box_nms)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("box-nms", hyb_ops_box_nms, samples, refusals);
  g_test_add_func ("/engine/ops/box-nms/formats-are-converted", test_formats_are_converted);
  g_test_add_func ("/engine/ops/box-nms/boxes-of-class-minus-one-are-background",
                   test_boxes_of_class_minus_one_are_background);
  g_test_add_func ("/engine/ops/box-nms/many-boxes-are-selected-as-by-the-definition",
                   test_many_boxes);

  return g_test_run ();
}
