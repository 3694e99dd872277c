/* cells.c — access to the steps and chains of cells that were found in a graph.
 *
 * Also the words for a chain that breaks off: hyb_chain_dup_break() names the step and the node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/cells.h"

static const struct
{
  const char *name;
  guint       n_gates;
} kinds[HYB_N_CELLS] = {
  [HYB_CELL_NONE] = { "body", 0 },
  [HYB_CELL_RNN_RELU] = { "rnn_relu", 1 },
  [HYB_CELL_RNN_TANH] = { "rnn_tanh", 1 },
  [HYB_CELL_LSTM] = { "lstm", 4 },
  [HYB_CELL_LSTMP] = { "lstmp", 4 },
  [HYB_CELL_GRU] = { "gru", 3 },
  [HYB_CELL_GRU_RESET_BEFORE] = { "gru_reset_before", 3 },
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

static const struct
{
  HybCellKind kind;
  HybRnnMode  mode;
} modes[] = {
  { HYB_CELL_RNN_RELU, HYB_RNN_RELU }, { HYB_CELL_RNN_TANH, HYB_RNN_TANH },
  { HYB_CELL_LSTM, HYB_RNN_LSTM },     { HYB_CELL_LSTMP, HYB_RNN_LSTM },
  { HYB_CELL_GRU, HYB_RNN_GRU },
};

HybCellKind
hyb_cell_kind_from_rnn_mode (HybRnnMode mode, gboolean is_projected)
{
  if (mode == HYB_RNN_LSTM && is_projected)
    return HYB_CELL_LSTMP;
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].mode == mode)
      return modes[i].kind;
  return HYB_CELL_NONE;
}

gboolean
hyb_cell_kind_get_rnn_mode (HybCellKind kind, HybRnnMode *mode)
{
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].kind == kind)
      {
        *mode = modes[i].mode;
        return TRUE;
      }
  return FALSE;
}

const HybCellStep *
hyb_chain_step (const HybCells *cells, const HybChain *chain, guint step)
{
  return &g_array_index (cells->steps, HybCellStep, chain->steps[step]);
}

guint
hyb_step_n_states (const HybCellStep *step)
{
  guint n = step->c == HYB_NO_ID ? 1 : 2;

  while (n >= 2 && n < HYB_MAX_STATES && step->more[n - 2] != HYB_NO_ID)
    n++;
  return n;
}

HybValueId
hyb_step_state (const HybCellStep *step, guint state)
{
  return state == 0 ? step->h : state == 1 ? step->c : step->more[state - 2];
}

HybValueId
hyb_step_state_in (const HybCellStep *step, guint state)
{
  return state == 0 ? step->h_in : state == 1 ? step->c_in : step->more_in[state - 2];
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

/* Steps of this chain and of all chains that it would continue. */
static guint
count_steps_up_to (const HybCells *cells, guint chain)
{
  guint n = 0;

  for (guint i = chain, seen = 0; i != HYB_NO_ID && seen < cells->chains->len; seen++)
    {
      const HybChain *before = cells->chains->pdata[i];

      n += before->n_steps;
      i = before->continues;
    }
  return n;
}

/* Limits of the search for the choice between two states: nodes from a state, and inputs of a node. */
#define MAX_CHOICE_DEPTH  4
#define MAX_CHOICE_INPUTS 3

static gboolean
reaches (const HybCells *cells, HybNodeId id, HybValueId value, guint depth)
{
  const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);

  if (hyb_graph_get_node (cells->graph, id)->n_inputs > MAX_CHOICE_INPUTS)
    return FALSE;
  for (guint i = 0; i < hyb_graph_get_node (cells->graph, id)->n_inputs; i++)
    if (inputs[i] == value ||
        (depth > 1 &&
         cells->chain_of_node[hyb_graph_get_producer (cells->graph, inputs[i])] == HYB_NO_ID &&
         reaches (cells, hyb_graph_get_producer (cells->graph, inputs[i]), value, depth - 1)))
      return TRUE;
  return FALSE;
}

/* Whether the node that makes the state of a chain reads both the new and the old state of the earlier one. */
static gboolean
is_choice (const HybCells *cells, const HybChain *chain)
{
  const HybChain    *before = cells->chains->pdata[chain->continues];
  const HybCellStep *last = hyb_chain_step (cells, before, before->n_steps - 1);

  return reaches (cells, chain->first_difference, last->h, MAX_CHOICE_DEPTH) &&
         reaches (cells, chain->first_difference, last->h_in, MAX_CHOICE_DEPTH);
}

char *
hyb_chain_dup_break (const HybCells *cells, guint index)
{
  for (guint i = 0; i < cells->chains->len; i++)
    {
      const HybChain *chain = cells->chains->pdata[i];
      const HybNode  *difference;

      if (chain->continues == HYB_NO_ID || (i != index && chain->continues != index))
        continue;
      difference = hyb_graph_get_node (cells->graph, chain->first_difference);
      if (hyb_node_is_variable (difference))
        return g_strdup_printf ("step %u reads the weight “%s”, which earlier steps do not read",
                                count_steps_up_to (cells, chain->continues), difference->name);
      if (chain->is_difference_inside)
        return g_strdup_printf ("step %u differs from the previous step at the node “%s”",
                                count_steps_up_to (cells, chain->continues), difference->name);
      if (is_choice (cells, chain))
        return g_strdup_printf ("before step %u the node “%s” chooses between the new and the old "
                                "state, as masks do, and no layer leaves steps out",
                                count_steps_up_to (cells, chain->continues), difference->name);
      return g_strdup_printf ("the state of step %u comes from the node “%s” instead of the "
                              "previous step",
                              count_steps_up_to (cells, chain->continues), difference->name);
    }
  return NULL;
}
