/* proposal.c — Proposal and MultiProposal: regions that may hold an object, from the class scores
 * and box offsets of a region proposal network.  No gradients.
 *
 * Boxes are those of Faster R-CNN: corners in pixels, both included, so a width is x2 − x1 + 1.
 * Proposal takes one image, MultiProposal several.  Start at proposal_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/kernels/rank.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64    rpn_pre_nms_top_n, rpn_post_nms_top_n, rpn_min_size, feature_stride;
  double    threshold;
  HybFloats scales, ratios;
  gboolean  output_score, iou_loss;
} ProposalParams;

static const HybParam proposal_params[] = {
  { HYB_FIELD (ProposalParams, rpn_pre_nms_top_n), HYB_PARAM_INT, "6000",
    .doc = "number of best boxes that are compared; 0 or less: all" },
  { HYB_FIELD (ProposalParams, rpn_post_nms_top_n), HYB_PARAM_INT, "300", .low = 0,
    .high = G_MAXINT32, .doc = "number of regions of each image" },
  { HYB_FIELD (ProposalParams, threshold), HYB_PARAM_FLOAT, "0.7",
    .doc = "overlap above which the worse box is suppressed" },
  { HYB_FIELD (ProposalParams, rpn_min_size), HYB_PARAM_INT, "16",
    .doc = "minimum width and height, in pixels of the unscaled image" },
  { HYB_FIELD (ProposalParams, scales), HYB_PARAM_FLOATS, "(4, 8, 16, 32)",
    .doc = "sizes of the anchors, in cells" },
  { HYB_FIELD (ProposalParams, ratios), HYB_PARAM_FLOATS, "(0.5, 1, 2)",
    .doc = "ratios of height to width of the anchors" },
  { HYB_FIELD (ProposalParams, feature_stride), HYB_PARAM_INT, "16", .low = 1, .high = G_MAXINT32,
    .doc = "pixels per cell" },
  { HYB_FIELD (ProposalParams, output_score), HYB_PARAM_BOOL, "False",
    .doc = "return the scores too" },
  { HYB_FIELD (ProposalParams, iou_loss), HYB_PARAM_BOOL, "False",
    .doc = "offsets are distances of the corners in pixels" },
  { 0 },
};

/* Most sizes and ratios; more indicate a damaged file. */
#define MAX_ANCHOR_KINDS 4096

static gboolean
proposal_check (gconstpointer values, GError **error)
{
  const ProposalParams *params = values;
  const HybFloats      *lists[] = { &params->scales, &params->ratios };
  const char *const     names[] = { "scales", "ratios" };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (lists[i]->n < 1 || lists[i]->n > MAX_ANCHOR_KINDS)
      return hyb_refuse_attribute (error, NULL, "%s has %d numbers but needs 1 to %d", names[i],
                                   MAX (lists[i]->n, 0), MAX_ANCHOR_KINDS);
  return TRUE;
}

static gint64
count_kinds (const ProposalParams *params)
{
  return (gint64) params->scales.n * params->ratios.n;
}

/* cls_prob (images, 2 · anchors, H, W), bbox_pred (images, 4 · anchors, H, W), im_info (images, 3);
 * outputs (images · regions, 5) and (images · regions, 1).  images is HYB_UNKNOWN for any number. */
