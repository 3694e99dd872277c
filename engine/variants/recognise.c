/* recognise.c — finds steps of cells and links them to chains.
 *
 * Every node is tried as the new state of a step (match-step.h).  Steps are linked through their
 * states, plain cells inside larger ones are dropped, and chains that would continue each other but
 * for one node are noted.  Start reading at hyb_cells_find().
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
may_be_state (const HybCells *cells, HybValueId value, const guint8 *is_state)
{
  HybNodeId id = hyb_graph_get_producer (cells->graph, value);

  if (is_state && is_state[value])
    return TRUE;
  if (hyb_value_kind (cells->graph, value) == HYB_KIND_CONSTANT)
    return TRUE;
  return hyb_node_is_variable (hyb_graph_get_node (cells->graph, id)) &&
         hyb_graph_get_role (cells->graph, id, FALSE) == HYB_ROLE_STATE;
}

/* Whether step reads the states of before and shares its weights. */
static gboolean
follows (const HybCellStep *step, const HybCellStep *before)
{
  return step->h_in == before->h && (step->c == HYB_NO_ID || step->c_in == before->c) &&
         hyb_steps_share_weights (step, before);
}

/* Links step behind the step with index before_index if it follows it, exchanging the terms of the
 * earlier step where these are not decided yet. */
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

/* Decides which terms are the state's if only one of the two values can be a state. */
static void
decide_by_source (const HybCells *cells, const guint8 *is_state, HybCellStep *step)
{
  gboolean x_is = may_be_state (cells, step->x, is_state);
  gboolean h_is = may_be_state (cells, step->h_in, is_state);

  if (step->is_decided || x_is == h_is)
    return;
  if (x_is)
    hyb_step_swap_terms (step);
  step->is_decided = TRUE;
}

/* Links step to the one whose state it reads.  step_of_value: index of a step by its state h. */
static void
link_step (HybCells *cells, GHashTable *step_of_value, HybCellStep *step, guint index)
{
  for (guint attempt = 0; attempt < 2; attempt++)
    {
      gpointer before;

      if (g_hash_table_lookup_extended (step_of_value, GUINT_TO_POINTER (step->h_in), NULL,
                                        &before) &&
          try_link (cells, step, index, GPOINTER_TO_UINT (before)))
        return;
      if (step->is_decided)
        return;
      hyb_step_swap_terms (step);
    }
}

/* --- Steps that stand alone --- */

/* Whether the weight of the state has as many columns as the state has elements, as far as that is
 * known. */
static gboolean
is_square (const HybType *types, const HybCellStep *step)
{
  const HybTerm  *term = &step->gate[0].hidden;
  gint64          size = step->projection.rows > 0 ? step->projection.rows : term->rows;
  const HybShape *shape;

  if (!types)
    return TRUE;
  if (term->columns != HYB_COLUMNS_ALL)
    {
      shape = &types[step->h_in].shape;
      return shape->rank != 2 || shape->dim[1] == HYB_UNKNOWN || shape->dim[1] == size;
    }
  shape = &types[term->weight].shape;
  return shape->rank != 2 || shape->dim[1] == HYB_UNKNOWN ||
         shape->dim[term->is_transposed ? 0 : 1] == size;
}

/* Decides which terms of a chain of one step are the state's.  FALSE if nothing shows that it is a
 * cell. */
static gboolean
decide_single_step (const HybCells *cells,
                    const HybType  *types,
                    const guint8   *is_state,
                    HybCellStep    *step)
{
  gboolean is_memory_state;

  if (step->is_decided)
    return is_square (types, step);
  for (guint attempt = 0; attempt < 2; attempt++)
    {
      if (may_be_state (cells, step->h_in, is_state) && !may_be_state (cells, step->x, is_state) &&
          is_square (types, step))
        return TRUE;
      hyb_step_swap_terms (step);
    }
  if (step->c == HYB_NO_ID)
    return FALSE;

  /* Both initial states of an LSTM are variables, or neither is. */
  is_memory_state = hyb_value_is_variable (cells->graph, step->c_in);
  if (hyb_value_is_variable (cells->graph, step->x) == is_memory_state &&
      (hyb_value_is_variable (cells->graph, step->h_in) != is_memory_state ||
       !is_square (types, step)))
    hyb_step_swap_terms (step);
  return is_square (types, step);
}

