/* rule-gradient.c — shapes of operators that compute a gradient.
 *
 * What an input of such an operator may look like is known already: by the operator
 * whose gradient it is.  So the shapes are laid out as a use of that one, as
 * HybOp.operands says, its rule is asked, and what it finds is taken back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/rules.h"

#include "engine/base/error.h"

#include <string.h>

/* Operands for which no memory is taken to hold their types. */
#define FEW_OPERANDS 12

/* What an operand of the gradient operator is of the differentiated one. */
typedef struct
{
  HybCall *call, *forward;
  gboolean takes; /* the call learns from forward, not the other way round */
  guint    next;  /* operand of call: inputs, then outputs */
  guint    end;
} Pairing;

static gboolean
pair_next (Pairing *pairing, HybType *there, GError **error)
{
  HybType *here;

  /* The last words may be about operands that only some attributes give. */
  if (pairing->next == pairing->end)
    return TRUE;

  /* Inputs and outputs need not lie side by side. */
  here = pairing->next < pairing->call->n_inputs
             ? &pairing->call->input[pairing->next]
             : &pairing->call->output[pairing->next - pairing->call->n_inputs];
  pairing->next++;
  if (!there)
    return TRUE;
  return pairing->takes ? hyb_shape_assign (&here->shape, &there->shape, error)
                        : hyb_shape_assign (&there->shape, &here->shape, error);
}

static gboolean
pair_all (Pairing *pairing, HybType *there, guint n, GError **error)
{
  if (n > pairing->end - pairing->next)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_TYPES,
                         NULL,
                         NULL,
                         "%u operands are too few",
                         pairing->end);

  for (guint i = 0; i < n; i++)
    if (!pair_next (pairing, &there[i], error))
      return FALSE;
  return TRUE;
}

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
    return pair_all (pairing,
                     there,
                     is_input ? n : hyb_op_n_visible (forward->op, forward->params, n),
                     error);

  index = (guint) (word[1] - '0');
  return pair_next (pairing, index < n ? &there[index] : NULL, error);
}

static gboolean
pair_operands (HybCall *call, HybCall *forward, gboolean takes, GError **error)
{
  Pairing     pairing = { call, forward, takes, 0, call->n_inputs };
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
  HybType  few[FEW_OPERANDS];
  HybType *room = few;
  HybCall  forward = *call;
  gboolean fits;

  forward.op = hyb_op_find (call->op->gradient_of);
  forward.prepared = NULL;
  hyb_op_arity (forward.op, call->params, &forward.n_inputs, &forward.n_outputs);
  if (forward.n_inputs + forward.n_outputs > FEW_OPERANDS)
    room = g_new (HybType, forward.n_inputs + forward.n_outputs);
  for (guint i = 0; i < forward.n_inputs + forward.n_outputs; i++)
    room[i] = HYB_TYPE_UNKNOWN;
  forward.input = room;
  forward.output = room + forward.n_inputs;

  fits = pair_operands (call, &forward, FALSE, error) &&
         forward.op->infer_shape (&forward, error) && pair_operands (call, &forward, TRUE, error);
  if (!fits)
    g_prefix_error (error, "as a gradient of %s: ", forward.op->name);

  if (room != few)
    g_free (room);
  return fits;
}
