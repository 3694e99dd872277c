/* sum-of-products.c — reads a value as a sum of products with weights, whose rows may be slices of a larger product.
 *
 * Start reading at collect().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/steps/sum-of-products.h"

#include "engine/variants/node-kind.h"

#define MAX_SUM_DEPTH 12

/* How a value was sliced out of another.  outer is the slice that is applied to the result. */
typedef struct _Slice Slice;
struct _Slice
{
  const Slice *outer;
  gint64       parts, part; /* part number part of parts equal ones … */
  gint64       begin, end;  /* … or, if parts is 0, the rows begin … end as in slice_axis */
};

static const HybNode *
get_maker (const HybMatcher *matcher, HybValueId value, const HybValueId **inputs)
{
  HybNodeId id = hyb_graph_get_producer (matcher->graph, value);

  *inputs = hyb_graph_get_inputs (matcher->graph, id);
  return hyb_graph_get_node (matcher->graph, id);
}

/* Narrows the rows begin … begin + *rows by all slices, the innermost first. */
static gboolean
apply_slices (const Slice *slice, gint64 *begin, gint64 *rows)
{
  for (; slice; slice = slice->outer)
    {
      if (slice->parts > 0)
        {
          if (*rows % slice->parts != 0)
            return FALSE;
          *rows /= slice->parts;
          *begin += slice->part * *rows;
        }
      else
        {
          gint64 end = slice->end == HYB_NONE ? *rows
                       : slice->end < 0       ? *rows + slice->end
                                              : slice->end;
          gint64 from = slice->begin < 0 ? *rows + slice->begin : slice->begin;

          if (from < 0 || end > *rows || from >= end)
            return FALSE;
          *begin += from;
          *rows = end - from;
        }
    }
  return TRUE;
}

static gboolean
add_term (HybSum *sum, HybTerm term, const Slice *slice)
{
  if (sum->n == HYB_MAX_TERMS || term.rows < 1 || !apply_slices (slice, &term.begin, &term.rows))
    return FALSE;
  term.bias_begin = term.begin;
  sum->term[sum->n++] = term;
  return TRUE;
}

static gboolean
add_linear (const HybNode *node, const HybValueId *inputs, const Slice *slice, HybSum *sum)
{
  gboolean has_bias = node->n_inputs > 2 && !hyb_node_bool (node, "no_bias");
  HybTerm  term = { .x = inputs[0],
                    .weight = inputs[1],
                    .bias = has_bias ? inputs[2] : HYB_NO_ID,
                    .rows = hyb_node_int (node, "num_hidden", 0) };

  return add_term (sum, term, slice);
}

/* x W or x Wᵀ of matrices.  The number of rows comes from the shape of W. */
static gboolean
add_dot (const HybMatcher *matcher,
         const HybNode    *node,
         const HybValueId *inputs,
         const Slice      *slice,
         HybSum           *sum)
{
  gboolean        is_by_rows = hyb_node_bool (node, "transpose_b");
  const HybShape *shape = matcher->types ? &matcher->types[inputs[1]].shape : NULL;
  HybTerm         term = {
            .x = inputs[0], .weight = inputs[1], .bias = HYB_NO_ID, .is_transposed = !is_by_rows
  };

  if (!shape || shape->rank != 2 || hyb_node_bool (node, "transpose_a"))
    return FALSE;
  term.rows = shape->dim[is_by_rows ? 0 : 1];
  return add_term (sum, term, slice);
}

/* A variable that is added to every row. */
static gboolean
add_bias (const HybMatcher *matcher, HybValueId value, const Slice *slice, HybSum *sum)
{
  const HybShape *shape = matcher->types ? &matcher->types[value].shape : NULL;
  HybTerm         term = { .bias = value };

  if (!shape || sum->n_biases == HYB_MAX_BIASES ||
      !(shape->rank == 1 || (shape->rank == 2 && shape->dim[0] == 1)))
    return FALSE;
  term.rows = shape->dim[shape->rank - 1];
  if (term.rows < 1 || !apply_slices (slice, &term.begin, &term.rows))
    return FALSE;
  sum->bias[sum->n_biases++] = term;
  return TRUE;
}

