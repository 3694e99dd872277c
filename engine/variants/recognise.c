/* recognise.c — steps of cells, linked to chains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/recognise.h"

#include "engine/graph/roles.h"
#include "engine/variants/body-chains.h"
#include "engine/variants/match-step.h"
#include "engine/variants/node-kind.h"

#include <string.h>

static HybCellStep *
get_step (const HybCells *cells, guint index)
{
  return &g_array_index (cells->steps, HybCellStep, index);
}

static void
free_chain (gpointer data)
{
  HybChain *chain = data;

  g_clear_pointer (&chain->nodes, g_ptr_array_unref);
  g_free (chain->steps);
  g_free (chain);
}

/* --- Linking --- */

static gboolean
looks_like_state (const HybCells *cells, HybValueId value, const guint8 *is_state)
{
  HybNodeId id = hyb_graph_get_producer (cells->graph, value);

  if (is_state && is_state[value])
    return TRUE;
  if (hyb_value_kind (cells->graph, value) == HYB_KIND_CONSTANT)
    return TRUE;
  return hyb_node_is_variable (hyb_graph_get_node (cells->graph, id)) &&
         hyb_graph_get_role (cells->graph, id, FALSE) == HYB_ROLE_STATE;
}

/* Whether step follows before with these roles, and with the ones that before would
 * have if its terms were exchanged. */
static gboolean
follows (const HybCellStep *step, const HybCellStep *before)
{
  return step->h_in == before->h && (step->c == HYB_NO_ID || step->c_in == before->c) &&
         hyb_steps_share_weights (step, before);
}

static gboolean
try_link (HybCells *cells, HybCellStep *step, guint index, guint before_index)
{
  HybCellStep *before = get_step (cells, before_index);
  HybCellStep  other = *before;

  hyb_step_swap_terms (&other);
  if (!follows (step, before) && (before->is_decided || !follows (step, &other)))
    return FALSE;
  if (!follows (step, before))
    *before = other;
  if (before->next != HYB_NO_ID)
    return FALSE;
  step->is_decided = before->is_decided = TRUE;
  step->previous = before_index;
  before->next = index;
  return TRUE;
}

/* What only one of the two terms can be. */
static void
decide_by_source (const HybCells *cells, const guint8 *is_state, HybCellStep *step)
{
  gboolean x_is = looks_like_state (cells, step->x, is_state);
  gboolean h_is = looks_like_state (cells, step->h_in, is_state);

  if (step->is_decided || x_is == h_is)
    return;
  if (x_is)
    hyb_step_swap_terms (step);
  step->is_decided = TRUE;
}

/* step_of_value: steps by the state they make. */
static void
link_step (HybCells *cells, GHashTable *step_of_value, HybCellStep *step, guint index)
{
  for (guint attempt = 0; attempt < 2; attempt++)
    {
      gpointer before;

      if (g_hash_table_lookup_extended (step_of_value,
                                        GUINT_TO_POINTER (step->h_in),
                                        NULL,
                                        &before) &&
          try_link (cells, step, index, GPOINTER_TO_UINT (before)))
        return;
      if (step->is_decided)
        return;
      hyb_step_swap_terms (step);
    }
}

/* --- Steps that stand alone --- */

static gboolean
is_square (const HybType *types, const HybCellStep *step)
{
  const HybTerm  *term = &step->gate[0].hidden;
  const HybShape *shape;

  if (!types)
    return TRUE;
  if (term->columns != HYB_COLUMNS_ALL)
    {
      shape = &types[step->h_in].shape;
      return shape->rank != 2 || shape->dim[1] == HYB_UNKNOWN || shape->dim[1] == term->rows;
    }
  shape = &types[term->weight].shape;
  return shape->rank != 2 || shape->dim[1] == HYB_UNKNOWN ||
         shape->dim[term->is_transposed ? 0 : 1] == term->rows;
}

