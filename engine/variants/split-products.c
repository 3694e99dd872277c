/* split-products.c — finds products over all time steps, and rebuilds them step by step.
 *
 * Finding goes from each node that splits an array into steps back through its first inputs to a
 * product.  Following gives the outputs of these nodes places in sequences.  Start reading at
 * hyb_split_products_find() and hyb_split_products_follow().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/split-products.h"

#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"

#define MAX_PATH 16

typedef struct
{
  HybGraph        *graph;
  const HybType   *types;
  HybSplitProduct *products;
} SplitFinder;

/* The shape of a value if it is known completely and has a rank above 0, else NULL. */
static const HybShape *
shape_of (const HybType *types, HybValueId value)
{
  const HybShape *shape = &types[value].shape;

  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 1)
      return NULL;
  return shape->rank > 0 ? shape : NULL;
}

/* Where a slice_axis over size elements begins. */
static gint64
slice_begin (const HybNode *node, gint64 size)
{
  gint64 begin = hyb_node_int (node, "begin", 0);

  return begin < 0 ? begin + size : begin;
}

/* Whether a node splits or slices the features, the last axis. */
static gboolean
is_feature_split (const HybType *types, const HybNode *node, HybValueId input)
{
  const HybShape *shape = shape_of (types, input);
  gint64          axis = hyb_node_int (node, "axis", 0);
  HybNodeKind     word = hyb_node_kind (node);

  return shape && (word == HYB_KIND_SPLIT || word == HYB_KIND_SLICE_AXIS) &&
         (axis == -1 || axis == shape->rank - 1) && !hyb_node_bool (node, "squeeze_axis");
}

/* --- Nodes that split all steps --- */

/* Whether a node cuts one step out and keeps the axis of time, of size 1. */
static gboolean
is_kept_slice (const HybNode *node, const HybShape *in, const HybShape *out, gint64 axis)
{
  return hyb_node_kind (node) == HYB_KIND_SLICE_AXIS && in->rank == 3 && (axis == 0 || axis == 1) &&
         out->dim[axis] == 1 && in->dim[axis] > 1;
}

/* The layout of the value that this node splits into steps; NONE if it does not. */
static HybTimeLayout
find_layout (const SplitFinder *finder, HybNodeId id, guint *n_steps)
{
  const HybNode  *node = hyb_graph_get_node (finder->graph, id);
  const HybShape *in = node->n_inputs == 1
                           ? shape_of (finder->types, hyb_graph_get_inputs (finder->graph, id)[0])
                           : NULL;
  const HybShape *out = in ? shape_of (finder->types, node->first_output) : NULL;
  gint64          axis = hyb_node_int (node, "axis", 1);

  if (!out || is_feature_split (finder->types, node, hyb_graph_get_inputs (finder->graph, id)[0]))
    return HYB_LAYOUT_NONE;
  *n_steps = node->n_outputs;
  /* (steps, batch, units) is FIRST, (batch, steps, units) SECOND, (steps · batch, units) ROWS. */
  if (hyb_node_kind (node) == HYB_KIND_SPLIT && hyb_node_bool (node, "squeeze_axis"))
    return in->rank != 3 ? HYB_LAYOUT_NONE
           : axis == 0   ? HYB_LAYOUT_FIRST
           : axis == 1   ? HYB_LAYOUT_SECOND
                         : HYB_LAYOUT_NONE;
  if (is_kept_slice (node, in, out, axis))
    {
      *n_steps = (guint) in->dim[axis];
      return axis == 0 ? HYB_LAYOUT_FIRST : HYB_LAYOUT_SECOND;
    }
  if (in->rank != 2 || axis != 0)
    return HYB_LAYOUT_NONE;
  if (hyb_node_kind (node) == HYB_KIND_SPLIT)
    return HYB_LAYOUT_ROWS;
  /* A slice is one step only if all slices of its size fit the array, and it begins at a multiple
   * of it. */
  if (hyb_node_kind (node) != HYB_KIND_SLICE_AXIS || in->dim[0] % out->dim[0] != 0 ||
      slice_begin (node, in->dim[0]) % out->dim[0] != 0)
    return HYB_LAYOUT_NONE;
  *n_steps = (guint) (in->dim[0] / out->dim[0]);
  return HYB_LAYOUT_ROWS;
}

