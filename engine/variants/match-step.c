/* match-step.c — recognises one step of a cell by its formula, from the new state down to products
 * with weights.
 *
 * Each cell has a function that follows its formula downwards, trying the inputs of sums and
 * products in both orders.  At the bottom a gate is a sum of two products (sum-of-products.h).  Start
 * reading at hyb_match_step().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/match-step.h"

#include "engine/variants/node-kind.h"

static const HybNode *
get_maker (const HybMatcher *matcher, HybValueId value, const HybValueId **inputs)
{
  HybNodeId id = hyb_graph_get_producer (matcher->graph, value);

  *inputs = hyb_graph_get_inputs (matcher->graph, id);
  return hyb_graph_get_node (matcher->graph, id);
}

/* --- Gates --- */

/* The first input of the node that makes value, if it is of this kind. */
static gboolean
input_below (const HybMatcher *matcher, HybValueId value, HybNodeKind word, HybValueId *input)
{
  const HybValueId *inputs;
  const HybNode    *node = get_maker (matcher, value, &inputs);

  if (hyb_node_kind (node) != word)
    return FALSE;
  *input = inputs[0];
  return TRUE;
}

/* Both inputs of the node that makes value, if it is of this kind. */
static gboolean
inputs_below (const HybMatcher *matcher, HybValueId value, HybNodeKind word, HybValueId pair[2])
{
  const HybValueId *inputs;
  const HybNode    *node = get_maker (matcher, value, &inputs);

  if (hyb_node_kind (node) != word || node->n_inputs != 2)
    return FALSE;
  pair[0] = inputs[0];
  pair[1] = inputs[1];
  return TRUE;
}

/* act (one product + another).  Which of the two is the state's is decided later. */
static gboolean
match_gate (const HybMatcher *matcher, HybValueId value, HybNodeKind activation, HybGate *gate)
{
  HybSum     sum;
  HybValueId inner;

  if (!input_below (matcher, value, activation, &inner) ||
      !hyb_sum_collect_two (matcher, inner, &sum) || sum.term[0].rows != sum.term[1].rows)
    return FALSE;
  gate->input = sum.term[0];
  gate->hidden = sum.term[1];
  return TRUE;
}

static void
exchange_gate (HybGate *gate)
{
  HybTerm term = gate->input;

  gate->input = gate->hidden;
  gate->hidden = term;
}

void
hyb_step_swap_terms (HybCellStep *step)
{
  for (guint g = 0; g < step->n_gates; g++)
    exchange_gate (&step->gate[g]);
  step->x = step->gate[0].input.x;
  step->h_in = step->gate[0].hidden.x;
}

/* Gives the terms of all gates the order of the first gate.  FALSE unless all gates read the same
 * two values with the same number of rows. */
static gboolean
align_gates (HybCellStep *step)
{
  step->x = step->gate[0].input.x;
  step->h_in = step->gate[0].hidden.x;
  for (guint g = 1; g < step->n_gates; g++)
    {
      HybGate *gate = &step->gate[g];

      if (gate->input.x != step->x)
        exchange_gate (gate);
      if (gate->input.x != step->x || gate->hidden.x != step->h_in ||
          gate->input.rows != step->gate[0].input.rows ||
          gate->hidden.rows != step->gate[0].hidden.rows)
        return FALSE;
    }
  return step->x != step->h_in;
}

/* --- LSTM: o · tanh (c), c = f · c' + i · g --- */

/* c = kept + added, with kept = f · c' and added = i · g. */
static gboolean
match_memory (const HybMatcher *matcher, HybValueId kept, HybValueId added, HybCellStep *step)
{
  HybValueId old[2], new[2];

  if (!inputs_below (matcher, kept, HYB_KIND_MUL, old) ||
      !inputs_below (matcher, added, HYB_KIND_MUL, new))
    return FALSE;

  for (guint a = 0; a < 2; a++)
    for (guint b = 0; b < 2; b++)
      if (match_gate (matcher, old[a], HYB_KIND_SIGMOID, &step->gate[1]) &&
          match_gate (matcher, new[b], HYB_KIND_SIGMOID, &step->gate[0]) &&
          match_gate (matcher, new[1 - b], HYB_KIND_TANH, &step->gate[2]))
        {
          step->c_in = old[1 - a];
          return TRUE;
        }
  return FALSE;
}

