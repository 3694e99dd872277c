/* fuse-gates.c — the pass that computes all gates of an LSTM or GRU cell in one node.
 *
 * It recognises the formulas of cells that are written out in pointwise operators.  Intermediate
 * results must have no other reader, so nothing is fused while training: the backward pass reads
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"

#include <string.h>

#define MAX_GATES 4

/* A recognised cell: the values that it reads and the nodes that compute its outputs. */
typedef struct
{
  const HybOp *op;
  HybValueId   inputs[3];
  HybNodeId    output, cell; /* cell: HYB_NO_ID for a GRU */
} FoundCell;

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  guint8      *is_head;    /* by value */
  FoundCell  **found;      /* by node: the cell that is emitted there */
  guint8      *is_removed; /* by node: removed, part of a cell */
  const HybOp *add, *sub, *mul, *slice, *ones, *from_scalar, *activation;
} Fusing;

/* --- Matching nodes --- */

static const HybNode *
producer (const Fusing *fusing, HybValueId value)
{
  return hyb_graph_get_node (fusing->graph, hyb_graph_get_producer (fusing->graph, value));
}

static HybValueId
operand (const Fusing *fusing, HybValueId value, guint index)
{
  return hyb_graph_get_inputs (fusing->graph, hyb_graph_get_producer (fusing->graph, value))[index];
}

/* TRUE if a value comes from this operator, has exactly n_users readers and is not a head. */
static gboolean
is_made_by (const Fusing *fusing, HybValueId value, const HybOp *op, guint n_readers)
{
  guint n;

  hyb_graph_get_users (fusing->graph, value, &n);
  return producer (fusing, value)->op == op && n == n_readers && !fusing->is_head[value];
}

/* The x of value = function (x), in either spelling, or HYB_NO_ID. */
static HybValueId
argument_of (const Fusing *fusing, HybValueId value, const char *function, guint n_readers)
{
  const HybNode *node = producer (fusing, value);
  gboolean       is = node->op == hyb_op_find (function) ||
                (node->op == fusing->activation &&
                 g_strcmp0 (hyb_node_get_attribute (node, "act_type"), function) == 0);

  return is && is_made_by (fusing, value, node->op, n_readers) ? operand (fusing, value, 0)
                                                               : HYB_NO_ID;
}

/* The x of which value is part number index in an even split along the last axis, or
 * HYB_NO_ID. */
static HybValueId
split_of (const Fusing *fusing, HybValueId value, guint index, guint n_parts)
{
  const HybNode *node = producer (fusing, value);
  const HybType *whole, *part = &fusing->facts->types[value];

  if (!is_made_by (fusing, value, fusing->slice, 1) || node->n_outputs != n_parts ||
      hyb_graph_get_output_index (fusing->graph, value) != index)
    return HYB_NO_ID;
  whole = &fusing->facts->types[operand (fusing, value, 0)];
  return whole->dtype == HYB_F32 && whole->shape.rank == 2 && part->shape.rank == 2 &&
                 part->shape.dim[0] == whole->shape.dim[0] &&
                 part->shape.dim[1] * n_parts == whole->shape.dim[1]
             ? operand (fusing, value, 0)
             : HYB_NO_ID;
}

static gboolean
same_shape (const Fusing *fusing, HybValueId a, HybValueId b)
{
  const HybType *x = &fusing->facts->types[a], *y = &fusing->facts->types[b];

  return x->dtype == y->dtype && hyb_shape_equal (&x->shape, &y->shape);
}

/* --- LSTM: c = f c' + i g; h = o tanh(c) --- */

/* Matches f c' + i g with the terms in this order. */
static gboolean
match_cell (const Fusing *fusing,
            HybValueId    kept,
            HybValueId new,
            HybValueId *sum,
            HybValueId *cell)
{
  HybValueId gates[3];

  if (!is_made_by (fusing, kept, fusing->mul, 1) || !is_made_by (fusing, new, fusing->mul, 1))
    return FALSE;
  gates[0] = argument_of (fusing, operand (fusing, new, 0), "sigmoid", 1);
  gates[1] = argument_of (fusing, operand (fusing, kept, 0), "sigmoid", 1);
  gates[2] = argument_of (fusing, operand (fusing, new, 1), "tanh", 1);
  for (guint i = 0; i < G_N_ELEMENTS (gates); i++)
    {
      HybValueId whole =
          gates[i] == HYB_NO_ID ? HYB_NO_ID : split_of (fusing, gates[i], i, MAX_GATES);

      if (whole == HYB_NO_ID || (i > 0 && whole != *sum))
        return FALSE;
      *sum = whole;
    }
  *cell = operand (fusing, kept, 1);
  return same_shape (fusing, *cell, kept);
}

