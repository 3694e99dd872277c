/* weight-gates.c — which rows of a weight belong to which gate of a recurrent cell.
 *
 * Uses the cells that engine/variants recognises in the graph and in the bodies of its loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/weight-parts.h"

#include "engine/variants/recognise.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const lstm_gates[] = { N_ ("input gate"), N_ ("forget gate"), N_ ("candidate"),
                                          N_ ("output gate") };
static const char *const gru_gates[] = { N_ ("reset gate"), N_ ("update gate"), N_ ("candidate") };

const char *
scope_gate_name (guint n_gates, guint gate)
{
  return n_gates == 4 ? lstm_gates[gate] : n_gates == 3 ? gru_gates[gate] : "";
}

static gboolean
is_variable_called (HybGraph *graph, HybValueId value, const char *name)
{
  const HybNode *node =
      value != HYB_NO_ID ? hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value)) : NULL;

  return node && hyb_node_is_variable (node) && strcmp (node->name, name) == 0;
}

/* Sets the gates of part if at least two gates of a cell's step read the variable.  FALSE: they do not. */
static gboolean
set_gates (HybGraph *graph, const HybCellStep *step, const char *name, ScopeWeightPart *part)
{
  part->n_gates = 0;
  for (guint gate = 0; gate < MIN (step->n_gates, SCOPE_MAX_GATES); gate++)
    for (guint side = 0; side < 2; side++)
      {
        const HybTerm *term = side == 0 ? &step->gate[gate].input : &step->gate[gate].hidden;

        if (!is_variable_called (graph, term->weight, name) &&
            !is_variable_called (graph, term->bias, name))
          continue;
        if (term->is_transposed || term->begin < 0 || term->rows < 1 ||
            term->begin + term->rows > part->rows)
          return FALSE;
        part->gate_row[part->n_gates] = term->begin;
        part->gate_rows = term->rows;
        part->gate[part->n_gates++] = scope_gate_name (step->n_gates, gate);
        break;
      }
  return part->n_gates > 1;
}

/* 1 for each value of a body that is a state of its loop.  (transfer full) */
static guint8 *
mark_states (const HybNode *node, guint index, HybGraph *body)
{
  guint8          *is_state = g_new0 (guint8, MAX (hyb_graph_n_values (body), 1));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);

  for (guint v = 0; node->op->body_port && v < n; v++)
    is_state[hyb_graph_get_node (body, variables[v])->first_output] =
        node->op->body_port (node->params, node->n_inputs, index, v) == HYB_PORT_STATE;
  return is_state;
}

static gboolean
find_gates (HybGraph        *graph,
            const HybType   *types,
            const guint8    *is_state,
            const char      *name,
            ScopeWeightPart *part)
{
  g_autoptr (HybCells) cells = hyb_cells_find (graph, types, is_state);

  for (guint i = 0; i < cells->steps->len; i++)
    if (set_gates (graph, &g_array_index (cells->steps, HybCellStep, i), name, part))
      return TRUE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      for (guint b = 0; b < node->n_bodies; b++)
        {
          HybGraph          *body = hyb_graph_get_bodies (graph, id)[b];
          g_autofree guint8 *inner = mark_states (node, b, body);

          if (find_gates (body, NULL, inner, name, part))
            return TRUE;
        }
    }
  part->n_gates = 0;
  return FALSE;
}

gboolean
scope_weight_find_gates (HybGraph        *graph,
                         const HybType   *types,
                         const char      *name,
                         ScopeWeightPart *part)
{
  return find_gates (graph, types, NULL, name, part);
}