/* Whether an output of node id is added to something, perhaps after gates were sliced out of it or the axis of time was
 * removed. */
static gboolean
is_added (const SplitFinder *finder, HybNodeId id, guint depth)
{
  const HybNode *node = hyb_graph_get_node (finder->graph, id);

  for (guint i = 0; i < node->n_outputs; i++)
    {
      HybValueId       value = node->first_output + i;
      guint            n;
      const HybNodeId *users = hyb_graph_get_users (finder->graph, value, &n);

      for (guint u = 0; u < n; u++)
        {
          const HybNode *user = hyb_graph_get_node (finder->graph, users[u]);

          if (hyb_node_kind (user) == HYB_KIND_ADD ||
              (depth > 0 &&
               (is_feature_split (finder->types, user, value) ||
                hyb_node_kind (user) == HYB_KIND_SQUEEZE) &&
               is_added (finder, users[u], depth - 1)))
            return TRUE;
        }
    }
  return FALSE;
}

/* --- From the split back to the product --- */

static gboolean
is_matrix_product (const SplitFinder *finder,
                   HybNodeId          id,
                   const HybNode     *node,
                   HybTimeLayout      layout)
{
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);

  if (hyb_node_kind (node) == HYB_KIND_LINEAR)
    return layout == HYB_LAYOUT_ROWS || !hyb_node_bool (node, "flatten");
  return hyb_node_kind (node) == HYB_KIND_DOT && !hyb_node_bool (node, "transpose_a") &&
         shape_of (finder->types, inputs[1]) && finder->types[inputs[1]].shape.rank == 2;
}

/* Whether a node adds the same vector in every step. */
static gboolean
is_bias_sum (const SplitFinder *finder, HybNodeId id, const HybNode *node)
{
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);
  const HybShape   *bias;

  if (hyb_node_kind (node) != HYB_KIND_ADD || node->n_inputs != 2 ||
      !hyb_value_is_variable (finder->graph, inputs[1]))
    return FALSE;
  bias = shape_of (finder->types, inputs[1]);
  return bias && bias->rank == 1;
}

/* Whether a node computes each step from the same step and values that all steps share. */
static gboolean
is_per_step (const SplitFinder *finder, HybNodeId id, const HybNode *node, HybTimeLayout layout)
{
  return is_matrix_product (finder, id, node, layout) || is_bias_sum (finder, id, node);
}

/* The layout of the input of a Reshape, from its output's layout. */
static HybTimeLayout
layout_before_reshape (const HybShape *in, const HybShape *out, HybTimeLayout layout, guint n_steps)
{
  if (in->dim[in->rank - 1] != out->dim[out->rank - 1])
    return HYB_LAYOUT_NONE;
  if (layout == HYB_LAYOUT_FIRST && out->rank == 3 && in->rank == 2 && out->dim[0] == n_steps)
    return HYB_LAYOUT_ROWS;
  if (layout == HYB_LAYOUT_ROWS && out->rank == 2 && in->rank == 3 && in->dim[0] == n_steps)
    return HYB_LAYOUT_FIRST;
  return HYB_LAYOUT_NONE;
}

/* The layout of the node's first input, from its output's layout; NONE if nodes of this kind are
 * not followed. */
static HybTimeLayout
layout_before (const SplitFinder *finder, HybNodeId id, HybSplitProduct product)
{
  const HybNode    *node = hyb_graph_get_node (finder->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);
  const HybShape   *in = node->n_inputs > 0 ? shape_of (finder->types, inputs[0]) : NULL;
  const HybShape   *out = in ? shape_of (finder->types, node->first_output) : NULL;

  if (!out)
    return HYB_LAYOUT_NONE;
  if (is_per_step (finder, id, node, product.layout) ||
      is_feature_split (finder->types, node, inputs[0]))
    return product.layout;
  if (hyb_node_kind (node) == HYB_KIND_RESHAPE)
    return layout_before_reshape (in, out, product.layout, product.n_steps);
  if (hyb_node_kind (node) == HYB_KIND_SWAP && in->rank == 3 && product.layout != HYB_LAYOUT_ROWS)
    return product.layout == HYB_LAYOUT_FIRST ? HYB_LAYOUT_SECOND : HYB_LAYOUT_FIRST;
  return HYB_LAYOUT_NONE;
}