static gboolean
match_lstm (const HybMatcher *matcher, HybValueId value, HybCellStep *step)
{
  HybValueId factors[2], terms[2];

  step->kind = HYB_CELL_LSTM;
  step->n_gates = 4;
  if (!inputs_below (matcher, value, HYB_KIND_MUL, factors))
    return FALSE;

  for (guint a = 0; a < 2; a++)
    if (input_below (matcher, factors[a], HYB_KIND_TANH, &step->c) &&
        inputs_below (matcher, step->c, HYB_KIND_ADD, terms) &&
        match_gate (matcher, factors[1 - a], HYB_KIND_SIGMOID, &step->gate[3]))
      for (guint b = 0; b < 2; b++)
        if (match_memory (matcher, terms[b], terms[1 - b], step) && align_gates (step))
          return TRUE;
  return FALSE;
}

/* --- LSTM with projection: R (o · tanh (c)) --- */

static gboolean
match_projected_lstm (const HybMatcher *matcher, HybValueId value, HybCellStep *step)
{
  HybNodeKind kind = hyb_value_kind (matcher->graph, value);
  HybTerm     projection;
  HybSum      sum;

  if ((kind != HYB_KIND_LINEAR && kind != HYB_KIND_DOT) ||
      !hyb_sum_collect (matcher, value, &sum) || sum.n != 1 || sum.term[0].bias != HYB_NO_ID)
    return FALSE;
  projection = sum.term[0];
  if (!match_lstm (matcher, projection.x, step))
    return FALSE;
  step->kind = HYB_CELL_LSTMP;
  step->projection = projection;
  return TRUE;
}

/* --- GRU: (1 − z) · n + z · h', n = tanh (W x + r · (U h')) --- */

/* 1 − *of. */
static gboolean
is_one_minus (const HybMatcher *matcher, HybValueId value, HybValueId *of)
{
  HybValueId pair[2], inner;

  if (input_below (matcher, value, HYB_KIND_ONE_MINUS, of))
    return TRUE;
  if (!inputs_below (matcher, value, HYB_KIND_SUB, pair) ||
      !input_below (matcher, pair[0], HYB_KIND_ONES_LIKE, &inner))
    return FALSE;
  *of = pair[1];
  return TRUE;
}

/* value as exactly one product. */
static gboolean
match_one_term (const HybMatcher *matcher, HybValueId value, HybTerm *term)
{
  HybSum sum;

  if (!hyb_sum_collect (matcher, value, &sum) || sum.n != 1)
    return FALSE;
  *term = sum.term[0];
  return TRUE;
}

/* r · (U h') + W x.  reset is the first summand, plain the second. */
static gboolean
match_reset_after (const HybMatcher *matcher, HybValueId reset, HybValueId plain, HybCellStep *step)
{
  HybValueId factors[2];

  if (!inputs_below (matcher, reset, HYB_KIND_MUL, factors) ||
      !match_one_term (matcher, plain, &step->gate[2].input))
    return FALSE;
  for (guint a = 0; a < 2; a++)
    if (match_gate (matcher, factors[a], HYB_KIND_SIGMOID, &step->gate[0]) &&
        match_one_term (matcher, factors[1 - a], &step->gate[2].hidden))
      return TRUE;
  return FALSE;
}

/* W x + U (r · h') */
static gboolean
match_reset_before (const HybMatcher *matcher, HybValueId inner, HybCellStep *step)
{
  HybSum     sum;
  HybValueId factors[2];

  if (!hyb_sum_collect_two (matcher, inner, &sum))
    return FALSE;
  for (guint a = 0; a < 2; a++)
    for (guint b = 0; b < 2; b++)
      if (inputs_below (matcher, sum.term[a].x, HYB_KIND_MUL, factors) &&
          factors[b] == step->h_in &&
          match_gate (matcher, factors[1 - b], HYB_KIND_SIGMOID, &step->gate[0]))
        {
          step->gate[2].hidden = sum.term[a];
          step->gate[2].hidden.x = step->h_in;
          step->gate[2].input = sum.term[1 - a];
          step->kind = HYB_CELL_GRU_RESET_BEFORE;
          return TRUE;
        }
  return FALSE;
}

/* n = tanh (W x + r · (U h')) or tanh (W x + U (r · h')). */
static gboolean
match_candidate (const HybMatcher *matcher, HybValueId value, HybCellStep *step)
{
  HybValueId inner, terms[2];

  if (!input_below (matcher, value, HYB_KIND_TANH, &inner) ||
      !inputs_below (matcher, inner, HYB_KIND_ADD, terms))
    return FALSE;
  return match_reset_after (matcher, terms[0], terms[1], step) ||
         match_reset_after (matcher, terms[1], terms[0], step) ||
         match_reset_before (matcher, inner, step);
}