/* A chain of one: which term is the state's.  FALSE: nothing says that it is a cell. */
static gboolean
decide (const HybCells *cells, const HybType *types, const guint8 *is_state, HybCellStep *step)
{
  gboolean is_memory_state;

  if (step->is_decided)
    return TRUE;
  for (guint attempt = 0; attempt < 2; attempt++)
    {
      if (looks_like_state (cells, step->h_in, is_state) &&
          !looks_like_state (cells, step->x, is_state) && is_square (types, step))
        return TRUE;
      hyb_step_swap_terms (step);
    }
  if (step->c == HYB_NO_ID)
    return FALSE;

  /* Both memories of an LSTM come from the same kind of place. */
  is_memory_state = hyb_value_is_variable (cells->graph, step->c_in);
  if (hyb_value_is_variable (cells->graph, step->x) == is_memory_state &&
      (hyb_value_is_variable (cells->graph, step->h_in) != is_memory_state ||
       !is_square (types, step)))
    hyb_step_swap_terms (step);
  return is_square (types, step);
}

/* --- Chains --- */

/* Marks every node between a step's new states and what it reads. */
static void
mark_nodes (HybCells *cells, const HybCellStep *step, guint chain, guint number)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  g_array_append_val (todo, step->h);
  while (todo->len > 0)
    {
      HybValueId        value = g_array_index (todo, HybValueId, todo->len - 1);
      HybNodeId         id = hyb_graph_get_producer (cells->graph, value);
      const HybNode    *node = hyb_graph_get_node (cells->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);

      g_array_set_size (todo, todo->len - 1);
      if (value == step->x || value == step->h_in || value == step->c_in ||
          hyb_node_is_variable (node) || cells->chain_of_node[id] != HYB_NO_ID)
        continue;
      /* A weight may be computed; how is not the step's business. */
      cells->chain_of_node[id] = chain;
      cells->step_of_node[id] = number;
      for (guint i = 0; i < node->n_inputs; i++)
        if (i == 0 || hyb_node_kind (node) != HYB_KIND_LINEAR)
          g_array_append_val (todo, inputs[i]);
    }
}

/* Candidates and gates of larger cells look like plain cells: they are none. */
static gboolean
is_plain (const HybCellStep *step)
{
  return step->n_gates == 1;
}

static gboolean
is_cell (HybCells *cells, const HybType *types, const guint8 *is_state, guint index)
{
  HybCellStep *step = get_step (cells, index);

  return step->previous == HYB_NO_ID &&
         (step->next != HYB_NO_ID || decide (cells, types, is_state, step));
}

/* Which nodes belong to cells of several gates. */
static void
cover_nodes (HybCells *cells)
{
  for (guint i = 0; i < cells->steps->len; i++)
    if (!is_plain (get_step (cells, i)))
      mark_nodes (cells, get_step (cells, i), 0, 0);
}

static void
drop_covered (HybCells *cells)
{
  for (guint i = 0; i < cells->steps->len; i++)
    {
      HybCellStep *step = get_step (cells, i);
      HybNodeId    id = hyb_graph_get_producer (cells->graph, step->h);

      if (is_plain (step) && cells->chain_of_node[id] != HYB_NO_ID)
        step->kind = HYB_CELL_NONE;
    }
}

static void
add_chain (HybCells *cells, guint first)
{
  HybChain *chain = g_new0 (HybChain, 1);
  guint     n = 0;

  for (guint i = first; i != HYB_NO_ID; i = get_step (cells, i)->next)
    n++;
  chain->n_steps = n;
  chain->goes_on = chain->odd = HYB_NO_ID;
  chain->steps = g_new (guint, n);
  chain->kind = get_step (cells, first)->kind;
  chain->hidden = get_step (cells, first)->gate[0].hidden.rows;
  n = 0;
  for (guint i = first; i != HYB_NO_ID; i = get_step (cells, i)->next)
    {
      mark_nodes (cells, get_step (cells, i), cells->chains->len, n);
      chain->steps[n++] = i;
    }
  g_ptr_array_add (cells->chains, chain);
}