static gboolean
infer_proposals (HybCall *call, gint64 images, GError **error)
{
  const ProposalParams *params = call->params;
  HybShape             *scores = &call->input[0].shape;
  HybShape             *offsets = &call->input[1].shape;
  HybShape             *info = &call->input[2].shape;
  HybShape want = hyb_shape_4d (images, 2 * count_kinds (params), HYB_UNKNOWN, HYB_UNKNOWN);

  if (!hyb_layer_expect (scores, "cls_prob", &want, error))
    return FALSE;

  want = hyb_shape_4d (scores->dim[0], 4 * count_kinds (params), scores->dim[2], scores->dim[3]);
  if (!hyb_layer_expect (offsets, "bbox_pred", &want, error))
    return FALSE;

  want = hyb_shape_2d (offsets->dim[0], 3);
  if (!hyb_layer_expect (info, "im_info", &want, error))
    return FALSE;

  want = hyb_shape_4d (info->dim[0], 2 * count_kinds (params), offsets->dim[2], offsets->dim[3]);
  if (!hyb_layer_expect (scores, "cls_prob", &want, error))
    return FALSE;

  want = hyb_shape_2d (hyb_dim_multiply (scores->dim[0], params->rpn_post_nms_top_n), 5);
  if (!hyb_layer_expect (&call->output[0].shape, "output", &want, error))
    return FALSE;

  want.dim[1] = 1;
  return hyb_layer_expect (&call->output[1].shape, "score", &want, error);
}

static gboolean
proposal_infer_shape (HybCall *call, GError **error)
{
  if (!infer_proposals (call, 1, error))
    {
      if (call->input[0].shape.rank == 4 && call->input[0].shape.dim[0] > 1)
        g_prefix_error (error, "Proposal takes one image, use MultiProposal for more: ");
      return FALSE;
    }
  return TRUE;
}

static gboolean
multi_proposal_infer_shape (HybCall *call, GError **error)
{
  return infer_proposals (call, HYB_UNKNOWN, error);
}

/* Two corners, both within the box. */
typedef struct
{
  float x1, y1, x2, y2;
} Box;

/* The proposals of one image. */
typedef struct
{
  const ProposalParams *params;
  gint64                kinds, height, width, n;
  const float          *scores;  /* of the objects: kinds × height × width */
  const float          *offsets; /* 4 · kinds × height × width */
  const float          *info;    /* height and width in pixels, scale */
  Box                  *box;     /* n = height × width × kinds, the kinds fastest */
  float                *score;
  gint64                n_compared;
  gint64               *order; /* the n_compared best boxes */
  guint8               *is_suppressed;
  HybRankEntry         *scratch;
} Image;

static gint64
count_compared (const ProposalParams *params, gint64 n)
{
  return params->rpn_pre_nms_top_n > 0 ? MIN (params->rpn_pre_nms_top_n, n) : n;
}

/* The workspace of one image: its bytes, and the parts if memory is given. */
static gsize
divide_workspace (Image *image, char *memory)
{
  gsize n = (gsize) image->n, compared = (gsize) image->n_compared, bytes = 0, box_bytes, at[4];

  if (image->n >= G_MAXINT64 / 64 || !g_size_checked_mul (&box_bytes, n, sizeof (Box)))
    return G_MAXSIZE;

  at[0] = hyb_workspace_take (&bytes, box_bytes);
  at[1] = hyb_workspace_take (&bytes, n * sizeof (float));
  at[2] = hyb_workspace_take (&bytes, compared * sizeof (gint64));
  at[3] = hyb_workspace_take (&bytes, compared);
  if (memory)
    {
      image->box = (gpointer) (memory + at[0]);
      image->score = (gpointer) (memory + at[1]);
      image->order = (gpointer) (memory + at[2]);
      image->is_suppressed = (gpointer) (memory + at[3]);
      image->scratch = (gpointer) (memory + bytes);
    }
  hyb_workspace_take (&bytes, hyb_rank_workspace (1, image->n));
  return bytes;
}

static Image
describe_image (const HybCall *call)
{
  const HybShape *shape = &call->input[0].shape;
  Image           image = {
              .params = call->params,
              .kinds = count_kinds (call->params),
              .height = shape->dim[2],
              .width = shape->dim[3],
              .n = hyb_dims_product (shape, 1, 4) / 2,
  };

  image.n_compared = count_compared (image.params, image.n);
  return image;
}

static gsize
proposal_workspace (const HybCall *call)
{
  Image image = describe_image (call);

  return divide_workspace (&image, NULL);
}