/* --- Chains --- */

/* Marks every node between a step's new states and its inputs. */
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
      /* A weight may be computed, but its nodes do not belong to the step. */
      cells->chain_of_node[id] = chain;
      cells->step_of_node[id] = number;
      for (guint i = 0; i < node->n_inputs; i++)
        if (i == 0 || hyb_node_kind (node) != HYB_KIND_LINEAR)
          g_array_append_val (todo, inputs[i]);
    }
}

/* Plain cells have one gate.  A single gate of a larger cell matches this form, too. */
static gboolean
is_plain (const HybCellStep *step)
{
  return step->n_gates == 1;
}

/* Whether a chain begins at this step. */
static gboolean
is_first_step (HybCells *cells, const HybType *types, const guint8 *is_state, guint index)
{
  HybCellStep *step = get_step (cells, index);

  return step->previous == HYB_NO_ID &&
         (step->next != HYB_NO_ID || decide_single_step (cells, types, is_state, step));
}

/* Marks the nodes of cells with several gates. */
static void
mark_large_cells (HybCells *cells)
{
  for (guint i = 0; i < cells->steps->len; i++)
    if (!is_plain (get_step (cells, i)) && get_step (cells, i)->kind != HYB_CELL_NONE)
      mark_nodes (cells, get_step (cells, i), 0, 0);
}

/* Drops plain cells that are parts of larger ones. */
static void
drop_parts_of_large_cells (HybCells *cells)
{
  for (guint i = 0; i < cells->steps->len; i++)
    {
      HybCellStep *step = get_step (cells, i);
      HybNodeId    id = hyb_graph_get_producer (cells->graph, step->h);

      if (is_plain (step) && cells->chain_of_node[id] != HYB_NO_ID)
        step->kind = HYB_CELL_NONE;
    }
}

/* Whether a step belongs to a projected cell: another step reads the projected state, or the
 * state must have the projected size.  Otherwise, the product follows the cell and is not part
 * of it. */
static gboolean
is_certainly_projected (const HybType *types, const HybCellStep *step)
{
  const HybTerm *term = &step->gate[0].hidden;

  if (step->previous != HYB_NO_ID || step->next != HYB_NO_ID)
    return TRUE;
  return types && term->columns == HYB_COLUMNS_ALL && step->projection.rows != term->rows &&
         types[term->weight].shape.rank == 2 && is_square (types, step) &&
         types[term->weight].shape.dim[term->is_transposed ? 0 : 1] != HYB_UNKNOWN;
}

/* Decides which cells have a projection, and drops cells without it that are parts of them. */
static void
decide_projections (HybCells *cells, const HybType *types)
{
  guint n_nodes = hyb_graph_n_nodes (cells->graph);

  for (guint i = 0; i < cells->steps->len; i++)
    {
      HybCellStep *step = get_step (cells, i);

      if (step->kind != HYB_CELL_LSTMP)
        continue;
      if (is_certainly_projected (types, step))
        mark_nodes (cells, step, 0, 0);
      else
        step->kind = HYB_CELL_NONE;
    }
  for (guint i = 0; i < cells->steps->len; i++)
    {
      HybCellStep *step = get_step (cells, i);

      if (step->kind == HYB_CELL_LSTM &&
          cells->chain_of_node[hyb_graph_get_producer (cells->graph, step->h)] != HYB_NO_ID)
        step->kind = HYB_CELL_NONE;
    }
  memset (cells->chain_of_node, 0xff, n_nodes * sizeof (guint32));
  memset (cells->step_of_node, 0xff, n_nodes * sizeof (guint32));
}

static void
add_chain (HybCells *cells, guint first)
{
  HybChain *chain = g_new0 (HybChain, 1);
  guint     n = 0;

  for (guint i = first; i != HYB_NO_ID; i = get_step (cells, i)->next)
    n++;
  chain->n_steps = n;
  chain->continues = chain->first_difference = HYB_NO_ID;
  chain->steps = g_new (guint, n);
  chain->kind = get_step (cells, first)->kind;
  chain->hidden = get_step (cells, first)->gate[0].hidden.rows;
  chain->projection = get_step (cells, first)->projection.rows;
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

/* --- Chains that are parts of a longer one --- */

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

/* The first weight or bias that step b reads and step a does not. */
static HybNodeId
find_differing_weight (const HybCells *cells, const HybCellStep *a, const HybCellStep *b)
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

#define MAX_ANCESTORS 256
#define MAX_DEPTH     12

/* Whether this node belongs to another chain with some of the same weights; the chain then
 * continues it. is_near: no node is between the two chains, so that the difference is in the
 * weights. */
static gboolean
continues_chain_of (HybCells *cells, guint index, HybNodeId id, gboolean is_near)
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
  chain->continues = other;
  if (is_near)
    chain->first_difference = find_differing_weight (cells, before, first);
  return TRUE;
}