static void
find_steps (HybCells *cells, const HybType *types, const guint8 *is_state)
{
  HybMatcher matcher = { cells->graph, types };
  g_autoptr (GHashTable) step_of_value = g_hash_table_new (NULL, NULL);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    {
      HybCellStep step;
      guint       index = cells->steps->len;

      if (!hyb_match_step (&matcher, id, &step))
        continue;
      decide_by_source (cells, is_state, &step);
      link_step (cells, step_of_value, &step, index);
      g_array_append_val (cells->steps, step);
      g_hash_table_insert (step_of_value, GUINT_TO_POINTER (step.h), GUINT_TO_POINTER (index));
    }
}

/* --- Chains that are parts of one --- */

static gboolean
shares_some_weight (const HybCellStep *a, const HybCellStep *b)
{
  for (guint g = 0; g < a->n_gates; g++)
    for (guint k = 0; k < b->n_gates; k++)
      if (a->gate[g].hidden.weight == b->gate[k].hidden.weight ||
          a->gate[g].input.weight == b->gate[k].input.weight ||
          a->gate[g].hidden.weight == b->gate[k].input.weight ||
          a->gate[g].input.weight == b->gate[k].hidden.weight)
        return TRUE;
  return FALSE;
}

/* The first weight that one step reads and the other does not. */
static HybNodeId
odd_weight (const HybCells *cells, const HybCellStep *a, const HybCellStep *b)
{
  for (guint g = 0; g < a->n_gates && g < b->n_gates; g++)
    {
      const HybTerm *mine[] = { &b->gate[g].input, &b->gate[g].hidden };
      const HybTerm *other[] = { &a->gate[g].input, &a->gate[g].hidden };

      for (guint k = 0; k < 2; k++)
        if (mine[k]->weight != other[k]->weight)
          return hyb_graph_get_producer (cells->graph, mine[k]->weight);
        else if (mine[k]->bias != other[k]->bias && mine[k]->bias != HYB_NO_ID)
          return hyb_graph_get_producer (cells->graph, mine[k]->bias);
    }
  return hyb_graph_get_producer (cells->graph, b->h);
}

#define MAX_BETWEEN 256
#define MAX_INSIDE  12

/* Whether a chain with the same weights stands behind this node. */
static gboolean
is_part_behind (HybCells *cells, guint index, HybNodeId id, gboolean is_near)
{
  HybChain          *chain = cells->chains->pdata[index];
  const HybCellStep *first = hyb_chain_step (cells, chain, 0);
  guint              other = cells->chain_of_node[id];
  const HybCellStep *before;

  if (other == HYB_NO_ID || other == index)
    return FALSE;
  before = hyb_chain_step (cells, cells->chains->pdata[other], 0);
  if (!shares_some_weight (before, first))
    return FALSE;
  chain->goes_on = other;
  if (is_near)
    chain->odd = odd_weight (cells, before, first);
  return TRUE;
}

/* The first node below a that differs from the one that stands there below b; a step of
 * a chain is not looked into. */
static HybNodeId
find_difference (const HybCells *cells, HybNodeId a, HybNodeId b, guint depth)
{
  const HybNode *node = hyb_graph_get_node (cells->graph, a);

  if (!hyb_nodes_alike (node, hyb_graph_get_node (cells->graph, b)))
    return a;
  if (a == b || depth == MAX_INSIDE || hyb_node_is_variable (node) ||
      cells->chain_of_node[a] != HYB_NO_ID)
    return HYB_NO_ID;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId x = hyb_graph_get_inputs (cells->graph, a)[i];
      HybValueId y = hyb_graph_get_inputs (cells->graph, b)[i];
      HybNodeId  found = find_difference (cells,
                                         hyb_graph_get_producer (cells->graph, x),
                                         hyb_graph_get_producer (cells->graph, y),
                                         depth + 1);

      if (found != HYB_NO_ID)
        return found;
    }
  return HYB_NO_ID;
}

