/* recognise.c — steps of cells, linked to chains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/recognise.h"

#include "engine/graph/roles.h"
#include "engine/variants/match-step.h"
#include "engine/variants/vocabulary.h"

#include <string.h>

static const struct
{
  const char *name;
  guint       n_gates;
} kinds[HYB_N_CELLS] = {
  [HYB_CELL_NONE] = { "body", 0 },         [HYB_CELL_RNN_RELU] = { "rnn_relu", 1 },
  [HYB_CELL_RNN_TANH] = { "rnn_tanh", 1 }, [HYB_CELL_LSTM] = { "lstm", 4 },
  [HYB_CELL_GRU] = { "gru", 3 },           [HYB_CELL_GRU_BEFORE] = { "gru_reset_before", 3 },
};

const char *
hyb_cell_kind_name (HybCellKind kind)
{
  return kinds[kind].name;
}

guint
hyb_cell_kind_n_gates (HybCellKind kind)
{
  return kinds[kind].n_gates;
}

static HybCellStep *
get_step (const HybCells *cells, guint index)
{
  return &g_array_index (cells->steps, HybCellStep, index);
}

const HybCellStep *
hyb_chain_step (const HybCells *cells, const HybChain *chain, guint step)
{
  return get_step (cells, chain->steps[step]);
}

static void
free_chain (gpointer data)
{
  HybChain *chain = data;

  g_free (chain->steps);
  g_free (chain);
}

void
hyb_cells_free (HybCells *cells)
{
  if (!cells)
    return;
  hyb_graph_unref (cells->graph);
  g_array_unref (cells->steps);
  g_ptr_array_unref (cells->chains);
  g_free (cells->chain_of_node);
  g_free (cells->step_of_node);
  g_free (cells);
}

/* --- Linking --- */

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

  hyb_step_exchange (&other);
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
      hyb_step_exchange (step);
    }
}

/* --- Steps that stand alone --- */

static gboolean
looks_like_state (const HybCells *cells, HybValueId value, const guint8 *is_state)
{
  HybNodeId id = hyb_graph_get_producer (cells->graph, value);

  if (is_state && is_state[value])
    return TRUE;
  if (hyb_value_word (cells->graph, value) == HYB_WORD_CONSTANT)
    return TRUE;
  return hyb_node_is_variable (hyb_graph_get_node (cells->graph, id)) &&
         hyb_graph_get_role (cells->graph, id, FALSE) == HYB_ROLE_STATE;
}

static gboolean
is_square (const HybType *types, const HybCellStep *step)
{
  const HybShape *shape;

  if (!types)
    return TRUE;
  shape = &types[step->gate[0].hidden.weight].shape;
  return shape->rank != 2 || shape->dim[1] == HYB_UNKNOWN ||
         shape->dim[step->gate[0].hidden.is_transposed ? 0 : 1] == step->gate[0].hidden.rows;
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
      hyb_step_exchange (step);
    }
  if (step->c == HYB_NO_ID)
    return FALSE;

  /* Both memories of an LSTM come from the same kind of place. */
  is_memory_state = hyb_value_is_variable (cells->graph, step->c_in);
  if (hyb_value_is_variable (cells->graph, step->x) == is_memory_state &&
      (hyb_value_is_variable (cells->graph, step->h_in) != is_memory_state ||
       !is_square (types, step)))
    hyb_step_exchange (step);
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
        if (i == 0 || hyb_node_word (node) != HYB_WORD_LINEAR)
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
find_steps (HybCells *cells, const HybType *types)
{
  HybMatcher matcher = { cells->graph, types };
  g_autoptr (GHashTable) step_of_value = g_hash_table_new (NULL, NULL);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    {
      HybCellStep step;
      guint       index = cells->steps->len;

      if (!hyb_match_step (&matcher, id, &step))
        continue;
      link_step (cells, step_of_value, &step, index);
      g_array_append_val (cells->steps, step);
      g_hash_table_insert (step_of_value, GUINT_TO_POINTER (step.h), GUINT_TO_POINTER (index));
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

  find_steps (cells, types);
  cover_nodes (cells);
  drop_covered (cells);
  memset (cells->chain_of_node, 0xff, n_nodes * sizeof (guint32));
  memset (cells->step_of_node, 0xff, n_nodes * sizeof (guint32));
  for (guint i = 0; i < cells->steps->len; i++)
    if (get_step (cells, i)->kind != HYB_CELL_NONE && is_cell (cells, types, is_state, i))
      add_chain (cells, i);
  return cells;
}