/* The anchor of this kind in the first cell.  Width and height of each ratio are rounded before they
 * are scaled. */
static Box
make_anchor (const ProposalParams *params, gint64 kind)
{
  float ratio = (float) params->ratios.value[kind / params->scales.n];
  float scale = (float) params->scales.value[kind % params->scales.n];
  float stride = (float) params->feature_stride, centre = (stride - 1) / 2;
  float width = floorf (sqrtf (floorf (stride * stride / ratio)) + 0.5f) * scale;
  float height = floorf (width / scale * ratio + 0.5f) * scale;

  return (Box){ centre - 0.5f * (width - 1), centre - 0.5f * (height - 1),
                centre + 0.5f * (width - 1), centre + 0.5f * (height - 1) };
}

/* The anchor moved and resized by its predicted offsets, before it is clipped. */
static Box
apply_offsets (const Box *anchor, const float offset[4], gboolean are_corners)
{
  float width = anchor->x2 - anchor->x1 + 1, height = anchor->y2 - anchor->y1 + 1;
  float x = anchor->x1 + (width - 1) / 2, y = anchor->y1 + (height - 1) / 2;

  if (are_corners)
    return (Box){ anchor->x1 + offset[0], anchor->y1 + offset[1], anchor->x2 + offset[2],
                  anchor->y2 + offset[3] };

  x += offset[0] * width;
  y += offset[1] * height;
  width *= expf (offset[2]);
  height *= expf (offset[3]);
  return (Box){ x - (width - 1) / 2, y - (height - 1) / 2, x + (width - 1) / 2,
                y + (height - 1) / 2 };
}

/* value within [0, limit − 1]. */
static float
clip (float value, float limit)
{
  value = limit - 1 < value ? limit - 1 : value;
  return value < 0 ? 0 : value;
}

/* Computes box and score of all anchors.  Boxes in the padding of the image or below the minimum
 * size get the score −1. */
static void
place_boxes (Image *image)
{
  const ProposalParams *params = image->params;
  gint64                cells = image->height * image->width;
  float                 stride = (float) params->feature_stride;
  float                 min_size = (float) params->rpn_min_size * image->info[2];

  for (gint64 i = 0; i < image->n; i++)
    {
      gint64 kind = i % image->kinds, cell = i / image->kinds;
      float  down = (float) (cell / image->width) * stride;
      float  across = (float) (cell % image->width) * stride;
      Box    box = make_anchor (params, kind);
      float  offset[4];

      for (int k = 0; k < 4; k++)
        offset[k] = image->offsets[(4 * kind + k) * cells + cell];
      box = (Box){ box.x1 + across, box.y1 + down, box.x2 + across, box.y2 + down };
      box = apply_offsets (&box, offset, params->iou_loss);
      box = (Box){ clip (box.x1, image->info[1]), clip (box.y1, image->info[0]),
                   clip (box.x2, image->info[1]), clip (box.y2, image->info[0]) };
      image->score[i] = image->scores[kind * cells + cell];
      if ((float) (cell / image->width) >= truncf (image->info[0] / stride) ||
          (float) (cell % image->width) >= truncf (image->info[1] / stride))
        image->score[i] = -1;
      if (box.x2 - box.x1 + 1 < min_size || box.y2 - box.y1 + 1 < min_size)
        {
          box = (Box){ box.x1 - min_size / 2, box.y1 - min_size / 2, box.x2 + min_size / 2,
                       box.y2 + min_size / 2 };
          image->score[i] = -1;
        }
      image->box[i] = box;
    }
}

static float
area (const Box *box)
{
  return (box->x2 - box->x1 + 1) * (box->y2 - box->y1 + 1);
}

/* Intersection over union. */
static float
overlap (const Box *a, const Box *b)
{
  float width = MIN (a->x2, b->x2) - MAX (a->x1, b->x1) + 1;
  float height = MIN (a->y2, b->y2) - MAX (a->y1, b->y1) + 1;
  float common = MAX (width, 0) * MAX (height, 0);

  return common / (area (a) + area (b) - common);
}

