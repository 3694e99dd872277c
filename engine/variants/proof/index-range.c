/* index-range.c — follows a variable to the operator that reads it as an index.
 *
 * A row of the table has the place of an operator's index, and its limit.  Start at
 * hyb_index_range_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/index-range.h"

#include "engine/variants/node-kind.h"

#include <string.h>

#define MAX_DEPTH 16

typedef enum
{
  LIMIT_ATTRIBUTE, /* an attribute is the number of rows */
  LIMIT_AXIS,      /* the size of an axis of input 0 is */
  LIMIT_LENGTH,    /* 1 … the size of an axis of input 0 */
  LIMIT_PART,      /* 0 … the size of an axis of input 0 */
  LIMIT_LEADING,   /* the smallest of the leading axes of input 0 */
} Limit;

static const struct
{
  const char *op;
  guint       input; /* G_MAXUINT: the last one */
  Limit       limit;
  const char *attribute; /* of the number or of the axis; NULL: axis 0 */
  gint64      fallback;  /* the axis where the attribute is not given */
  const char *needs;     /* an attribute that must be True; NULL: none */
  gboolean    clips;     /* other indices are clipped, or treated as "mode" says */
} readers[] = {
  { "Embedding", 0, LIMIT_ATTRIBUTE, "input_dim", 0, NULL, TRUE },
  { "take", 1, LIMIT_AXIS, "axis", 0, NULL, TRUE },
  { "one_hot", 0, LIMIT_ATTRIBUTE, "depth", 0, NULL, FALSE },
  { "pick", 1, LIMIT_AXIS, "axis", -1, NULL, TRUE },
  { "batch_take", 1, LIMIT_AXIS, NULL, 1, NULL, FALSE },
  { "gather_nd", 1, LIMIT_LEADING, NULL, 0, NULL, FALSE },
  { "SequenceMask", 1, LIMIT_PART, "axis", 0, "use_sequence_length", FALSE },
  { "SequenceLast", 1, LIMIT_LENGTH, "axis", 0, "use_sequence_length", FALSE },
  { "SequenceReverse", 1, LIMIT_LENGTH, "axis", 0, "use_sequence_length", FALSE },
  { "RNN", G_MAXUINT, LIMIT_LENGTH, NULL, 0, "use_sequence_length", FALSE },
  { "softmax", 1, LIMIT_LENGTH, "axis", -1, "use_length", FALSE },
  { "SoftmaxOutput", 1, LIMIT_AXIS, NULL, 1, NULL, FALSE },
  { "softmax_cross_entropy", 1, LIMIT_AXIS, NULL, 1, NULL, FALSE },
};

static gint64
size_of_axis (const HybShape *shape, gint64 axis)
{
  if (axis < 0)
    axis += shape->rank;
  return axis >= 0 && axis < shape->rank ? shape->dim[axis] : HYB_UNKNOWN;
}

static gint64
smallest_leading (const HybShape *data, const HybShape *index)
{
  gint64 smallest = HYB_UNKNOWN;

  for (int i = 0; index->rank > 0 && i < MIN (data->rank, index->dim[0]); i++)
    if (smallest == HYB_UNKNOWN || data->dim[i] < smallest)
      smallest = data->dim[i];
  return smallest;
}

/* In other formats, their own operator decides. */
static HybIndexBeyond
find_beyond (HybGraph *graph, const HybNode *node)
{
  const char *mode = hyb_node_get_attribute (node, "mode");

  if (hyb_graph_get_dialect (graph) || g_strcmp0 (mode, "raise") == 0)
    return HYB_INDEX_REFUSED;
  return g_strcmp0 (mode, "wrap") == 0 ? HYB_INDEX_WRAPPED : HYB_INDEX_CLIPPED;
}

/* The range of the index that a node reads as this input; FALSE if that is not an index. */
static gboolean
find_at_reader (HybGraph      *graph,
                const HybType *types,
                HybNodeId      id,
                guint          input,
                HybIndexRange *range)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      guint  wanted = readers[i].input == G_MAXUINT ? node->n_inputs - 1 : readers[i].input;
      gint64 axis = readers[i].fallback, n = HYB_UNKNOWN;

      if (node->op != hyb_op_find (readers[i].op) || input != wanted ||
          (readers[i].needs && !hyb_node_bool (node, readers[i].needs)))
        continue;
      if (readers[i].attribute)
        axis = hyb_node_int (node, readers[i].attribute, readers[i].fallback);
      if (readers[i].limit == LIMIT_ATTRIBUTE)
        n = axis;
      else if (types && readers[i].limit == LIMIT_LEADING)
        n = smallest_leading (&types[inputs[0]].shape, &types[inputs[input]].shape);
      else if (types)
        n = size_of_axis (&types[inputs[0]].shape, axis);
      if (n < 1)
        continue;
      range->beyond = readers[i].clips ? find_beyond (graph, node) : HYB_INDEX_REFUSED;
      /* Lengths begin with 1, parts may be empty; both may be the whole size.  Indices begin with 0
       * and end before it. */
      range->low = readers[i].limit == LIMIT_LENGTH ? 1 : 0;
      range->high =
          (double) (readers[i].limit == LIMIT_LENGTH || readers[i].limit == LIMIT_PART ? n : n - 1);
      return TRUE;
    }
  return FALSE;
}

/* Whether output 0 of a node holds elements of its first input. */
static gboolean
moves_elements (const HybNode *node)
{
  static const char *const others[] = { "Cast", "_copy", "BlockGrad" };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (node->op == hyb_op_find (others[i]))
      return TRUE;
  return node->op->category == HYB_CATEGORY_MOVEMENT && node->n_bodies == 0;
}

static gboolean
follow (HybGraph *graph, const HybType *types, HybValueId value, guint depth, HybIndexRange *range);

/* The variables of bodies that this input of a loop feeds. */
static gboolean
follow_into_bodies (HybGraph *graph, HybNodeId id, guint input, guint depth, HybIndexRange *range)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; b < node->n_bodies; b++)
    {
      HybGraph        *body = hyb_graph_get_bodies (graph, id)[b];
      guint            n;
      const HybNodeId *variables = hyb_graph_get_variables (body, &n);

      for (guint v = 0; v < n; v++)
        if (node->op->body_variable (node->params, node->n_inputs, b, v) == input &&
            follow (body, NULL, hyb_graph_get_node (body, variables[v])->first_output, depth + 1,
                    range))
          return TRUE;
    }
  return FALSE;
}

static gboolean
follow (HybGraph *graph, const HybType *types, HybValueId value, guint depth, HybIndexRange *range)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint u = 0; u < n && depth < MAX_DEPTH; u++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[u]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[u]);

      for (guint i = 0; i < node->n_inputs; i++)
        {
          if (inputs[i] != value)
            continue;
          if (find_at_reader (graph, types, users[u], i, range) ||
              follow_into_bodies (graph, users[u], i, depth, range))
            return TRUE;
          for (guint o = 0; moves_elements (node) && o < node->n_outputs; o++)
            if (follow (graph, types, node->first_output + o, depth + 1, range))
              return TRUE;
        }
    }
  return FALSE;
}

gboolean
hyb_index_range_find (HybGraph      *graph,
                      const HybType *types,
                      HybNodeId      variable,
                      HybIndexRange *range)
{
  return follow (graph, types, hyb_graph_get_node (graph, variable)->first_output, 0, range);
}
