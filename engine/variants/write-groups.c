/* write-groups.c — makes a graph anew, each group of chains after everything that it reads.
 *
 * A group is written as one unit, so it dependencies all inputs of all steps first.  Groups for
 * which such an order does not exist, or that the form cannot express, stay as they are.  Start
 * reading at hyb_write_groups().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/write-groups.h"

#include "engine/base/error.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-node.h"

#include <string.h>

/* Orders units so that each comes after all that it reads.  A unit is a node (its id) or a group
 * (the number of nodes plus its index). */
typedef struct
{
  HybConversion *conversion;
  HybCells      *cells;
  GPtrArray     *groups;
  guint32       *group_of_node; /* by node; HYB_NO_ID: none */
  char         **reasons;       /* by group: why it is not written; NULL if it is */
  guint8        *state; /* by unit: 0 not visited, 1 its dependencies are being visited, 2 done */
  GArray        *order; /* of guint: units */
} Orderer;

/* --- Values that the new form does not provide --- */

/* One step of the chain in one row of a group. */
typedef struct
{
  const HybCells *cells;
  const HybGroup *group;
  guint           row, step;
} GroupStep;

static const HybCellStep *
get_step (const GroupStep *at)
{
  return hyb_chain_step (at->cells, hyb_group_chain (at->cells, at->group, at->row), at->step);
}

static gboolean
is_top_layer (const GroupStep *at)
{
  return at->row / at->group->n_directions == at->group->n_layers - 1;
}

/* Whether the new form provides this value of a step. */
static gboolean
is_provided (const GroupStep *at, HybValueId value, gboolean gives_all)
{
  const HybCellStep *cell = get_step (at);
  gboolean is_last = at->step == hyb_group_chain (at->cells, at->group, at->row)->n_steps - 1;

  if (value == cell->h)
    return is_top_layer (at) || is_last || gives_all;
  for (guint s = 1; s < hyb_step_n_states (cell); s++)
    if (value == hyb_step_state (cell, s))
      return is_last || gives_all;
  return FALSE;
}

static gboolean
is_read_outside (const HybCells *cells, const HybGroup *group, HybValueId value, GHashTable *heads)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (cells->graph, value, &n);

  if (g_hash_table_contains (heads, GUINT_TO_POINTER (value)))
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      guint    chain = cells->chain_of_node[users[i]];
      gboolean is_inside = FALSE;

      for (guint c = 0; c < group->chains->len; c++)
        is_inside = is_inside || chain == g_array_index (group->chains, guint, c);
      if (!is_inside)
        return TRUE;
    }
  return FALSE;
}

HybValueId
hyb_group_find_missing_output (const HybCells *cells,
                               const HybGroup *group,
                               gboolean        gives_all_states)
{
  g_autoptr (GHashTable) heads = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL);
  guint             n;
  const HybValueId *head = hyb_graph_get_heads (cells->graph, &n);

  if (group->kind == HYB_CELL_NONE)
    return HYB_NO_ID; /* loops provide everything that is read */
  for (guint i = 0; i < n; i++)
    g_hash_table_add (heads, GUINT_TO_POINTER (head[i]));
  for (guint c = 0; c < group->chains->len; c++)
    g_hash_table_insert (rows, GUINT_TO_POINTER (g_array_index (group->chains, guint, c)),
                         GUINT_TO_POINTER (c + 1));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (cells->graph, id);
      guint          row = GPOINTER_TO_UINT (
                   g_hash_table_lookup (rows, GUINT_TO_POINTER (cells->chain_of_node[id])));

      if (cells->chain_of_node[id] == HYB_NO_ID || row == 0)
        continue;
      for (guint i = 0; i < node->n_outputs; i++)
        {
          HybValueId value = node->first_output + i;
          GroupStep  at = { cells, group, row - 1, cells->step_of_node[id] };

          /* hyb_groups_find() has checked who reads h of the lower layers. */
          if (!(!is_top_layer (&at) && value == get_step (&at)->h) &&
              !is_provided (&at, value, gives_all_states) &&
              is_read_outside (cells, group, value, heads))
            return value;
        }
    }
  return HYB_NO_ID;
}

/* --- Order --- */

static guint
unit_of (const Orderer *orderer, HybValueId value)
{
  HybNodeId id = hyb_graph_get_producer (orderer->cells->graph, value);
  guint     group = orderer->group_of_node[id];

  return group == HYB_NO_ID ? id : hyb_graph_n_nodes (orderer->cells->graph) + group;
}

static void
add_dependency (const Orderer *orderer, HybValueId value, GArray *dependencies)
{
  guint unit = unit_of (orderer, value);

  g_array_append_val (dependencies, unit);
}

static void
add_term (const Orderer *orderer, const HybTerm *term, GArray *dependencies)
{
  add_dependency (orderer, term->weight, dependencies);
  if (term->bias != HYB_NO_ID)
    add_dependency (orderer, term->bias, dependencies);
}

