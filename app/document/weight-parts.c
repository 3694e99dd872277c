/* weight-parts.c — divides a parameter into matrices; packed vectors by the layout of the fused operator.
 *
 * Start reading with scope_weight_parts(); gates of unpacked weights come from weight-gates.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/weight-parts.h"

#include "engine/formats/rnn-weights.h"
#include "engine/ops/recurrent/rnn-rules.h"

#include <glib/gi18n.h>

static void
clear_part (gpointer data)
{
  g_free (((ScopeWeightPart *) data)->title);
}

/* --- Packed vectors of fused operators --- */

/* The fused operator that reads a variable as its packed parameters, or NULL. */
static const HybNode *
find_reader (HybGraph *graph, const char *name)
{
  HybNodeId        variable = hyb_graph_find_variable (graph, name);
  guint            n;
  const HybNodeId *users =
      variable != HYB_NO_ID
          ? hyb_graph_get_users (graph, hyb_graph_get_node (graph, variable)->first_output, &n)
          : NULL;

  for (guint i = 0; users && i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, users[i]);

      if (node->op->params == hyb_rnn_params && node->params && node->op->recording &&
          node->n_inputs > 1 &&
          hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, users[i])[1]) == variable)
        return node;
    }
  return NULL;
}

static char *
title_of (const HybRnnPart *part, gboolean is_bidirectional)
{
  g_autofree char *layer = g_strdup_printf (_ ("layer %u"), part->layer);
  const char      *what = part->is_projection ? _ ("projection")
                          : part->is_hidden   ? _ ("from the state")
                                              : _ ("from the input");
  const char      *way = part->direction == 0 ? _ ("forward") : _ ("backward");

  return is_bidirectional ? g_strdup_printf ("%s, %s, %s", layer, way, what)
                          : g_strdup_printf ("%s, %s", layer, what);
}

static void
add_packed (GArray *parts, const RnnParams *params, HybTensor *tensor)
{
  HybRnnWeights weights = { .mode = (HybRnnMode) params->mode,
                            .n_layers = (guint) params->num_layers,
                            .is_bidirectional = params->bidirectional,
                            .hidden = params->state_size,
                            .projection = MAX (params->projection_size, 0) };
  guint         n_gates;
  g_autoptr (GArray) list = NULL;

  weights.input = hyb_rnn_input_size (&weights, hyb_tensor_get_size (tensor));
  if (weights.input < 1 || hyb_rnn_packed_size (&weights) != hyb_tensor_get_size (tensor))
    return;
  n_gates = hyb_rnn_n_gates (weights.mode);
  list = hyb_rnn_parts (&weights);
  for (guint i = 0; i < list->len; i++)
    {
      const HybRnnPart *from = &g_array_index (list, HybRnnPart, i);
      ScopeWeightPart   part = { .offset = from->offset,
                                 .rows = from->rows,
                                 .columns = from->columns };

      if (from->is_bias || from->rows < 1 || from->columns < 1)
        continue;
      part.title = title_of (from, weights.is_bidirectional);
      part.n_gates = n_gates > 1 && !from->is_projection ? MIN (n_gates, SCOPE_MAX_GATES) : 0;
      part.gate_rows = from->rows / MAX (n_gates, 1);
      for (guint gate = 0; gate < part.n_gates; gate++)
        {
          part.gate_row[gate] = gate * part.gate_rows;
          part.gate[gate] = scope_gate_name (n_gates, gate);
        }
      g_array_append_val (parts, part);
    }
}

/* --- Any parameter --- */

GArray *
scope_weight_parts (HybGraph *graph, const HybType *types, const char *name, HybTensor *tensor)
{
  GArray         *parts = g_array_new (FALSE, FALSE, sizeof (ScopeWeightPart));
  const HybNode  *reader = find_reader (graph, name);
  const HybShape *shape = &hyb_tensor_get_type (tensor)->shape;
  ScopeWeightPart whole = { .rows = 1, .columns = 1 };

  g_array_set_clear_func (parts, clear_part);
  if (hyb_tensor_get_size (tensor) < 1)
    return parts;
  if (reader)
    add_packed (parts, reader->params, tensor);
  if (parts->len > 0)
    return parts;
  whole.rows = shape->rank > 0 ? shape->dim[0] : 1;
  whole.columns = hyb_tensor_get_size (tensor) / MAX (whole.rows, 1);
  scope_weight_find_gates (graph, types, name, &whole);
  if (whole.columns == 1 && whole.n_gates == 0) /* draw a vector as one row */
    {
      whole.columns = whole.rows;
      whole.rows = 1;
    }
  g_array_append_val (parts, whole);
  return parts;
}
