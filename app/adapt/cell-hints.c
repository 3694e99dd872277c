/* cell-hints.c — the cells that engine/variants recognises, as hints for viz/fold.
 *
 * Steps are numbered in the order of time, so that both directions of a layer stand in one column.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/cell-hints.h"

#include "engine/variants/group.h"
#include "engine/variants/recognise.h"

/* Chains of fewer steps are left to names. */
#define MIN_STEPS 2

static const char *
chain_title (HybCellKind kind)
{
  static const char *const titles[HYB_N_CELLS] = {
    [HYB_CELL_NONE] = "loop",
    [HYB_CELL_RNN_RELU] = "RNN",
    [HYB_CELL_RNN_TANH] = "RNN",
    [HYB_CELL_LSTM] = "LSTM",
    [HYB_CELL_LSTMP] = "LSTM",
    [HYB_CELL_GRU] = "GRU",
    [HYB_CELL_GRU_RESET_BEFORE] = "GRU",
  };

  return titles[kind];
}

/* Fills numbers with the number of each chain in the hints + 1 (0: too short), and adds the chains.  Chains
 * of a stack follow each other, lower layers first. */
static void
add_chains (HybCells *cells, VizFoldHints *hints, guint32 *numbers)
{
  g_autoptr (GPtrArray) groups = hyb_groups_find (cells, HYB_GROUP_STACKS);
  VizFoldChain *chains = g_new0 (VizFoldChain, MAX (cells->chains->len, 1));

  for (guint g = 0; g < groups->len; g++)
    {
      const HybGroup *group = groups->pdata[g];

      for (guint row = 0; row < group->chains->len; row++)
        {
          const HybChain *chain = hyb_group_chain (cells, group, row);

          if (chain->n_steps < MIN_STEPS)
            continue;
          chains[hints->n_chains++] =
              (VizFoldChain){ .title = chain_title (chain->kind),
                              .n_steps = chain->n_steps,
                              .stack = g,
                              .is_backward = !hyb_chain_is_forward (cells, chain) };
          numbers[g_array_index (group->chains, guint, row)] = hints->n_chains;
        }
    }
  hints->chains = chains;
}

VizFoldHints *
scope_find_cell_hints (HybGraph *graph, const HybType *types, const guint32 *box_of)
{
  VizFoldHints *hints = g_new0 (VizFoldHints, 1);
  g_autoptr (HybCells) cells = hyb_cells_find (graph, types, NULL);
  g_autofree guint32 *numbers = g_new0 (guint32, MAX (cells->chains->len, 1));
  VizFoldPlace       *places;

  add_chains (cells, hints, numbers);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    hints->n_places = MAX (hints->n_places, box_of[id] + 1);
  hints->places = places = g_new0 (VizFoldPlace, MAX (hints->n_places, 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      guint32 chain = cells->chain_of_node[id];
      guint32 number = chain != HYB_NO_ID ? numbers[chain] : 0, step;

      if (number == 0 || box_of[id] == VIZ_ROOT)
        continue;
      step = cells->step_of_node[id];
      if (hints->chains[number - 1].is_backward)
        step = hints->chains[number - 1].n_steps - 1 - step;
      places[box_of[id]] = (VizFoldPlace){ number, step };
    }
  return hints;
}

void
scope_cell_hints_free (VizFoldHints *hints)
{
  if (!hints)
    return;
  g_free ((gpointer) hints->chains);
  g_free ((gpointer) hints->places);
  g_free (hints);
}
