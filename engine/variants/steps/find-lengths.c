/* find-lengths.c — recognises nodes that mask steps behind the end of sequences.
 *
 * They begin with a stack of a state after all steps.  Start reading at hyb_chain_find_lengths().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/steps/find-lengths.h"

#include "engine/variants/loops/counted-loop.h"
#include "engine/variants/node-kind.h"

#include <string.h>

#define MAX_DEPTH 8

typedef struct
{
  const HybCells  *cells;
  HybGraph        *graph;
  HybModel        *model;
  const HybType   *types;
  const HybChain  *chain;
  HybChainLengths *found;
} Finder;

/* --- Values --- */

static const HybNode *
maker_of (const Finder *finder, HybValueId value, const HybValueId **inputs)
{
  HybNodeId id = hyb_graph_get_producer (finder->graph, value);

  *inputs = hyb_graph_get_inputs (finder->graph, id);
  return hyb_graph_get_node (finder->graph, id);
}

/* The stored array that a value is; NULL if it is computed. */
static HybTensor *
contents_of (const Finder *finder, HybValueId value)
{
  const HybValueId *inputs;
  const HybNode    *node = maker_of (finder, value, &inputs);

  return hyb_node_is_variable (node) ? hyb_model_get_parameter (finder->model, node->name) : NULL;
}

/* Whether all elements of a value are this number in every run. */
static gboolean
is_everywhere (const Finder *finder, HybValueId value, double number)
{
  HybTensor *tensor = contents_of (finder, value);

  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    if (hyb_tensor_get_value (tensor, i) != number)
      return FALSE;
  return tensor ? hyb_tensor_get_size (tensor) > 0
                : hyb_constant_number (finder->graph, value) == number;
}

/* The value without nodes that only change its type or shape. */
static HybValueId
strip (const Finder *finder, HybValueId value)
{
  for (;;)
    {
      const HybValueId *inputs;
      HybNodeKind       kind = hyb_node_kind (maker_of (finder, value, &inputs));

      if (kind != HYB_KIND_CAST && kind != HYB_KIND_RESHAPE && kind != HYB_KIND_COPY &&
          kind != HYB_KIND_EXPAND && kind != HYB_KIND_SQUEEZE)
        return value;
      value = inputs[0];
    }
}

/* Whether a value has the numbers 0, 1, … of all steps along axis 0. */
static gboolean
counts_steps (const Finder *finder, HybValueId value)
{
  HybTensor        *tensor = contents_of (finder, value);
  gint64            n = finder->chain->n_steps;
  const HybValueId *inputs;
  const HybNode    *node = maker_of (finder, strip (finder, value), &inputs);

  if (hyb_node_kind (node) == HYB_KIND_COUNT)
    return hyb_node_double (node, "start", 1) == 0 && hyb_node_double (node, "step", 1) == 1 &&
           hyb_node_double (node, "stop", 0) == (double) n && hyb_node_int (node, "repeat", 1) == 1;
  if (!tensor || hyb_tensor_get_size (tensor) != n || hyb_tensor_get_shape (tensor)->rank == 0 ||
      hyb_tensor_get_shape (tensor)->dim[0] != n)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (hyb_tensor_get_value (tensor, i) != (double) i)
      return FALSE;
  return TRUE;
}

/* Records the lengths that a node reads; FALSE if others were found before. */
static gboolean
is_length (const Finder *finder, HybValueId value)
{
  HybValueId base = strip (finder, value);

  if (finder->types[base].shape.rank != 1)
    return FALSE;
  if (finder->found->lengths == HYB_NO_ID)
    finder->found->lengths = base;
  return finder->found->lengths == base;
}

/* Whether a value is the lengths and one more each. */
static gboolean
is_length_plus_one (const Finder *finder, HybValueId value)
{
  const HybValueId *inputs;
  const HybNode    *node = maker_of (finder, strip (finder, value), &inputs);

  if (hyb_node_kind (node) == HYB_KIND_PLUS_SCALAR)
    return hyb_node_double (node, "scalar", 0) == 1 && is_length (finder, inputs[0]);
  if (hyb_node_kind (node) != HYB_KIND_ADD)
    return FALSE;
  return (is_everywhere (finder, inputs[1], 1) && is_length (finder, inputs[0])) ||
         (is_everywhere (finder, inputs[0], 1) && is_length (finder, inputs[1]));
}

/* --- Outputs --- */