/* Drops boxes that a better one overlaps; moves the numbers of the others to the front of order and
 * returns how many there are, at most `limit`. */
static gint64
suppress (Image *image, gint64 limit)
{
  float  threshold = (float) image->params->threshold;
  gint64 n_kept = 0;

  memset (image->is_suppressed, 0, (gsize) image->n_compared);
  for (gint64 i = 0; i < image->n_compared && n_kept < limit; i++)
    {
      const Box *best = &image->box[image->order[i]];

      if (image->is_suppressed[i])
        continue;

      for (gint64 j = i + 1; j < image->n_compared; j++)
        if (!image->is_suppressed[j] && overlap (best, &image->box[image->order[j]]) > threshold)
          image->is_suppressed[j] = TRUE;
      image->order[n_kept++] = image->order[i];
    }
  return n_kept;
}

/* Writes the regions of image `number`; if there are too few they are repeated. */
static void
write_regions (Image *image, const HybRun *run, gint64 number)
{
  gint64 limit = image->params->rpn_post_nms_top_n;
  gint64 n_kept = suppress (image, MIN (limit, image->n_compared));

  for (gint64 i = 0; i < limit; i++)
    {
      float *out = (float *) run->output[0] + 5 * (number * limit + i);
      gint64 from = n_kept > 0 ? image->order[i % n_kept] : 0;

      out[0] = (float) number;
      if (n_kept > 0)
        memcpy (out + 1, &image->box[from], sizeof (Box));
      else
        memset (out + 1, 0, sizeof (Box));
      ((float *) run->output[1])[number * limit + i] = n_kept > 0 ? image->score[from] : 0;
    }
}

static void
proposal_forward (const HybCall *call, const HybRun *run)
{
  Image      image = describe_image (call);
  HybRanking ranking = { .outer = 1, .inner = 1, .dtype = HYB_F32, .index_dtype = HYB_I64 };

  divide_workspace (&image, run->workspace);
  ranking.length = image.n;
  ranking.k = image.n_compared;
  ranking.data = image.score;
  ranking.indices = image.order;
  ranking.scratch = image.scratch;

  for (gint64 i = 0; i < call->input[0].shape.dim[0]; i++)
    {
      image.scores = (const float *) run->input[0] + (2 * i + 1) * image.n;
      image.offsets = (const float *) run->input[1] + 4 * i * image.n;
      image.info = (const float *) run->input[2] + 3 * i;
      place_boxes (&image);
      if (image.n > 0)
        hyb_rank (&ranking);
      write_regions (&image, run, i);
    }
}

static guint
proposal_n_visible (gconstpointer values)
{
  const ProposalParams *params = values;

  return params->output_score ? 2 : 1;
}

static const char *const proposal_inputs[] = { "cls_prob", "bbox_pred", "im_info", NULL };
static const char *const proposal_outputs[] = { "output", "score", NULL };

#define COMMON_MEMBERS                                                                            \
  .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_NO_GRADIENT, .inputs = proposal_inputs,      \
  .outputs = proposal_outputs, .params = proposal_params, .params_size = sizeof (ProposalParams), \
  .n_visible = proposal_n_visible, .check = proposal_check, .forward = proposal_forward,          \
  .workspace = proposal_workspace

const HybOp hyb_ops_proposal[] = {
  {
      .name = "_contrib_Proposal",
      .doc = "Regions of one image that may hold an object, best first.",
      .infer_shape = proposal_infer_shape,
      COMMON_MEMBERS,
  },
  {
      .name = "_contrib_MultiProposal",
      .doc = "Regions of several images that may hold an object, best first.",
      .infer_shape = multi_proposal_infer_shape,
      COMMON_MEMBERS,
  },
  { 0 },
};

#undef COMMON_MEMBERS