static gboolean
match_lstm (const Fusing *fusing, HybNodeId id, FoundCell *found)
{
  const HybNode    *node = hyb_graph_get_node (fusing->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (fusing->graph, id);
  HybValueId        gate, c, sum = HYB_NO_ID, cell;

  if (node->op != fusing->mul)
    return FALSE;
  gate = argument_of (fusing, inputs[0], "sigmoid", 1);
  c = argument_of (fusing, inputs[1], "tanh", 1);
  if (gate == HYB_NO_ID || c == HYB_NO_ID || producer (fusing, c)->op != fusing->add ||
      !match_cell (fusing, operand (fusing, c, 0), operand (fusing, c, 1), &sum, &cell) ||
      split_of (fusing, gate, 3, MAX_GATES) != sum || !is_made_by (fusing, sum, fusing->add, 1))
    return FALSE;

  *found = (FoundCell){ .op = hyb_op_find ("_lstm_gates"),
                        .inputs = { operand (fusing, sum, 0), operand (fusing, sum, 1), cell },
                        .output = id,
                        .cell = hyb_graph_get_producer (fusing->graph, c) };
  return same_shape (fusing, found->inputs[0], found->inputs[1]);
}

/* --- GRU: n = tanh(x_n + r h_n); h = (1 - z) n + z h' --- */

/* Matches the sigmoid of the sum of part number index of both products. */
static gboolean
match_gate (const Fusing *fusing, HybValueId gate, guint index, guint n_readers, FoundCell *found)
{
  HybValueId sum = argument_of (fusing, gate, "sigmoid", n_readers);

  if (sum == HYB_NO_ID || !is_made_by (fusing, sum, fusing->add, 1))
    return FALSE;
  found->inputs[0] = split_of (fusing, operand (fusing, sum, 0), index, 3);
  found->inputs[1] = split_of (fusing, operand (fusing, sum, 1), index, 3);
  return found->inputs[0] != HYB_NO_ID && found->inputs[1] != HYB_NO_ID;
}

/* Matches 1 - z in either spelling, which determines the number of readers of z. */
static gboolean
match_complement (const Fusing *fusing, HybValueId value, HybValueId z, guint *n_readers)
{
  const HybNode *node = producer (fusing, value);
  const char    *scalar = hyb_node_get_attribute (node, "scalar");

  *n_readers = 2;
  if (is_made_by (fusing, value, fusing->from_scalar, 1))
    return operand (fusing, value, 0) == z && scalar && g_ascii_strtod (scalar, NULL) == 1.0;
  *n_readers = 3;
  return is_made_by (fusing, value, fusing->sub, 1) && operand (fusing, value, 1) == z &&
         is_made_by (fusing, operand (fusing, value, 0), fusing->ones, 1) &&
         operand (fusing, operand (fusing, value, 0), 0) == z;
}

static gboolean
match_candidate (const Fusing *fusing, HybValueId n, FoundCell *found)
{
  HybValueId sum = argument_of (fusing, n, "tanh", 1), gated;
  FoundCell  reset;

  if (sum == HYB_NO_ID || !is_made_by (fusing, sum, fusing->add, 1))
    return FALSE;
  gated = operand (fusing, sum, 1);
  return is_made_by (fusing, gated, fusing->mul, 1) &&
         split_of (fusing, operand (fusing, sum, 0), 2, 3) == found->inputs[0] &&
         split_of (fusing, operand (fusing, gated, 1), 2, 3) == found->inputs[1] &&
         match_gate (fusing, operand (fusing, gated, 0), 0, 1, &reset) &&
         reset.inputs[0] == found->inputs[0] && reset.inputs[1] == found->inputs[1];
}

static gboolean
match_gru (const Fusing *fusing, HybNodeId id, FoundCell *found)
{
  const HybNode    *node = hyb_graph_get_node (fusing->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (fusing->graph, id);
  HybValueId        z;
  guint             n_readers;

  if (node->op != fusing->add || !is_made_by (fusing, inputs[0], fusing->mul, 1) ||
      !is_made_by (fusing, inputs[1], fusing->mul, 1))
    return FALSE;
  z = operand (fusing, inputs[1], 0);
  *found = (FoundCell){ .op = hyb_op_find ("_gru_gates"), .output = id, .cell = HYB_NO_ID };
  if (!match_complement (fusing, operand (fusing, inputs[0], 0), z, &n_readers) ||
      !match_gate (fusing, z, 1, n_readers, found) ||
      !match_candidate (fusing, operand (fusing, inputs[0], 1), found))
    return FALSE;

  found->inputs[2] = operand (fusing, inputs[1], 1);
  return same_shape (fusing, found->inputs[2], z) &&
         same_shape (fusing, found->inputs[0], found->inputs[1]);
}

/* --- Rewriting --- */

/* Marks the nodes between the cell's inputs and this node, which have no other readers. */
static void
mark_gone (const Fusing *fusing, const FoundCell *found, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (fusing->graph, id);
  guint             n = hyb_graph_get_node (fusing->graph, id)->n_inputs;

  fusing->is_removed[id] = TRUE;
  for (guint i = 0; i < n; i++)
    {
      HybNodeId before = hyb_graph_get_producer (fusing->graph, inputs[i]);

      if (inputs[i] != found->inputs[0] && inputs[i] != found->inputs[1] &&
          inputs[i] != found->inputs[2] && !fusing->is_removed[before])
        mark_gone (fusing, found, before);
    }
}

static guint
find_cells (Fusing *fusing)
{
  guint n_found = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (fusing->graph); id++)
    {
      FoundCell found;

      if (!match_lstm (fusing, id, &found) && !match_gru (fusing, id, &found))
        continue;
      /* All inputs of the cell exist where the first of its outputs was computed. */
      fusing->found[found.cell != HYB_NO_ID ? found.cell : id] = g_memdup2 (&found, sizeof found);
      mark_gone (fusing, &found, id);
      n_found++;
    }
  return n_found;
}

static gboolean
make_cell (const Fusing *fusing, HybRewrite *rewrite, const FoundCell *found, GError **error)
{
  const HybNode *output = hyb_graph_get_node (fusing->graph, found->output);
  HybValueId     inputs[3], first;
  HybNodeSpec    spec = { .op = found->op,
                          .name = output->name,
                          .n_inputs = 3,
                          .inputs = inputs,
                          .origin_plus_one = output->origin + 1 };
  HybNodeId      id;

  for (guint i = 0; i < 3; i++)
    inputs[i] = g_array_index (rewrite->map, HybValueId, found->inputs[i]);
  id = hyb_builder_add (rewrite->builder, &spec, error);
  if (id == HYB_NO_ID)
    return FALSE;
  first = hyb_builder_output (rewrite->builder, id, 0);
  g_array_index (rewrite->map, HybValueId, output->first_output) = first;
  if (found->cell != HYB_NO_ID)
    g_array_index (rewrite->map, HybValueId,
                   hyb_graph_get_node (fusing->graph, found->cell)->first_output) = first + 1;
  return TRUE;
}

static HybGraph *
rewrite_cells (const Fusing *fusing, GArray *map, GError **error)
{
  HybRewrite rewrite;

  hyb_rewrite_init (&rewrite, fusing->graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (fusing->graph); id++)
    if (!fusing->found[id] && !fusing->is_removed[id])
      hyb_rewrite_copy (&rewrite, id);
    else if (fusing->found[id] && !make_cell (fusing, &rewrite, fusing->found[id], error))
      {
        g_clear_pointer (&rewrite.builder, hyb_builder_free);
        g_clear_pointer (&rewrite.inputs, g_free);
        return NULL;
      }
  return hyb_rewrite_finish (&rewrite);
}

static HybGraph *
fuse_gates_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint                  n_nodes = hyb_graph_n_nodes (graph), n_heads;
  const HybValueId      *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autofree guint8     *is_head = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint8     *is_removed = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree FoundCell **found = g_new0 (FoundCell *, MAX (n_nodes, 1));
  Fusing                 fusing = { .graph = graph,
                                    .facts = facts,
                                    .is_head = is_head,
                                    .found = found,
                                    .is_removed = is_removed,
                                    .add = hyb_op_find ("elemwise_add"),
                                    .sub = hyb_op_find ("elemwise_sub"),
                                    .mul = hyb_op_find ("elemwise_mul"),
                                    .slice = hyb_op_find ("SliceChannel"),
                                    .ones = hyb_op_find ("ones_like"),
                                    .from_scalar = hyb_op_find ("_rminus_scalar"),
                                    .activation = hyb_op_find ("Activation") };
  HybGraph              *result;

  for (guint i = 0; i < n_heads; i++)
    is_head[heads[i]] = TRUE;
  result = find_cells (&fusing) > 0 ? rewrite_cells (&fusing, map, error) : hyb_graph_ref (graph);
  for (HybNodeId id = 0; id < n_nodes; id++)
    g_free (found[id]);
  return result;
}

extern const HybPass hyb_pass_fuse_gates;

const HybPass hyb_pass_fuse_gates = {
  .name = "fuse-gates",
  .doc = "Computes the gates of each recurrent cell in one node.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = fuse_gates_run,
};