/* Whether a node sets everything behind the end of each sequence of `of` to zero. */
static gboolean
is_mask (const Finder *finder, HybNodeId id, HybValueId of)
{
  const HybNode    *node = hyb_graph_get_node (finder->graph, id), *less;
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id), *compared;

  if (hyb_node_kind (node) == HYB_KIND_SEQUENCE_MASK)
    return node->n_inputs == 2 && inputs[0] == of && hyb_node_double (node, "value", 0) == 0 &&
           hyb_node_int (node, "axis", 0) == 0 && is_length (finder, inputs[1]);
  if (hyb_node_kind (node) != HYB_KIND_WHERE || inputs[1] != of)
    return FALSE;
  less = maker_of (finder, inputs[0], &compared);
  return hyb_node_kind (less) == HYB_KIND_LESS && counts_steps (finder, compared[0]) &&
         is_length (finder, compared[1]) && is_everywhere (finder, inputs[2], 0);
}

static gboolean
is_head (const Finder *finder, HybValueId value)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (finder->graph, &n);

  for (guint i = 0; i < n; i++)
    if (heads[i] == value)
      return TRUE;
  return FALSE;
}

static gboolean
reads_lengths (const Finder *finder, const HybNode *node, const HybValueId *inputs)
{
  return node->n_inputs == 2 && hyb_node_bool (node, "use_sequence_length") &&
         hyb_node_int (node, "axis", 0) == 0 && is_length (finder, inputs[1]);
}

/* Whether a node keeps the steps of all sequences in their places, or reverses those within the lengths. */
static gboolean
keeps_ends (const Finder *finder, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (finder->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);

  if (hyb_node_kind (node) == HYB_KIND_CONCAT)
    return hyb_node_concat_axis (node) == 2;
  return hyb_node_kind (node) == HYB_KIND_SEQUENCE_REVERSE && reads_lengths (finder, node, inputs);
}

/* TRUE if a reader of all steps uses only steps within the lengths. */
static gboolean
is_masked (const Finder *finder, HybNodeId reader, HybValueId value, guint depth)
{
  HybValueId       made = hyb_graph_get_node (finder->graph, reader)->first_output;
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (finder->graph, made, &n);

  if (is_mask (finder, reader, value))
    return TRUE;
  if (depth == MAX_DEPTH || n == 0 || is_head (finder, made) || !keeps_ends (finder, reader))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!is_masked (finder, users[i], made, depth + 1))
      return FALSE;
  return TRUE;
}

/* --- Final states --- */

/* Whether both are the state before the first step. */
static gboolean
is_initial (const Finder *finder, HybValueId value, HybValueId initial)
{
  HybTensor *a, *b;

  value = strip (finder, value);
  initial = strip (finder, initial);
  a = contents_of (finder, value);
  b = contents_of (finder, initial);
  if (value == initial)
    return TRUE;
  if (hyb_value_kind (finder->graph, value) == HYB_KIND_CONSTANT || (a && b))
    {
      double number = a ? hyb_tensor_get_value (a, 0) : hyb_constant_number (finder->graph, value);

      return is_everywhere (finder, value, number) && is_everywhere (finder, initial, number);
    }
  return FALSE;
}

static void
add_final (const Finder *finder, guint state, HybValueId value)
{
  g_array_append_val (finder->found->final[state], value);
}

/* Adds the first elements of an array, cut out without the axis.  FALSE if something else reads it. */
static gboolean
add_first_elements (const Finder *finder, guint state, HybValueId value)
{
  guint            n, n_cut;
  const HybNodeId *users = hyb_graph_get_users (finder->graph, value, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode   *cut = hyb_graph_get_node (finder->graph, users[i]);
      const HybNodeId *squeezes = hyb_graph_get_users (finder->graph, cut->first_output, &n_cut);

      if (hyb_node_kind (cut) != HYB_KIND_SLICE_AXIS || hyb_node_int (cut, "axis", 1) != 0 ||
          hyb_node_int (cut, "begin", 1) != 0 || hyb_node_int (cut, "end", HYB_NONE) != 1 ||
          is_head (finder, cut->first_output))
        return FALSE;
      for (guint k = 0; k < n_cut; k++)
        {
          const HybNode *squeeze = hyb_graph_get_node (finder->graph, squeezes[k]);

          if (hyb_node_kind (squeeze) != HYB_KIND_SQUEEZE)
            return FALSE;
          add_final (finder, state, squeeze->first_output);
        }
    }
  return n > 0 && !is_head (finder, value);
}