/* Gives the last bias that was added by itself to a product without one, from term number `first` on. */
static gboolean
assign_bias (HybSum *sum, guint first)
{
  const HybTerm *bias = &sum->bias[sum->n_biases - 1];

  for (guint i = first; i < sum->n; i++)
    if (sum->term[i].bias == HYB_NO_ID && sum->term[i].rows == bias->rows)
      {
        sum->term[i].bias = bias->bias;
        sum->term[i].bias_begin = bias->begin;
        sum->n_biases--;
        return TRUE;
      }
  return FALSE;
}

static gboolean
collect (const HybMatcher *matcher, HybValueId value, const Slice *slice, guint depth, HybSum *sum);

/* Adds both inputs of a sum.  A bias that stands beside a single product belongs to it. */
static gboolean
collect_both (const HybMatcher *matcher,
              const HybValueId *inputs,
              const Slice      *slice,
              guint             depth,
              HybSum           *sum)
{
  guint n = sum->n, n_biases = sum->n_biases;

  if (!collect (matcher, inputs[0], slice, depth, sum) ||
      !collect (matcher, inputs[1], slice, depth, sum))
    return FALSE;
  if (sum->n == n + 1 && sum->n_biases == n_biases + 1)
    assign_bias (sum, n);
  return TRUE;
}

/* Adds value, sliced by slice, to sum.  FALSE if it is not a sum of products. */
static gboolean
collect (const HybMatcher *matcher, HybValueId value, const Slice *slice, guint depth, HybSum *sum)
{
  const HybValueId *inputs;
  const HybNode    *node = get_maker (matcher, value, &inputs);
  Slice             inner = { .outer = slice };

  if (depth == MAX_SUM_DEPTH)
    return FALSE;
  if (hyb_node_is_variable (node))
    return add_bias (matcher, value, slice, sum);

  switch ((int) hyb_node_kind (node))
    {
    case HYB_KIND_ADD:
      return collect_both (matcher, inputs, slice, depth + 1, sum);
    case HYB_KIND_LINEAR:
      return add_linear (node, inputs, slice, sum);
    case HYB_KIND_DOT:
      return add_dot (matcher, node, inputs, slice, sum);
    case HYB_KIND_COPY:
      return collect (matcher, inputs[0], slice, depth + 1, sum);
    case HYB_KIND_SPLIT:
      inner.parts = hyb_node_int (node, "num_outputs", 0);
      inner.part = hyb_graph_get_output_index (matcher->graph, value);
      break;
    case HYB_KIND_SLICE_AXIS:
      inner.begin = hyb_node_int (node, "begin", 0);
      inner.end = hyb_node_int (node, "end", HYB_NONE);
      break;
    default:
      return FALSE;
    }

  /* Both nodes above cut columns of (batch, units), and the same columns of every addend. */
  if (hyb_node_int (node, "axis", 0) != 1 && hyb_node_int (node, "axis", 0) != -1)
    return FALSE;
  return !hyb_node_bool (node, "squeeze_axis") &&
         collect (matcher, inputs[0], &inner, depth + 1, sum);
}

gboolean
hyb_sum_collect (const HybMatcher *matcher, HybValueId value, HybSum *sum)
{
  *sum = (HybSum){ 0 };
  if (!collect (matcher, value, NULL, 0, sum))
    return FALSE;
  while (sum->n_biases > 0)
    if (!assign_bias (sum, 0))
      return FALSE;
  return TRUE;
}

/* Divides one product of two concatenated values into a product of each. */
static gboolean
divide_product (const HybMatcher *matcher, HybSum *sum)
{
  const HybValueId *inputs;
  const HybNode    *node = get_maker (matcher, sum->term[0].x, &inputs);
  gint64            axis = hyb_node_concat_axis (node);

  if (sum->n != 1 || hyb_node_kind (node) != HYB_KIND_CONCAT || node->n_inputs != 2 ||
      (axis != 1 && axis != -1))
    return FALSE;
  sum->term[1] = sum->term[0];
  sum->term[0].x = inputs[0];
  sum->term[0].columns = HYB_COLUMNS_FIRST;
  sum->term[1].x = inputs[1];
  sum->term[1].columns = HYB_COLUMNS_LAST;
  sum->term[1].bias = HYB_NO_ID;
  sum->n = 2;
  return TRUE;
}

gboolean
hyb_sum_collect_two (const HybMatcher *matcher, HybValueId value, HybSum *sum)
{
  return hyb_sum_collect (matcher, value, sum) && (sum->n == 2 || divide_product (matcher, sum)) &&
         sum->n == 2;
}
