/* pieces.c — see pieces.h.  Start at hyb_pieces_replace().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/pieces.h"

#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"
#include "engine/op/op-one-of.h"

const char *const hyb_pieces_sums[] = { "broadcast_add", "elemwise_add", NULL };
const char *const hyb_pieces_differences[] = { "broadcast_sub", "elemwise_sub", NULL };
const char *const hyb_pieces_products[] = { "broadcast_mul", "elemwise_mul", NULL };
const char *const hyb_pieces_quotients[] = { "broadcast_div", "elemwise_div", NULL };

/* --- Looking --- */

const HybNode *
hyb_pieces_node (const HybPieces *pieces, HybValueId value)
{
  return hyb_graph_get_node (pieces->graph, hyb_graph_get_producer (pieces->graph, value));
}

const HybValueId *
hyb_pieces_inputs (const HybPieces *pieces, HybValueId value)
{
  return hyb_graph_get_inputs (pieces->graph, hyb_graph_get_producer (pieces->graph, value));
}

const HybType *
hyb_pieces_type (const HybPieces *pieces, HybValueId value)
{
  return &pieces->facts->types[value];
}

gboolean
hyb_pieces_is_float (const HybPieces *pieces, HybValueId value)
{
  const HybType *type = hyb_pieces_type (pieces, value);

  return type->dtype == HYB_F32 && hyb_type_is_known (type);
}

gboolean
hyb_pieces_is_made_by (const HybPieces *pieces, HybValueId value, const char *const *names)
{
  return hyb_op_is_one_of (hyb_pieces_node (pieces, value)->op, names);
}

gboolean
hyb_pieces_read_number (const HybPieces *pieces, HybValueId value, double *number)
{
  HybTensor *constant = pieces->facts->constants[value];

  if (!constant || hyb_pieces_type (pieces, value)->dtype != HYB_F32 ||
      hyb_tensor_get_size (constant) != 1)
    return FALSE;
  *number = hyb_tensor_get_value (constant, 0);
  return TRUE;
}

gboolean
hyb_pieces_add (const HybPieces *pieces, HybReplacement *found, HybValueId value)
{
  HybNodeId id = hyb_graph_get_producer (pieces->graph, value);

  for (guint i = 0; i < found->n_pieces; i++)
    if (found->pieces[i] == id)
      return TRUE;
  if (found->n_pieces == HYB_MAX_PIECES)
    return FALSE;
  found->pieces[found->n_pieces++] = id;
  return TRUE;
}

/* --- Replacing --- */

/* All patterns of a graph. */
typedef struct
{
  HybPieces        pieces;
  guint8          *is_head;    /* by value */
  HybReplacement **found;      /* by node: the pieces computed there */
  guint8          *is_removed; /* by node */
} Replacing;

static gboolean
is_piece (const HybReplacement *found, HybNodeId id)
{
  for (guint i = 0; i < found->n_pieces; i++)
    if (found->pieces[i] == id)
      return TRUE;
  return FALSE;
}

/* TRUE if nothing outside of the pattern, whose last node is id, reads a piece. */
static gboolean
is_closed (const Replacing *self, const HybReplacement *found, HybNodeId id)
{
  HybGraph *graph = self->pieces.graph;

  for (guint i = 0; i < found->n_pieces; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, found->pieces[i]);

      if (found->pieces[i] == id || self->is_removed[found->pieces[i]] ||
          self->found[found->pieces[i]] || hyb_node_is_variable (node))
        return FALSE;
      for (guint k = 0; k < node->n_outputs; k++)
        {
          guint            n;
          const HybNodeId *users = hyb_graph_get_users (graph, node->first_output + k, &n);

          if (self->is_head[node->first_output + k])
            return FALSE;
          for (guint u = 0; u < n; u++)
            if (users[u] != id && !is_piece (found, users[u]))
              return FALSE;
        }
    }
  return TRUE;
}

static void
clear_found (HybReplacement *found)
{
  g_clear_pointer (&found->attributes, g_strfreev);
}

/* Marks the nodes with one of these operators.  FALSE if there are none. */
static gboolean
mark_operators (HybGraph *graph, const char *const *names, guint8 *marks)
{
  gboolean has_any = FALSE;

  for (; *names; names++)
    {
      const HybOp *op = hyb_op_find (*names);

      for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
        if (hyb_graph_get_node (graph, id)->op == op)
          marks[id] = has_any = TRUE;
    }
  return has_any;
}

/* is_last: by node, whether it can be the last of a pattern. */
static guint
find_all (Replacing *self, const HybPattern *pattern, const guint8 *is_last)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (self->pieces.graph); id++)
    {
      HybReplacement found = { 0 };

      if (!is_last[id])
        continue;
      if (!pattern->match (&self->pieces, id, &found) || !is_closed (self, &found, id))
        {
          clear_found (&found);
          continue;
        }
      self->found[id] = g_memdup2 (&found, sizeof found);
      for (guint i = 0; i < found.n_pieces; i++)
        self->is_removed[found.pieces[i]] = TRUE;
      n++;
    }
  return n;
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Replacing      *self = data;
  const HybReplacement *found = self->found[id];
  HybValueId            inputs[HYB_MAX_PIECES_INPUTS];

  if (!found)
    {
      if (!self->is_removed[id])
        hyb_rewrite_copy (rewrite, id);
      return;
    }
  for (guint i = 0; i < found->n_inputs; i++)
    inputs[i] = hyb_rewrite_value (rewrite, found->inputs[i]);
  hyb_rewrite_replace (rewrite, id,
                       &(HybNodeSpec){ .op = hyb_op_find (found->op),
                                       .attributes = (const char *const *) found->attributes,
                                       .n_inputs = found->n_inputs,
                                       .inputs = inputs });
}

HybGraph *
hyb_pieces_replace (HybGraph         *graph,
                    HybFacts         *facts,
                    const HybPattern *pattern,
                    GArray           *map,
                    GError          **error)
{
  guint                       n_nodes = MAX (hyb_graph_n_nodes (graph), 1);
  g_autofree guint8          *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8          *is_removed = g_new0 (guint8, n_nodes);
  g_autofree HybReplacement **found = g_new0 (HybReplacement *, n_nodes);
  g_autofree guint8          *marks = g_new0 (guint8, n_nodes);
  g_autofree guint8          *is_last = g_new0 (guint8, n_nodes);
  Replacing                   self = { { graph, facts }, is_head, found, is_removed };
  HybGraph                   *result;

  if (facts->training || facts->same_bytes || !mark_operators (graph, pattern->needs, marks) ||
      !mark_operators (graph, pattern->last, is_last))
    return hyb_graph_ref (graph);
  result = find_all (&self, pattern, is_last) > 0
               ? hyb_rewrite_graph (graph, visit, &self, map, error)
               : hyb_graph_ref (graph);
  for (guint i = 0; i < n_nodes; i++)
    if (found[i])
      {
        clear_found (found[i]);
        g_free (found[i]);
      }
  return result;
}
