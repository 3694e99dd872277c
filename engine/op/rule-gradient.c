/* rule-gradient.c — shape inference for operators that compute a gradient.
 *
 * hyb_rule_gradient() builds a call of the differentiated operator: HybOp.operands pairs the
 * operands of the two operators.  It copies the shapes there, runs that operator's infer_shape, and
 * copies the result back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/rules.h"

#include "engine/base/error.h"

#include <string.h>

/* Types of up to this many operands are kept on the stack. */
#define MAX_STACK_OPERANDS 12

/* A walk over the words of HybOp.operands, which pairs operands of the gradient operator with
 * operands of the differentiated one. */
typedef struct
{
  HybCall *call;       /* of the gradient operator */
  HybCall *forward;    /* of the differentiated one */
  gboolean is_reverse; /* copy shapes from forward to call, not from call to forward */
  guint    next;       /* the operand of call that comes next, counting inputs and then outputs */
  guint    end;        /* the operand of call to stop at */
} Pairing;

/* Pairs the next operand of the call with *there, an operand of the forward call; NULL skips it. */
static gboolean
pair_next (Pairing *pairing, HybType *there, GError **error)
{
  HybType *here;

  /* Attributes may leave out the last operands. */
  if (pairing->next == pairing->end)
    return TRUE;

  /* input and output need not be parts of one array. */
  here = pairing->next < pairing->call->n_inputs
             ? &pairing->call->input[pairing->next]
             : &pairing->call->output[pairing->next - pairing->call->n_inputs];
  pairing->next++;
  if (!there)
    return TRUE;
  return pairing->is_reverse ? hyb_shape_assign (&here->shape, &there->shape, error)
                             : hyb_shape_assign (&there->shape, &here->shape, error);
}

/* Pairs the next n operands with there[0] to there[n - 1]. */
static gboolean
pair_all (Pairing *pairing, HybType *there, guint n, GError **error)
{
  if (n > pairing->end - pairing->next)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "it has %u operands, but at least %u are needed", pairing->end,
                         pairing->next + n);

  for (guint i = 0; i < n; i++)
    if (!pair_next (pairing, &there[i], error))
      return FALSE;
  return TRUE;
}

/* Pairs the operands of one word ("g0", "i*", "last", "-"). */
static gboolean
pair_word (Pairing *pairing, const char *word, GError **error)
{
  HybCall *forward = pairing->forward;
  gboolean is_input = word[0] == 'i';
  HybType *there = is_input ? forward->input : forward->output;
  guint    n = is_input ? forward->n_inputs : forward->n_outputs;
  guint    index;

  if (word[0] == '-')
    return pair_next (pairing, NULL, error);
  if (word[0] == 'l')
    return pair_next (pairing, &there[n - 1], error);
  if (word[1] == '*')
    return pair_all (pairing, there,
                     is_input ? n : hyb_op_n_visible (forward->op, forward->params, n), error);

  index = (guint) (word[1] - '0');
  return pair_next (pairing, index < n ? &there[index] : NULL, error);
}

static gboolean
pair_operands (HybCall *call, HybCall *forward, gboolean is_reverse, GError **error)
{
  Pairing     pairing = { call, forward, is_reverse, 0, call->n_inputs };
  const char *word = call->op->operands;

  for (; word != NULL; word = strchr (word, ' '))
    {
      word += *word == ' ';
      if (*word == '>')
        {
          pairing.next = call->n_inputs;
          pairing.end = call->n_inputs + call->n_outputs;
        }
      else if (!pair_word (&pairing, word, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_rule_gradient (HybCall *call, GError **error)
{
  g_return_val_if_fail (call, FALSE);

  HybType  stack[MAX_STACK_OPERANDS];
  HybType *types = stack;
  HybCall  forward = *call;
  gboolean is_consistent;

  forward.op = hyb_op_find (call->op->gradient_of);
  forward.prepared = NULL;
  hyb_op_arity (forward.op, call->params, &forward.n_inputs, &forward.n_outputs);
  if (forward.n_inputs + forward.n_outputs > MAX_STACK_OPERANDS)
    types = g_new (HybType, forward.n_inputs + forward.n_outputs);
  for (guint i = 0; i < forward.n_inputs + forward.n_outputs; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  forward.input = types;
  forward.output = types + forward.n_inputs;

  is_consistent = pair_operands (call, &forward, FALSE, error) &&
                  forward.op->infer_shape (&forward, error) &&
                  pair_operands (call, &forward, TRUE, error);
  if (!is_consistent)
    g_prefix_error (error, "as a gradient of %s: ", forward.op->name);

  if (types != stack)
    g_free (types);
  return is_consistent;
}
