/* cells.c — finds the formulas of LSTM and GRU cells that are written out in pointwise operators.
 *
 * Start at match_lstm() and match_gru(); cell-gradients.c finds the gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/passes/cells.h"

#define LSTM_GATES 4
#define GRU_GATES  3

static const HybWrittenCellKind lstm = { .forward = "_lstm_gates",
                                         .recording = "_recording_lstm_gates",
                                         .backward = "_backward_lstm_gates",
                                         .n_kept = 5,
                                         .n_results = 2,
                                         .first_read = 2,
                                         .cell_attribute = "has_cell_gradient" };
static const HybWrittenCellKind gru = { .forward = "_gru_gates",
                                        .recording = "_recording_gru_gates",
                                        .backward = "_backward_gru_gates",
                                        .n_kept = 3,
                                        .n_results = 3,
                                        .first_read = 1 };

void
hyb_cells_init (HybWrittenCells *cells, HybGraph *graph, HybFacts *facts)
{
  *cells = (HybWrittenCells){ .graph = graph,
                              .facts = facts,
                              .add = hyb_op_find ("elemwise_add"),
                              .sub = hyb_op_find ("elemwise_sub"),
                              .mul = hyb_op_find ("elemwise_mul"),
                              .negative = hyb_op_find ("negative"),
                              .slice = hyb_op_find ("SliceChannel"),
                              .concat = hyb_op_find ("Concat"),
                              .ones = hyb_op_find ("ones_like"),
                              .from_scalar = hyb_op_find ("_rminus_scalar"),
                              .activation = hyb_op_find ("Activation"),
                              .backward_activation = hyb_op_find ("_backward_Activation") };
}

gboolean
hyb_cell_nodes_have (const HybCellNodes *nodes, HybNodeId id)
{
  for (guint i = 0; i < nodes->n; i++)
    if (nodes->id[i] == id)
      return TRUE;
  return FALSE;
}

gboolean
hyb_cell_nodes_add (HybCellNodes *nodes, HybNodeId id)
{
  if (hyb_cell_nodes_have (nodes, id))
    return TRUE;
  if (nodes->n == G_N_ELEMENTS (nodes->id))
    return FALSE;
  nodes->id[nodes->n++] = id;
  return TRUE;
}

/* --- Nodes --- */

static const HybNode *
producer (const HybWrittenCells *cells, HybValueId value)
{
  return hyb_graph_get_node (cells->graph, hyb_graph_get_producer (cells->graph, value));
}

static HybValueId
operand (const HybWrittenCells *cells, HybValueId value, guint index)
{
  return hyb_graph_get_inputs (cells->graph, hyb_graph_get_producer (cells->graph, value))[index];
}

static gboolean
is_made_by (const HybWrittenCells *cells, HybValueId value, const HybOp *op)
{
  return producer (cells, value)->op == op;
}

/* The x of value = function (x), in either spelling, or HYB_NO_ID. */
static HybValueId
argument_of (const HybWrittenCells *cells, HybValueId value, const char *function)
{
  const HybNode *node = producer (cells, value);
  gboolean       is = node->op == hyb_op_find (function) ||
                (node->op == cells->activation &&
                 g_strcmp0 (hyb_node_get_attribute (node, "act_type"), function) == 0);

  return is ? operand (cells, value, 0) : HYB_NO_ID;
}

/* The x of which value is part number index in an even split along the last axis, or
 * HYB_NO_ID. */
static HybValueId
split_of (const HybWrittenCells *cells, HybValueId value, guint index, guint n_parts)
{
  const HybNode *node = producer (cells, value);
  const HybType *whole, *part = &cells->facts->types[value];

  if (!is_made_by (cells, value, cells->slice) || node->n_outputs != n_parts ||
      hyb_graph_get_output_index (cells->graph, value) != index)
    return HYB_NO_ID;
  whole = &cells->facts->types[operand (cells, value, 0)];
  return whole->dtype == HYB_F32 && whole->shape.rank == 2 && part->shape.rank == 2 &&
                 part->shape.dim[0] == whole->shape.dim[0] &&
                 part->shape.dim[1] * n_parts == whole->shape.dim[1]
             ? operand (cells, value, 0)
             : HYB_NO_ID;
}

static gboolean
same_shape (const HybWrittenCells *cells, HybValueId a, HybValueId b)
{
  const HybType *x = &cells->facts->types[a], *y = &cells->facts->types[b];

  return x->dtype == y->dtype && hyb_shape_equal (&x->shape, &y->shape);
}

/* --- LSTM: c = f c' + i g; h = o tanh(c) --- */

/* Matches f c' + i g with the terms in this order. */
static gboolean
match_cell (const HybWrittenCells *cells,
            HybValueId             preserved,
            HybValueId             added,
            HybValueId            *sum,
            HybCell               *cell)
{
  HybValueId gates[3];

  if (!is_made_by (cells, preserved, cells->mul) || !is_made_by (cells, added, cells->mul))
    return FALSE;
  cell->kept[0] = operand (cells, added, 0);
  cell->kept[1] = operand (cells, preserved, 0);
  cell->kept[2] = operand (cells, added, 1);
  gates[0] = argument_of (cells, cell->kept[0], "sigmoid");
  gates[1] = argument_of (cells, cell->kept[1], "sigmoid");
  gates[2] = argument_of (cells, cell->kept[2], "tanh");
  for (guint i = 0; i < G_N_ELEMENTS (gates); i++)
    {
      HybValueId whole =
          gates[i] == HYB_NO_ID ? HYB_NO_ID : split_of (cells, gates[i], i, LSTM_GATES);

      if (whole == HYB_NO_ID || (i > 0 && whole != *sum))
        return FALSE;
      *sum = whole;
    }
  cell->inputs[2] = operand (cells, preserved, 1);
  return same_shape (cells, cell->inputs[2], preserved);
}

