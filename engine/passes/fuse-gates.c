/* fuse-gates.c — the pass that computes all gates of an LSTM or GRU cell in one node, and their gradients in another.
 *
 * cells.c and cell-gradients.c find them.  Intermediate values must have no other reader, except the ones that the
 * operator can write as further outputs: where the backward pass or another node reads gates, the cell becomes a
 * recording operator.  Start at find_cells().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"
#include "engine/passes/cells.h"

/* A value with more readers is left as it is. */
#define MAX_READERS 64

/* A cell that is fused. */
typedef struct
{
  HybCell                cell;
  HybWrittenCellGradient gradient;     /* if has_gradient */
  HybNodeId              place;        /* the node at whose place the cell is emitted */
  HybNodeId              place_before; /* the same for the gradient */
  gboolean               has_gradient, keeps;
} FoundCell;

typedef struct
{
  HybWrittenCells cells;
  HybGraph       *graph;
  guint8         *is_head;    /* by value */
  guint8         *is_removed; /* by node: part of a cell or gradient */
  FoundCell     **forward;    /* by node: the cell that is emitted there */
  FoundCell     **backward;   /* by node: the cell whose gradient is emitted there */
} Fusing;

/* --- Which values may disappear --- */

static gboolean
is_result (const FoundCell *found, HybValueId value)
{
  for (guint i = 0; i < found->cell.kind->n_results; i++)
    if (found->has_gradient && found->gradient.results[i] == value)
      return TRUE;
  return FALSE;
}

static gboolean
is_kept (const FoundCell *found, HybValueId value)
{
  for (guint i = 0; i < found->cell.kind->n_kept; i++)
    if (found->cell.kept[i] == value)
      return TRUE;
  return FALSE;
}

static gboolean
is_inside (const FoundCell *found, HybNodeId id)
{
  return hyb_cell_nodes_have (&found->cell.nodes, id) ||
         (found->has_gradient && hyb_cell_nodes_have (&found->gradient.nodes, id));
}

/* TRUE if a value between is read inside alone, or is written by the recording operator before it is read. */
static gboolean
may_disappear (const Fusing *fusing, FoundCell *found, HybValueId value)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (fusing->graph, value, &n);
  gboolean         is_read = fusing->is_head[value];

  if (n > MAX_READERS)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!is_inside (found, users[i]))
      {
        is_read = TRUE;
        if (users[i] < found->place)
          return FALSE;
      }
  if (is_read && !is_kept (found, value))
    return FALSE;
  found->keeps |= is_read;
  return TRUE;
}

static gboolean
can_replace (const Fusing *fusing, FoundCell *found, const HybCellNodes *nodes)
{
  for (guint i = 0; i < nodes->n; i++)
    {
      HybNodeId      id = nodes->id[i];
      const HybNode *node = hyb_graph_get_node (fusing->graph, id);

      if (fusing->is_removed[id])
        return FALSE;
      if (id == found->cell.output || id == found->cell.cell)
        continue;
      for (guint k = 0; k < node->n_outputs; k++)
        if (!is_result (found, node->first_output + k) &&
            !may_disappear (fusing, found, node->first_output + k))
          return FALSE;
    }
  return TRUE;
}

/* The first of the results of a gradient; all their inputs exist there. */
static HybNodeId
find_place (const Fusing *fusing, const FoundCell *found)
{
  HybNodeId place = HYB_NO_ID;

  for (guint i = 0; i < found->cell.kind->n_results; i++)
    if (found->gradient.results[i] != HYB_NO_ID)
      place = MIN (place, hyb_graph_get_producer (fusing->graph, found->gradient.results[i]));
  return place;
}

static gboolean
can_replace_both (const Fusing *fusing, FoundCell *found)
{
  found->keeps = TRUE;
  found->place_before = find_place (fusing, found);
  for (guint i = 0; i < found->gradient.nodes.n; i++)
    if (hyb_cell_nodes_have (&found->cell.nodes, found->gradient.nodes.id[i]))
      return FALSE;
  return found->place_before > found->place && can_replace (fusing, found, &found->cell.nodes) &&
         can_replace (fusing, found, &found->gradient.nodes);
}

/* --- Finding --- */

static void
mark_removed (Fusing *fusing, const HybCellNodes *nodes)
{
  for (guint i = 0; i < nodes->n; i++)
    fusing->is_removed[nodes->id[i]] = TRUE;
}

/* Decides how a cell is replaced. */
static gboolean
accept (Fusing *fusing, FoundCell *found)
{
  /* All inputs of the cell exist where the first of its outputs was computed. */
  found->place = found->cell.cell != HYB_NO_ID ? found->cell.cell : found->cell.output;
  found->has_gradient = hyb_cells_match_gradient (&fusing->cells, &found->cell, &found->gradient);
  if (found->has_gradient && can_replace_both (fusing, found))
    return TRUE;
  found->has_gradient = found->keeps = FALSE;
  return can_replace (fusing, found, &found->cell.nodes);
}