/* All values that the first step of a body reads but does not make. */
static void
list_body_dependencies (const Orderer *orderer, const HybGroup *group, GArray *dependencies)
{
  guint chain = g_array_index (group->chains, guint, 0);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (orderer->cells->graph); id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (orderer->cells->graph, id);

      if (orderer->cells->chain_of_node[id] != chain || orderer->cells->step_of_node[id] != 0)
        continue;
      for (guint i = 0; i < hyb_graph_get_node (orderer->cells->graph, id)->n_inputs; i++)
        if (orderer->cells
                ->chain_of_node[hyb_graph_get_producer (orderer->cells->graph, inputs[i])] != chain)
          add_dependency (orderer, inputs[i], dependencies);
    }
}

static void
list_group_dependencies (const Orderer *orderer, const HybGroup *group, GArray *dependencies)
{
  if (group->kind == HYB_CELL_NONE)
    list_body_dependencies (orderer, group, dependencies);
  for (guint row = 0; row < group->chains->len; row++)
    {
      const HybChain    *chain = hyb_group_chain (orderer->cells, group, row);
      const HybCellStep *first = hyb_chain_step (orderer->cells, chain, 0);

      for (guint s = 0; s < hyb_step_n_states (first); s++)
        add_dependency (orderer, hyb_step_state_in (first, s), dependencies);
      for (guint g = 0; g < first->n_gates; g++)
        {
          add_term (orderer, &first->gate[g].input, dependencies);
          add_term (orderer, &first->gate[g].hidden, dependencies);
        }
      if (first->projection.rows > 0)
        add_term (orderer, &first->projection, dependencies);
      for (guint t = 0; row < group->n_directions && t < chain->n_steps; t++)
        add_dependency (orderer, hyb_chain_step (orderer->cells, chain, t)->x, dependencies);
    }
}

static void
list_dependencies (const Orderer *orderer, guint unit, GArray *dependencies)
{
  HybGraph         *graph = orderer->cells->graph;
  guint             n_nodes = hyb_graph_n_nodes (graph);
  const HybValueId *inputs;

  if (unit >= n_nodes)
    {
      list_group_dependencies (orderer, orderer->groups->pdata[unit - n_nodes], dependencies);
      return;
    }
  inputs = hyb_graph_get_inputs (graph, unit);
  for (guint i = 0; i < hyb_graph_get_node (graph, unit)->n_inputs; i++)
    {
      guint dependency = unit_of (orderer, inputs[i]);

      g_array_append_val (dependencies, dependency);
    }
}

/* Visits a unit after its dependencies, depth first, without recursion because chains are long.
 * Where a unit depends on itself, a group on the cycle cannot be written as one: returns its index,
 * else HYB_NO_ID. */
static guint
visit (Orderer *orderer, guint unit)
{
  guint n_nodes = hyb_graph_n_nodes (orderer->cells->graph);
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (todo, unit);
  while (todo->len > 0)
    {
      guint now = g_array_index (todo, guint, todo->len - 1);
      guint from = todo->len;

      if (orderer->state[now] != 0)
        {
          if (orderer->state[now] == 1)
            {
              orderer->state[now] = 2;
              g_array_append_val (orderer->order, now);
            }
          g_array_set_size (todo, todo->len - 1);
          continue;
        }
      orderer->state[now] = 1;
      list_dependencies (orderer, now, todo);
      for (guint i = from; i < todo->len; i++)
        if (orderer->state[g_array_index (todo, guint, i)] == 1)
          {
            guint back = g_array_index (todo, guint, i);

            /* The graph has no cycles, so a group is on this one. */
            if (back >= n_nodes)
              return back - n_nodes;
            for (guint k = from; k-- > 0;)
              if (g_array_index (todo, guint, k) >= n_nodes &&
                  orderer->state[g_array_index (todo, guint, k)] == 1)
                return g_array_index (todo, guint, k) - n_nodes;
          }
    }
  return HYB_NO_ID;
}

static void
mark_groups (Orderer *orderer)
{
  guint               n_nodes = hyb_graph_n_nodes (orderer->cells->graph);
  g_autofree guint32 *group_of_chain = g_new (guint32, MAX (orderer->cells->chains->len, 1));

  memset (group_of_chain, 0xff, orderer->cells->chains->len * sizeof (guint32));
  for (guint g = 0; g < orderer->groups->len; g++)
    {
      const HybGroup *group = orderer->groups->pdata[g];

      for (guint c = 0; !orderer->reasons[g] && c < group->chains->len; c++)
        group_of_chain[g_array_index (group->chains, guint, c)] = g;
    }
  for (HybNodeId id = 0; id < n_nodes; id++)
    orderer->group_of_node[id] = orderer->cells->chain_of_node[id] == HYB_NO_ID
                                     ? HYB_NO_ID
                                     : group_of_chain[orderer->cells->chain_of_node[id]];
}