/* fresh = (1 − z) · n, kept = z · h' */
static gboolean
match_blend (const HybMatcher *matcher, HybValueId fresh, HybValueId kept, HybCellStep *step)
{
  HybValueId new[2], old[2], z;

  if (!inputs_below (matcher, fresh, HYB_KIND_MUL, new) ||
      !inputs_below (matcher, kept, HYB_KIND_MUL, old))
    return FALSE;

  for (guint a = 0; a < 2; a++)
    for (guint b = 0; b < 2; b++)
      if (is_one_minus (matcher, new[a], &z) && old[b] == z &&
          match_gate (matcher, z, HYB_KIND_SIGMOID, &step->gate[1]))
        {
          step->kind = HYB_CELL_GRU;
          step->h_in = old[1 - b];
          if (match_candidate (matcher, new[1 - a], step))
            return TRUE;
        }
  return FALSE;
}

/* change = z · (h' − n) */
static gboolean
match_difference (const HybMatcher *matcher, HybValueId n, HybValueId change, HybCellStep *step)
{
  HybValueId factors[2], pair[2];

  if (!inputs_below (matcher, change, HYB_KIND_MUL, factors))
    return FALSE;
  for (guint a = 0; a < 2; a++)
    if (inputs_below (matcher, factors[a], HYB_KIND_SUB, pair) && pair[1] == n &&
        match_gate (matcher, factors[1 - a], HYB_KIND_SIGMOID, &step->gate[1]))
      {
        step->kind = HYB_CELL_GRU;
        step->h_in = pair[0];
        if (match_candidate (matcher, n, step))
          return TRUE;
      }
  return FALSE;
}

static gboolean
match_gru (const HybMatcher *matcher, HybValueId value, HybCellStep *step)
{
  HybValueId terms[2], h_in;

  step->n_gates = 3;
  if (!inputs_below (matcher, value, HYB_KIND_ADD, terms) ||
      (!match_blend (matcher, terms[0], terms[1], step) &&
       !match_blend (matcher, terms[1], terms[0], step) &&
       !match_difference (matcher, terms[0], terms[1], step) &&
       !match_difference (matcher, terms[1], terms[0], step)))
    return FALSE;

  h_in = step->h_in;
  if (!align_gates (step))
    return FALSE;
  if (step->h_in != h_in)
    hyb_step_swap_terms (step);
  step->is_decided = TRUE;
  return step->h_in == h_in;
}

/* --- act (W x + U h') --- */

static gboolean
match_plain (const HybMatcher *matcher, HybValueId value, HybCellStep *step)
{
  step->n_gates = 1;
  step->kind = HYB_CELL_RNN_TANH;
  if (match_gate (matcher, value, HYB_KIND_TANH, &step->gate[0]))
    return align_gates (step);
  step->kind = HYB_CELL_RNN_RELU;
  return match_gate (matcher, value, HYB_KIND_RELU, &step->gate[0]) && align_gates (step);
}

gboolean
hyb_match_step (const HybMatcher *matcher, HybNodeId id, HybCellStep *step)
{
  static gboolean (*const formulas[]) (const HybMatcher *, HybValueId, HybCellStep *) = {
    match_lstm,
    match_projected_lstm,
    match_gru,
    match_plain,
  };
  HybValueId value = hyb_graph_get_node (matcher->graph, id)->first_output;

  for (guint i = 0; i < G_N_ELEMENTS (formulas); i++)
    {
      *step = (HybCellStep){ .h = value,
                             .c = HYB_NO_ID,
                             .c_in = HYB_NO_ID,
                             .more = { HYB_NO_ID, HYB_NO_ID },
                             .previous = HYB_NO_ID,
                             .next = HYB_NO_ID };
      if (formulas[i](matcher, value, step))
        return TRUE;
    }
  return FALSE;
}

static gboolean
same_weights (const HybTerm *a, const HybTerm *b)
{
  return a->weight == b->weight && a->bias == b->bias && a->begin == b->begin &&
         a->rows == b->rows && a->bias_begin == b->bias_begin && a->columns == b->columns &&
         a->is_transposed == b->is_transposed;
}

gboolean
hyb_steps_share_weights (const HybCellStep *a, const HybCellStep *b)
{
  if (a->kind != b->kind || a->n_gates != b->n_gates ||
      (a->kind == HYB_CELL_LSTMP && !same_weights (&a->projection, &b->projection)))
    return FALSE;
  for (guint g = 0; g < a->n_gates; g++)
    if (!same_weights (&a->gate[g].input, &b->gate[g].input) ||
        !same_weights (&a->gate[g].hidden, &b->gate[g].hidden))
      return FALSE;
  return TRUE;
}