/* What begins a chain is no step: where does it differ from the last one before? */
static void
name_odd (HybCells *cells, HybChain *chain, HybNodeId start)
{
  const HybChain    *before = cells->chains->pdata[chain->goes_on];
  const HybCellStep *last = hyb_chain_step (cells, before, before->n_steps - 1);
  const HybCellStep *first = hyb_chain_step (cells, chain, 0);
  gboolean           is_memory = hyb_graph_get_producer (cells->graph, first->h_in) != start;
  HybValueId         state = is_memory ? last->c : last->h;
  HybNodeId          found = HYB_NO_ID;

  /* Cells of another kind may have no memory. */
  if (state != HYB_NO_ID)
    found = find_difference (cells, start, hyb_graph_get_producer (cells->graph, state), 0);
  chain->is_within = found != HYB_NO_ID && found != start;
  chain->odd = chain->is_within ? found : start;
}

/* Looks behind a state that a chain begins with for a chain with the same weights. */
static void
look_behind (HybCells *cells, guint index, HybValueId state)
{
  HybChain *chain = cells->chains->pdata[index];
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  HybNodeId start = hyb_graph_get_producer (cells->graph, state);

  g_array_append_val (todo, start);
  for (guint i = 0; i < todo->len && i < MAX_BETWEEN; i++)
    {
      HybNodeId         id = g_array_index (todo, HybNodeId, i);
      const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);

      if (is_part_behind (cells, index, id, id == start))
        {
          if (id != start)
            name_odd (cells, chain, start);
          return;
        }
      if (cells->chain_of_node[id] != HYB_NO_ID)
        continue;
      for (guint k = 0; k < hyb_graph_get_node (cells->graph, id)->n_inputs; k++)
        {
          HybNodeId input = hyb_graph_get_producer (cells->graph, inputs[k]);

          if (g_hash_table_add (seen, GUINT_TO_POINTER (input)))
            g_array_append_val (todo, input);
        }
    }
}

static void
find_breaks (HybCells *cells)
{
  for (guint i = 0; i < cells->chains->len; i++)
    {
      const HybChain    *chain = cells->chains->pdata[i];
      const HybCellStep *first = hyb_chain_step (cells, chain, 0);

      look_behind (cells, i, first->h_in);
      if (chain->goes_on == HYB_NO_ID && first->c_in != HYB_NO_ID)
        look_behind (cells, i, first->c_in);
    }
}

HybCells *
hyb_cells_find (HybGraph *graph, const HybType *types, const guint8 *is_state)
{
  HybCells *cells = g_new0 (HybCells, 1);
  guint     n_nodes = hyb_graph_n_nodes (graph);

  cells->graph = hyb_graph_ref (graph);
  cells->steps = g_array_new (FALSE, FALSE, sizeof (HybCellStep));
  cells->chains = g_ptr_array_new_with_free_func (free_chain);
  cells->chain_of_node = g_new (guint32, MAX (n_nodes, 1));
  cells->step_of_node = g_new (guint32, MAX (n_nodes, 1));
  memset (cells->chain_of_node, 0xff, n_nodes * sizeof (guint32));
  memset (cells->step_of_node, 0xff, n_nodes * sizeof (guint32));

  find_steps (cells, types, is_state);
  cover_nodes (cells);
  drop_covered (cells);
  memset (cells->chain_of_node, 0xff, n_nodes * sizeof (guint32));
  memset (cells->step_of_node, 0xff, n_nodes * sizeof (guint32));
  for (guint i = 0; i < cells->steps->len; i++)
    if (get_step (cells, i)->kind != HYB_CELL_NONE && is_cell (cells, types, is_state, i))
      add_chain (cells, i);
  find_breaks (cells);
  if (!is_state)
    hyb_cells_add_bodies (cells);
  return cells;
}
