/* guess-networks.c — kinds of networks that are usually given images of one size.
 *
 * Such a network accepts images of many sizes, so inference cannot determine the size; operators and channels
 * identify the network.  Start at hyb_guess_find_network().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-networks.h"

#include "engine/base/translate.h"
#include "engine/op/op.h"

#include <string.h>

#define N_KEY_POINTS 17 /* of a person in the collection COCO */

typedef struct
{
  gboolean (*has_mark) (HybGraph *graph, const HybType *types);
  HybGuessNetwork network;
} Kind;

static gboolean
has_any (HybGraph *graph, const char *const *names)
{
  for (guint i = 0; names[i]; i++)
    {
      const HybOp *op = hyb_op_find (names[i]);

      for (HybNodeId id = 0; op && id < hyb_graph_n_nodes (graph); id++)
        if (hyb_graph_get_node (graph, id)->op == op)
          return TRUE;
    }
  return FALSE;
}

/* Faster R-CNN, Mask R-CNN, R-FCN: features are cut out for each proposed region. */
static gboolean
has_regions (HybGraph *graph, const HybType *types G_GNUC_UNUSED)
{
  static const char *const names[] = { "_contrib_ROIAlign",
                                       "ROIPooling",
                                       "_contrib_RROIAlign",
                                       "_contrib_PSROIPooling",
                                       "_contrib_DeformablePSROIPooling",
                                       NULL };

  return has_any (graph, names);
}

/* SimplePose and others: one map for each key point of a person, enlarged before the last convolution. */
static gboolean
has_key_points (HybGraph *graph, const HybType *types)
{
  static const char *const enlarging[] = { "Deconvolution", "UpSampling", NULL };
  guint                    n;
  const HybValueId        *heads = hyb_graph_get_heads (graph, &n);
  gboolean                 has_maps = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, heads[i]));

      has_maps |= node->op->category == HYB_CATEGORY_CONVOLUTION &&
                  types[heads[i]].shape.rank == 4 && types[heads[i]].shape.dim[1] == N_KEY_POINTS;
    }
  return has_maps && has_any (graph, enlarging);
}

/* VGG-16 as SSD uses it: its first dense layer became a convolution of which the filters are spread by 6. */
static gboolean
has_wide_dilation (HybGraph *graph, const HybType *types G_GNUC_UNUSED)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      const char    *dilate = node->op->category == HYB_CATEGORY_CONVOLUTION
                                  ? hyb_node_get_attribute (node, "dilate")
                                  : NULL;

      if (dilate && (strcmp (dilate, "(6, 6)") == 0 || strcmp (dilate, "(6,6)") == 0))
        return TRUE;
    }
  return FALSE;
}

static const Kind kinds[] = {
  { has_regions, { 800, 800, N_ ("800 is usual for the shorter side where regions are cut out") } },
  { has_key_points, { 256, 192, N_ ("256 × 192 is usual for maps of 17 key points") } },
  { has_wide_dilation,
    { 300, 300, N_ ("300 is usual for a convolution with dilation 6, as in SSD") } },
};

const HybGuessNetwork *
hyb_guess_find_network (HybGraph *graph, const HybType *types)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].has_mark (graph, types))
      return &kinds[i].network;
  return NULL;
}