/* Whether a node concatenates all steps along axis 0, each with the same number of rows. */
static gboolean
joins_rows (const SplitFinder *finder, HybNodeId id, HybSplitProduct product)
{
  const HybNode    *node = hyb_graph_get_node (finder->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);
  const HybShape   *first = node->n_inputs > 0 ? shape_of (finder->types, inputs[0]) : NULL;

  if (hyb_node_kind (node) != HYB_KIND_CONCAT || product.layout != HYB_LAYOUT_ROWS || !first ||
      hyb_node_concat_axis (node) != 0 || node->n_inputs != product.n_steps)
    return FALSE;
  for (guint i = 1; i < node->n_inputs; i++)
    if (!hyb_shape_equal (first, &finder->types[inputs[i]].shape))
      return FALSE;
  return TRUE;
}

/* Records the nodes from the split back to the product and to the array of all inputs, if there is
 * a product. */
static void
trace_to_product (SplitFinder *finder, HybNodeId split, HybSplitProduct product)
{
  HybNodeId       path[MAX_PATH], id;
  HybSplitProduct products[MAX_PATH];
  guint           n = 0;
  gboolean        has_product = FALSE;

  for (id = hyb_graph_get_producer (finder->graph, hyb_graph_get_inputs (finder->graph, split)[0]);
       n < MAX_PATH && finder->products[id].layout == HYB_LAYOUT_NONE;
       id = hyb_graph_get_producer (finder->graph, hyb_graph_get_inputs (finder->graph, id)[0]))
    {
      HybTimeLayout before = layout_before (finder, id, product);

      if (before == HYB_LAYOUT_NONE && !joins_rows (finder, id, product))
        break;
      path[n] = id;
      products[n++] = product;
      has_product =
          has_product ||
          is_matrix_product (finder, id, hyb_graph_get_node (finder->graph, id), product.layout);
      product.layout = before;
      if (before == HYB_LAYOUT_NONE)
        break;
    }
  if (finder->products[id].layout != HYB_LAYOUT_NONE && n < MAX_PATH)
    has_product = finder->products[id].layout == product.layout &&
                  finder->products[id].n_steps == product.n_steps;
  /* Rows without a node that joins steps to rows have no sequence to belong to. */
  else if (product.layout == HYB_LAYOUT_ROWS)
    return;
  for (guint i = 0; has_product && i < n; i++)
    finder->products[path[i]] = products[i];
}

HybSplitProduct *
hyb_split_products_find (HybGraph *graph, const HybType *types)
{
  guint       n_nodes = hyb_graph_n_nodes (graph);
  SplitFinder finder = { graph, types, g_new0 (HybSplitProduct, MAX (n_nodes, 1)) };
  gboolean    is_any = FALSE;

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      HybSplitProduct product = { 0 };
      HybNodeId       before;

      product.layout = find_layout (&finder, id, &product.n_steps);
      if (product.layout == HYB_LAYOUT_NONE || !is_added (&finder, id, 2))
        continue;
      trace_to_product (&finder, id, product);
      before = hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, id)[0]);
      if (finder.products[before].layout != product.layout ||
          finder.products[before].n_steps != product.n_steps)
        continue;
      finder.products[id] = product;
      is_any = TRUE;
    }
  if (!is_any)
    g_clear_pointer (&finder.products, g_free);
  return finder.products;
}

/* --- Following the products while rebuilding --- */

static HybSequencePlace
place_in (HybTimeLayout layout, HybSequence *sequence)
{
  return layout == HYB_LAYOUT_ROWS
             ? (HybSequencePlace){ HYB_SEQUENCE_ROWS, 0, 0, sequence }
             : (HybSequencePlace){ HYB_SEQUENCE_WHOLE, layout == HYB_LAYOUT_SECOND, 0, sequence };
}