static gboolean
match_lstm (const HybWrittenCells *cells, HybNodeId id, HybCell *cell)
{
  const HybNode    *node = hyb_graph_get_node (cells->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);
  HybValueId        gate, c, sum = HYB_NO_ID;

  if (node->op != cells->mul)
    return FALSE;
  gate = argument_of (cells, inputs[0], "sigmoid");
  c = argument_of (cells, inputs[1], "tanh");
  if (gate == HYB_NO_ID || c == HYB_NO_ID || producer (cells, c)->op != cells->add ||
      !match_cell (cells, operand (cells, c, 0), operand (cells, c, 1), &sum, cell) ||
      split_of (cells, gate, 3, LSTM_GATES) != sum || !is_made_by (cells, sum, cells->add))
    return FALSE;

  cell->kind = &lstm;
  cell->inputs[0] = operand (cells, sum, 0);
  cell->inputs[1] = operand (cells, sum, 1);
  cell->kept[3] = inputs[0];
  cell->kept[4] = inputs[1];
  cell->output = id;
  cell->cell = hyb_graph_get_producer (cells->graph, c);
  return same_shape (cells, cell->inputs[0], cell->inputs[1]);
}

/* --- GRU: n = tanh(x_n + r h_n); h = (1 - z) n + z h' --- */

/* Matches the sigmoid of the sum of part number index of both products, which it sets. */
static gboolean
match_gate (const HybWrittenCells *cells, HybValueId gate, guint index, HybValueId *products)
{
  HybValueId sum = argument_of (cells, gate, "sigmoid");

  if (sum == HYB_NO_ID || !is_made_by (cells, sum, cells->add))
    return FALSE;
  products[0] = split_of (cells, operand (cells, sum, 0), index, GRU_GATES);
  products[1] = split_of (cells, operand (cells, sum, 1), index, GRU_GATES);
  return products[0] != HYB_NO_ID && products[1] != HYB_NO_ID;
}

/* Matches 1 - z in either spelling. */
static gboolean
match_complement (const HybWrittenCells *cells, HybValueId value, HybValueId z)
{
  const HybNode *node = producer (cells, value);
  const char    *scalar = hyb_node_get_attribute (node, "scalar");

  if (is_made_by (cells, value, cells->from_scalar))
    return operand (cells, value, 0) == z && scalar && g_ascii_strtod (scalar, NULL) == 1.0;
  return is_made_by (cells, value, cells->sub) && operand (cells, value, 1) == z &&
         is_made_by (cells, operand (cells, value, 0), cells->ones) &&
         operand (cells, operand (cells, value, 0), 0) == z;
}

static gboolean
match_candidate (const HybWrittenCells *cells, HybValueId n, HybCell *cell)
{
  HybValueId sum = argument_of (cells, n, "tanh"), gated, products[2];

  if (sum == HYB_NO_ID || !is_made_by (cells, sum, cells->add))
    return FALSE;
  gated = operand (cells, sum, 1);
  if (!is_made_by (cells, gated, cells->mul))
    return FALSE;
  cell->kept[0] = operand (cells, gated, 0);
  cell->kept[2] = n;
  return split_of (cells, operand (cells, sum, 0), 2, GRU_GATES) == cell->inputs[0] &&
         split_of (cells, operand (cells, gated, 1), 2, GRU_GATES) == cell->inputs[1] &&
         match_gate (cells, cell->kept[0], 0, products) && products[0] == cell->inputs[0] &&
         products[1] == cell->inputs[1];
}

static gboolean
match_gru (const HybWrittenCells *cells, HybNodeId id, HybCell *cell)
{
  const HybNode    *node = hyb_graph_get_node (cells->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);
  HybValueId        z;

  if (node->op != cells->add || !is_made_by (cells, inputs[0], cells->mul) ||
      !is_made_by (cells, inputs[1], cells->mul))
    return FALSE;
  z = operand (cells, inputs[1], 0);
  cell->kind = &gru;
  cell->output = id;
  cell->cell = HYB_NO_ID;
  cell->kept[1] = z;
  if (!match_complement (cells, operand (cells, inputs[0], 0), z) ||
      !match_gate (cells, z, 1, cell->inputs) ||
      !match_candidate (cells, operand (cells, inputs[0], 1), cell))
    return FALSE;

  cell->inputs[2] = operand (cells, inputs[1], 1);
  return same_shape (cells, cell->inputs[2], z) &&
         same_shape (cells, cell->inputs[0], cell->inputs[1]);
}

/* --- Both --- */

/* Adds the nodes between the cell's inputs and this node. */
static gboolean
add_nodes (const HybWrittenCells *cells, HybCell *cell, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, id);
  guint             n = hyb_graph_get_node (cells->graph, id)->n_inputs;

  if (hyb_cell_nodes_have (&cell->nodes, id))
    return TRUE;
  if (!hyb_cell_nodes_add (&cell->nodes, id))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (inputs[i] != cell->inputs[0] && inputs[i] != cell->inputs[1] &&
        inputs[i] != cell->inputs[2] &&
        !add_nodes (cells, cell, hyb_graph_get_producer (cells->graph, inputs[i])))
      return FALSE;
  return TRUE;
}

gboolean
hyb_cells_match (const HybWrittenCells *cells, HybNodeId id, HybCell *cell)
{
  cell->nodes.n = 0;
  return (match_lstm (cells, id, cell) || match_gru (cells, id, cell)) &&
         add_nodes (cells, cell, id);
}
