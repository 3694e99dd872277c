/* cells.c — access to the steps and chains of cells that were found in a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/cells.h"

static const struct
{
  const char *name;
  guint       n_gates;
} kinds[HYB_N_CELLS] = {
  [HYB_CELL_NONE] = { "body", 0 },         [HYB_CELL_RNN_RELU] = { "rnn_relu", 1 },
  [HYB_CELL_RNN_TANH] = { "rnn_tanh", 1 }, [HYB_CELL_LSTM] = { "lstm", 4 },
  [HYB_CELL_GRU] = { "gru", 3 },           [HYB_CELL_GRU_RESET_BEFORE] = { "gru_reset_before", 3 },
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

/* Steps in this chain and those it continues. */
static guint
steps_before (const HybCells *cells, guint chain)
{
  guint n = 0;

  for (guint i = chain, seen = 0; i != HYB_NO_ID && seen < cells->chains->len; seen++)
    {
      const HybChain *before = cells->chains->pdata[i];

      n += before->n_steps;
      i = before->goes_on;
    }
  return n;
}

char *
hyb_chain_dup_break (const HybCells *cells, guint index)
{
  for (guint i = 0; i < cells->chains->len; i++)
    {
      const HybChain *chain = cells->chains->pdata[i];
      const HybNode  *odd;

      if (chain->goes_on == HYB_NO_ID || (i != index && chain->goes_on != index))
        continue;
      odd = hyb_graph_get_node (cells->graph, chain->odd);
      if (hyb_node_is_variable (odd))
        return g_strdup_printf ("step %u reads the weight “%s”, which the steps before do not",
                                steps_before (cells, chain->goes_on),
                                odd->name);
      if (chain->is_within)
        return g_strdup_printf ("step %u differs from the step before at the node “%s”",
                                steps_before (cells, chain->goes_on),
                                odd->name);
      return g_strdup_printf ("at step %u the node “%s” stands where the step before should be",
                              steps_before (cells, chain->goes_on),
                              odd->name);
    }
  return NULL;
}