/* The first node among a and its ancestors that differs from the corresponding node of b;
 * HYB_NO_ID if there is none.  Nodes of steps in chains are not followed. */
static HybNodeId
find_difference (const HybCells *cells, HybNodeId a, HybNodeId b, guint depth)
{
  const HybNode *node = hyb_graph_get_node (cells->graph, a);

  if (!hyb_nodes_alike (node, hyb_graph_get_node (cells->graph, b)))
    return a;
  if (a == b || depth == MAX_DEPTH || hyb_node_is_variable (node) ||
      cells->chain_of_node[a] != HYB_NO_ID)
    return HYB_NO_ID;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId x = hyb_graph_get_inputs (cells->graph, a)[i];
      HybValueId y = hyb_graph_get_inputs (cells->graph, b)[i];
      HybNodeId  found = find_difference (cells, hyb_graph_get_producer (cells->graph, x),
                                          hyb_graph_get_producer (cells->graph, y), depth + 1);

      if (found != HYB_NO_ID)
        return found;
    }
  return HYB_NO_ID;
}

/* Finds the node that separates a chain from the one it would continue.  start makes a state that
 * the chain begins with; it is compared with the node that makes this state in the last step of the
 * earlier chain. */
static void
find_separating_node (HybCells *cells, HybChain *chain, HybNodeId start)
{
  const HybChain    *before = cells->chains->pdata[chain->continues];
  const HybCellStep *last = hyb_chain_step (cells, before, before->n_steps - 1);
  const HybCellStep *first = hyb_chain_step (cells, chain, 0);
  gboolean           is_memory_state = hyb_graph_get_producer (cells->graph, first->h_in) != start;
  HybValueId         state = is_memory_state ? last->c : last->h;
  HybNodeId          found = HYB_NO_ID;

  /* A cell of another kind may have no state c. */
  if (state != HYB_NO_ID)
    found = find_difference (cells, start, hyb_graph_get_producer (cells->graph, state), 0);
  chain->is_difference_inside = found != HYB_NO_ID && found != start;
  chain->first_difference = chain->is_difference_inside ? found : start;
}

/* Searches the ancestors of an initial state for a chain with the same weights. */
static void
find_continued_chain (HybCells *cells, guint index, HybValueId state)
{
  HybChain *chain = cells->chains->pdata[index];
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  HybNodeId start = hyb_graph_get_producer (cells->graph, state);

  g_array_append_val (todo, start);
  for (guint i = 0; i < todo->len && i < MAX_ANCESTORS; i++)
    {
      HybNodeId         id = g_array_index (todo, HybNodeId, i);
      const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);

      if (continues_chain_of (cells, index, id, id == start))
        {
          if (id != start)
            find_separating_node (cells, chain, start);
          return;
        }
      /* Nodes of chains are not searched further: their readers continue that chain, not this
       * one. */
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

      find_continued_chain (cells, i, first->h_in);
      if (chain->continues == HYB_NO_ID && first->c_in != HYB_NO_ID)
        find_continued_chain (cells, i, first->c_in);
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
  decide_projections (cells, types);
  mark_large_cells (cells);
  drop_parts_of_large_cells (cells);
  memset (cells->chain_of_node, 0xff, n_nodes * sizeof (guint32));
  memset (cells->step_of_node, 0xff, n_nodes * sizeof (guint32));
  for (guint i = 0; i < cells->steps->len; i++)
    if (get_step (cells, i)->kind != HYB_CELL_NONE && is_first_step (cells, types, is_state, i))
      add_chain (cells, i);
  find_breaks (cells);
  if (!is_state)
    hyb_cells_add_bodies (cells);
  return cells;
}