/* Computes the order.  FALSE if a group depends on itself; it gets a reason not to be written, and
 * the caller tries again. */
static gboolean
try_order (Orderer *orderer)
{
  guint             n, n_units = hyb_graph_n_nodes (orderer->cells->graph) + orderer->groups->len;
  const HybValueId *heads = hyb_graph_get_heads (orderer->cells->graph, &n);

  mark_groups (orderer);
  memset (orderer->state, 0, n_units);
  g_array_set_size (orderer->order, 0);
  for (guint i = 0; i < n; i++)
    {
      guint group = visit (orderer, unit_of (orderer, heads[i]));

      if (group == HYB_NO_ID)
        continue;
      orderer->reasons[group] =
          g_strdup ("its input in one step depends on its output in an earlier step");
      return FALSE;
    }
  return TRUE;
}

/* --- Writing --- */

void
hyb_group_match_nodes (HybConversion  *conversion,
                       const HybCells *cells,
                       const HybGroup *group,
                       HybValueId      value)
{
  if (conversion->rebuild.error)
    return;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    for (guint c = 0; c < group->chains->len; c++)
      if (cells->chain_of_node[id] == g_array_index (group->chains, guint, c))
        hyb_rebuild_add_match (&conversion->rebuild, id, value, (gint32) cells->step_of_node[id]);
}

static void
report_kept_group (Orderer *orderer, guint index)
{
  const HybGroup    *group = orderer->groups->pdata[index];
  const HybCellStep *step =
      hyb_chain_step (orderer->cells, hyb_group_chain (orderer->cells, group, 0), 0);
  g_autofree char *where = hyb_value_describe (orderer->cells->graph, step->h);

  hyb_model_add_finding (orderer->conversion->to,
                         hyb_finding_new ("kept-unrolled", HYB_SEVERITY_WARNING,
                                          "the %s of %u steps that begins at %s stays as it is: %s",
                                          hyb_cell_kind_name (group->kind), group->n_steps, where,
                                          orderer->reasons[index]));
}

static gboolean
write_units (Orderer *orderer, const HybGroupWriter *writer, GError **error)
{
  guint n_nodes = hyb_graph_n_nodes (orderer->cells->graph);

  for (guint i = 0; i < orderer->order->len; i++)
    {
      guint unit = g_array_index (orderer->order, guint, i);

      if (orderer->conversion->rebuild.error)
        return TRUE; /* hyb_rebuild_finish() reports it */
      if (unit < n_nodes)
        hyb_rebuild_node (&orderer->conversion->rebuild, unit);
      else if (!writer->write (orderer->conversion, orderer->cells,
                               orderer->groups->pdata[unit - n_nodes], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_any_group_left (Orderer *orderer, GError **error)
{
  for (guint g = 0; g < orderer->groups->len; g++)
    if (!orderer->reasons[g])
      return TRUE;
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                       "no cell can be written in this form: %s",
                       orderer->groups->len > 0 ? orderer->reasons[0] : "there is none");
}

/* Why a chain of the group is only a part of a longer one; NULL if all are complete. */
static char *
find_break (const HybCells *cells, const HybGroup *group)
{
  char *reason = NULL;

  for (guint c = 0; !reason && c < group->chains->len; c++)
    reason = hyb_chain_dup_break (cells, g_array_index (group->chains, guint, c));
  return reason;
}

gboolean
hyb_write_groups (HybConversion        *conversion,
                  HybCells             *cells,
                  GPtrArray            *groups,
                  const HybGroupWriter *writer,
                  GError              **error)
{
  guint    n_nodes = hyb_graph_n_nodes (cells->graph);
  Orderer  orderer = { conversion, cells, groups, NULL, NULL, NULL, NULL };
  gboolean is_done;

  orderer.group_of_node = g_new (guint32, MAX (n_nodes, 1));
  orderer.reasons = g_new0 (char *, groups->len + 1);
  orderer.state = g_new (guint8, n_nodes + groups->len + 1);
  orderer.order = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint g = 0; g < groups->len; g++)
    {
      orderer.reasons[g] = find_break (cells, groups->pdata[g]);
      if (!orderer.reasons[g])
        orderer.reasons[g] = writer->check (conversion, cells, groups->pdata[g]);
    }
  while (!try_order (&orderer))
    ;
  for (guint g = 0; g < groups->len; g++)
    if (orderer.reasons[g])
      report_kept_group (&orderer, g);
  is_done = is_any_group_left (&orderer, error) && write_units (&orderer, writer, error);

  g_free (orderer.group_of_node);
  for (guint g = 0; g < groups->len; g++)
    g_free (orderer.reasons[g]);
  g_free (orderer.reasons);
  g_free (orderer.state);
  g_array_unref (orderer.order);
  return is_done;
}