static guint
find_cells (Fusing *fusing)
{
  guint n_found = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (fusing->graph); id++)
    {
      FoundCell found;

      if (!hyb_cells_match (&fusing->cells, id, &found.cell) || !accept (fusing, &found))
        continue;
      fusing->forward[found.place] = g_memdup2 (&found, sizeof found);
      mark_removed (fusing, &found.cell.nodes);
      if (found.has_gradient)
        {
          fusing->backward[found.place_before] = fusing->forward[found.place];
          mark_removed (fusing, &found.gradient.nodes);
        }
      n_found++;
    }
  return n_found;
}

/* --- Rewriting --- */

static void
make_cell (const Fusing *fusing, HybRewrite *rewrite, const FoundCell *found)
{
  const HybCell *cell = &found->cell;
  HybValueId     inputs[HYB_CELL_INPUTS], next;
  HybNodeSpec    spec = {
       .op = hyb_op_find (found->keeps ? cell->kind->recording : cell->kind->forward),
       .n_inputs = HYB_CELL_INPUTS,
       .inputs = inputs,
  };

  for (guint i = 0; i < HYB_CELL_INPUTS; i++)
    inputs[i] = hyb_rewrite_value (rewrite, cell->inputs[i]);
  next = hyb_rewrite_add (rewrite, cell->output, &spec);
  hyb_rewrite_set_value (rewrite, hyb_graph_get_node (fusing->graph, cell->output)->first_output,
                         next++);
  if (cell->cell != HYB_NO_ID)
    hyb_rewrite_set_value (rewrite, hyb_graph_get_node (fusing->graph, cell->cell)->first_output,
                           next++);
  for (guint i = 0; found->keeps && i < cell->kind->n_kept; i++)
    hyb_rewrite_set_value (rewrite, cell->kept[i], next++);
}

static void
make_gradient (const Fusing *fusing, HybRewrite *rewrite, const FoundCell *found)
{
  const HybWrittenCellKind *kind = found->cell.kind;
  gboolean                  has_cell = found->gradient.cell != HYB_NO_ID;
  const char *attributes[] = { kind->cell_attribute, has_cell ? "True" : "False", NULL };
  HybValueId  inputs[1 + HYB_CELL_KEPT + HYB_CELL_INPUTS + 1], first;
  HybNodeSpec spec = { .op = hyb_op_find (kind->backward),
                       .inputs = inputs,
                       .attributes = kind->cell_attribute ? attributes : NULL };
  HybNodeId   old = hyb_graph_get_producer (fusing->graph, found->gradient.results[0]);

  inputs[spec.n_inputs++] = hyb_rewrite_value (rewrite, found->gradient.output);
  for (guint i = 0; i < kind->n_kept; i++)
    inputs[spec.n_inputs++] = hyb_rewrite_value (rewrite, found->cell.kept[i]);
  for (guint i = kind->first_read; i < HYB_CELL_INPUTS; i++)
    inputs[spec.n_inputs++] = hyb_rewrite_value (rewrite, found->cell.inputs[i]);
  if (has_cell)
    inputs[spec.n_inputs++] = hyb_rewrite_value (rewrite, found->gradient.cell);
  first = hyb_rewrite_add (rewrite, old, &spec);
  for (guint i = 0; i < kind->n_results; i++)
    if (found->gradient.results[i] != HYB_NO_ID)
      hyb_rewrite_set_value (rewrite, found->gradient.results[i], first + i);
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Fusing *fusing = data;

  if (fusing->forward[id])
    make_cell (fusing, rewrite, fusing->forward[id]);
  else if (fusing->backward[id])
    make_gradient (fusing, rewrite, fusing->backward[id]);
  else if (!fusing->is_removed[id])
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
fuse_gates_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint                  n_nodes = hyb_graph_n_nodes (graph);
  g_autofree guint8     *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8     *is_removed = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree FoundCell **forward = g_new0 (FoundCell *, MAX (n_nodes, 1));
  g_autofree FoundCell **backward = g_new0 (FoundCell *, MAX (n_nodes, 1));
  Fusing                 fusing = { .graph = graph,
                                    .is_head = is_head,
                                    .is_removed = is_removed,
                                    .forward = forward,
                                    .backward = backward };
  HybGraph              *result;

  hyb_cells_init (&fusing.cells, graph, facts);
  result = find_cells (&fusing) > 0 ? hyb_rewrite_graph (graph, visit, &fusing, map, error)
                                    : hyb_graph_ref (graph);
  for (HybNodeId id = 0; id < n_nodes; id++)
    g_free (forward[id]);
  return result;
}

extern const HybPass hyb_pass_fuse_gates;

const HybPass hyb_pass_fuse_gates = {
  .name = "fuse-gates",
  .doc = "Computes the gates of each recurrent cell in one node, and their gradients in another.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = fuse_gates_run,
};