/* The input as a sequence of n steps in this layout; NULL for rows that are not known as one. */
static HybSequence *
read_sequence (HybRebuild *rebuild, HybValueId input, HybTimeLayout layout, guint n)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, input, HYB_SEQUENCE_ROWS);

  if (layout == HYB_LAYOUT_ROWS)
    return place && place->sequence->n == n ? place->sequence : NULL;
  return hyb_rebuild_sequence (rebuild, input, layout == HYB_LAYOUT_SECOND, n);
}

static void
follow_split (HybRebuild *rebuild, const HybNode *node, const HybShape *in, HybSequence *sequence)
{
  const HybShape *out = &rebuild->types[node->first_output].shape;
  gboolean        is_slice = hyb_node_kind (node) == HYB_KIND_SLICE_AXIS;
  gint64          axis = is_slice ? hyb_node_int (node, "axis", 0) : 0;
  gboolean        is_kept = is_slice && is_kept_slice (node, in, out, axis);
  guint first = is_slice ? (guint) (slice_begin (node, in->dim[axis]) / out->dim[axis]) : 0;

  for (guint i = 0; i < node->n_outputs; i++)
    hyb_rebuild_set_place (rebuild, node->first_output + i,
                           (HybSequencePlace){ is_kept ? HYB_SEQUENCE_STEP_KEPT : HYB_SEQUENCE_STEP,
                                               is_kept ? (guint) axis : 0, first + i, sequence });
}

static void
follow_features (HybRebuild     *rebuild,
                 const HybNode  *node,
                 const HybShape *in,
                 HybSequence    *sequence,
                 HybTimeLayout   layout)
{
  gboolean is_slice = hyb_node_kind (node) == HYB_KIND_SLICE_AXIS;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      const HybShape *shape = &rebuild->types[node->first_output + i].shape;
      gint64          size = shape->dim[shape->rank - 1];
      gint64          begin = is_slice ? slice_begin (node, in->dim[in->rank - 1]) : i * size;

      hyb_rebuild_set_place (rebuild, node->first_output + i,
                             place_in (layout,
                                       hyb_sequence_part (rebuild, sequence, begin, begin + size)));
    }
}

static gboolean
follow_row_join (HybRebuild *rebuild, HybNodeId id, const HybNode *node)
{
  HybSequence *sequence =
      hyb_rebuild_gather (rebuild, node->n_inputs, hyb_graph_get_inputs (rebuild->from, id));

  hyb_rebuild_set_place (rebuild, node->first_output, place_in (HYB_LAYOUT_ROWS, sequence));
  return TRUE;
}

gboolean
hyb_split_products_follow (HybRebuild *rebuild, HybNodeId id)
{
  SplitFinder     finder = { rebuild->from, rebuild->types, rebuild->split_products };
  const HybNode  *node = hyb_graph_get_node (rebuild->from, id);
  HybSplitProduct product = rebuild->split_products[id];
  HybValueId      input = hyb_graph_get_inputs (rebuild->from, id)[0];
  HybSequence    *sequence;
  guint           n;
  gboolean        is_split = find_layout (&finder, id, &n) != HYB_LAYOUT_NONE;
  HybTimeLayout   before = is_split ? product.layout : layout_before (&finder, id, product);

  if (before == HYB_LAYOUT_NONE)
    return follow_row_join (rebuild, id, node);
  sequence = read_sequence (rebuild, input, before, product.n_steps);
  if (!sequence)
    return FALSE;
  if (is_split)
    follow_split (rebuild, node, &rebuild->types[input].shape, sequence);
  else if (is_feature_split (rebuild->types, node, input))
    follow_features (rebuild, node, &rebuild->types[input].shape, sequence, product.layout);
  else
    {
      if (is_per_step (&finder, id, node, product.layout))
        sequence = hyb_sequence_multiplied (rebuild, id, sequence);
      hyb_rebuild_set_place (rebuild, node->first_output, place_in (product.layout, sequence));
    }
  return TRUE;
}
