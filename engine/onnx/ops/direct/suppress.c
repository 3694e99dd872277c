/* suppress.c — NonMaxSuppression: the best boxes of each class, without boxes that overlap a better one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/direct.h"

#include <math.h>

/* One box by its corners. */
typedef struct
{
  double left, right, top, bottom;
} Box;

/* A candidate of one class. */
typedef struct
{
  double score;
  gint64 box;
} Candidate;

typedef struct
{
  gint64           n_batches, n_classes, n_boxes, limit;
  double           overlap, threshold; /* threshold −∞: none */
  gboolean         is_centred;
  const HybTensor *boxes, *scores;
} Suppression;

static Box
read_box (const Suppression *suppression, gint64 batch, gint64 number)
{
  double v[4];

  for (int i = 0; i < 4; i++)
    v[i] =
        hyb_tensor_get_value (suppression->boxes, (batch * suppression->n_boxes + number) * 4 + i);
  if (suppression->is_centred)
    return (Box){ v[0] - v[2] / 2, v[0] + v[2] / 2, v[1] - v[3] / 2, v[1] + v[3] / 2 };
  return (Box){ MIN (v[1], v[3]), MAX (v[1], v[3]), MIN (v[0], v[2]), MAX (v[0], v[2]) };
}

static double
area (const Box *box)
{
  return (box->right - box->left) * (box->bottom - box->top);
}

/* The part of both boxes that both cover; 0 if a box has no area. */
static double
find_overlap (const Box *a, const Box *b)
{
  double width = MIN (a->right, b->right) - MAX (a->left, b->left);
  double height = MIN (a->bottom, b->bottom) - MAX (a->top, b->top);
  double both = width * height;

  if (width <= 0 || height <= 0 || area (a) <= 0 || area (b) <= 0)
    return 0;
  return both / (area (a) + area (b) - both);
}

/* Best first; ties prefer the smaller number. */
static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;

  if (x->score != y->score)
    return x->score > y->score ? -1 : 1;
  return x->box < y->box ? -1 : x->box > y->box;
}

static GArray *
list_candidates (const Suppression *suppression, gint64 batch, gint64 class)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Candidate));
  gint64  first = (batch * suppression->n_classes + class) * suppression->n_boxes;

  for (gint64 i = 0; i < suppression->n_boxes; i++)
    {
      Candidate candidate = { hyb_tensor_get_value (suppression->scores, first + i), i };

      if (candidate.score > suppression->threshold)
        g_array_append_val (list, candidate);
    }
  g_array_sort (list, compare_candidates);
  return list;
}

/* Appends batch, class and number of each box that is kept. */
static void
select_boxes (const Suppression *suppression, gint64 batch, gint64 class, GArray *selected)
{
  g_autoptr (GArray) candidates = list_candidates (suppression, batch, class);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (Box));

  for (guint i = 0; i < candidates->len && kept->len < suppression->limit; i++)
    {
      gint64   number = g_array_index (candidates, Candidate, i).box;
      Box      box = read_box (suppression, batch, number);
      gint64   row[] = { batch, class, number };
      gboolean is_kept = TRUE;

      for (guint k = 0; k < kept->len && is_kept; k++)
        is_kept = !(find_overlap (&box, &g_array_index (kept, Box, k)) > suppression->overlap);
      if (!is_kept)
        continue;
      g_array_append_val (kept, box);
      g_array_append_vals (selected, row, 3);
    }
}

static gboolean
read_suppression (Suppression      *suppression,
                  const HybCall    *call,
                  HybTensor *const *inputs,
                  GError          **error)
{
  const HybTensor *boxes = onnx_direct_input (call, inputs, 0);
  const HybTensor *scores = onnx_direct_input (call, inputs, 1);
  const HybShape  *box_shape = hyb_tensor_get_shape (boxes);
  const HybShape  *score_shape = hyb_tensor_get_shape (scores);

  if (!boxes || !scores || box_shape->rank != 3 || score_shape->rank != 3 ||
      box_shape->dim[2] != 4 || score_shape->dim[0] != box_shape->dim[0] ||
      score_shape->dim[2] != box_shape->dim[1])
    return onnx_direct_refuse (error, "its scores do not fit its boxes");
  *suppression = (Suppression){
    .n_batches = box_shape->dim[0],
    .n_classes = score_shape->dim[1],
    .n_boxes = box_shape->dim[1],
    .limit = (gint64) CLAMP (onnx_direct_number (call, inputs, 2, 0), 0, 1e15),
    .overlap = onnx_direct_number (call, inputs, 3, 0),
    .threshold = onnx_direct_number (call, inputs, 4, -INFINITY),
    .is_centred = onnx_direct_int (call, "center_point_box", 0) != 0,
    .boxes = boxes,
    .scores = scores,
  };
  return TRUE;
}

static gboolean
compute_suppression (HybCall          *call,
                     const HybRun     *run,
                     HybTensor *const *inputs,
                     HybTensor       **outputs,
                     GError          **error)
{
  g_autoptr (GArray) selected = g_array_new (FALSE, FALSE, sizeof (gint64));
  Suppression suppression = { 0 };

  if (!read_suppression (&suppression, call, inputs, error))
    return FALSE;
  for (gint64 batch = 0; batch < suppression.n_batches; batch++)
    for (gint64 class = 0; class < suppression.n_classes; class ++)
      select_boxes (&suppression, batch, class, selected);
  outputs[0] = onnx_direct_ints (selected, 3, error);
  return outputs[0] != NULL;
}

static void
lower_suppression (HybLowering *lowering)
{
  HybType type = { hyb_shape_2d (HYB_UNKNOWN, 3), HYB_I64 };

  hyb_lowering_set_type (lowering, 0, &type);
}

static const char *const inputs[] = {
  "boxes", "scores", "max_output_boxes_per_class", "iou_threshold", "score_threshold", NULL
};
static const char *const outputs[] = { "selected_indices", NULL };

const HybOnnxOp hyb_onnx_ops_suppress[] = {
  { .op = { HYB_ONNX_BODIES_ROW, .name = "NonMaxSuppression",
            .doc = "The best boxes of each class, without boxes that overlap a better one.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = inputs, .outputs = outputs,
            .lower = lower_suppression, .compute = compute_suppression },
    .since = 10 },
  { .since = 0 },
};