/* Whether a node puts the initial state before all others, and only the state after the last step of each sequence is read. */
static gboolean
add_last_states (const Finder *finder, guint state, HybNodeId id, HybValueId stack)
{
  const HybNode     *node = hyb_graph_get_node (finder->graph, id);
  const HybValueId  *inputs = hyb_graph_get_inputs (finder->graph, id);
  const HybCellStep *first = hyb_chain_step (finder->cells, finder->chain, 0);
  guint              n;
  const HybNodeId   *users = hyb_graph_get_users (finder->graph, node->first_output, &n);

  if (hyb_node_kind (node) != HYB_KIND_CONCAT || node->n_inputs != 2 || inputs[1] != stack ||
      hyb_node_concat_axis (node) != 0 || is_head (finder, node->first_output) ||
      !is_initial (finder, inputs[0], hyb_step_state_in (first, state)))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const HybNode    *last = hyb_graph_get_node (finder->graph, users[i]);
      const HybValueId *read = hyb_graph_get_inputs (finder->graph, users[i]);

      if (last->n_inputs != 2 || !hyb_node_bool (last, "use_sequence_length") ||
          hyb_node_int (last, "axis", 0) != 0 || !is_length_plus_one (finder, read[1]))
        return FALSE;
      if (hyb_node_kind (last) == HYB_KIND_LAST)
        add_final (finder, state, last->first_output);
      else if (hyb_node_kind (last) != HYB_KIND_SEQUENCE_REVERSE ||
               !add_first_elements (finder, state, last->first_output))
        return FALSE;
    }
  return TRUE;
}

/* --- States --- */

/* Whether a node stacks a state after all steps along axis 0. */
static gboolean
is_stack (const Finder *finder, HybNodeId id, guint state)
{
  const HybNode    *node = hyb_graph_get_node (finder->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);

  if (hyb_node_kind (node) != HYB_KIND_STACK || hyb_node_int (node, "axis", 0) != 0 ||
      node->n_inputs != finder->chain->n_steps || is_head (finder, node->first_output))
    return FALSE;
  for (guint t = 0; t < node->n_inputs; t++)
    if (inputs[t] != hyb_step_state (hyb_chain_step (finder->cells, finder->chain, t), state))
      return FALSE;
  return TRUE;
}

/* Adds the readers of a stack of a state.  FALSE if one of them ignores the lengths. */
static gboolean
add_stack (const Finder *finder, guint state, HybNodeId id)
{
  HybValueId       value = hyb_graph_get_node (finder->graph, id)->first_output;
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (finder->graph, value, &n);

  for (guint i = 0; i < n; i++)
    if (!add_last_states (finder, state, users[i], value) &&
        !(state == 0 && is_masked (finder, users[i], value, 0)))
      return FALSE;
  g_array_append_val (finder->found->stacks, value);
  return TRUE;
}

/* Adds the readers of a state after any step.  FALSE if one of them ignores the lengths. */
static gboolean
add_state (const Finder *finder, guint state)
{
  guint chain =
      finder->cells
          ->chain_of_node[hyb_graph_get_producer (finder->graph,
                                                  hyb_step_state (hyb_chain_step (finder->cells,
                                                                                  finder->chain, 0),
                                                                  state))];

  for (guint t = 0; t < finder->chain->n_steps; t++)
    {
      HybValueId value = hyb_step_state (hyb_chain_step (finder->cells, finder->chain, t), state);
      guint      n;
      const HybNodeId *users = hyb_graph_get_users (finder->graph, value, &n);

      if (is_head (finder, value))
        return FALSE;
      for (guint i = 0; i < n; i++)
        {
          if (finder->cells->chain_of_node[users[i]] == chain)
            continue;
          if (!is_stack (finder, users[i], state) ||
              (t == 0 && !add_stack (finder, state, users[i])))
            return FALSE;
        }
    }
  return TRUE;
}

gboolean
hyb_chain_find_lengths (const HybCells  *cells,
                        HybModel        *model,
                        const HybType   *types,
                        const HybChain  *chain,
                        HybChainLengths *found)
{
  Finder   finder = { cells, cells->graph, model, types, chain, found };
  gboolean is_found;

  *found = (HybChainLengths){ .lengths = HYB_NO_ID };
  found->stacks = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  for (guint s = 0; s < 2; s++)
    found->final[s] = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  is_found = chain->kind != HYB_CELL_NONE && add_state (&finder, 0) &&
             (hyb_step_n_states (hyb_chain_step (cells, chain, 0)) < 2 || add_state (&finder, 1)) &&
             found->lengths != HYB_NO_ID;
  if (!is_found)
    found->lengths = HYB_NO_ID;
  return is_found;
}

void
hyb_chain_lengths_clear (HybChainLengths *found)
{
  g_clear_pointer (&found->stacks, g_array_unref);
  for (guint s = 0; s < 2; s++)
    g_clear_pointer (&found->final[s], g_array_unref);
}
