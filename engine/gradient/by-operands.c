/* by-operands.c — adds the gradient that HybOp.operands of the gradient operator describes.
 *
 * “g0 i1 i0 > i0” adds a node that reads the gradient of output 0, input 1 and input 0, and takes its output for the gradient
 * of input 0.  Start at hyb_gradient_by_operands().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"

#include "engine/gradient/flow.h"
#include "engine/op/op-gradient.h"

#include <string.h>

/* The numbers of a word: one, or all of n. */
static void
read_word (const char *word, guint n, guint *first, guint *end)
{
  *first = word[1] == '*' ? 0 : (guint) (word[1] - '0');
  *end = word[1] == '*' ? n : *first + (*first < n);
}

static void
add_values (HybGrad *grad, const char *word, GArray *values)
{
  const HybNode *node = grad->node;
  guint          i, end;

  read_word (word,
             word[0] == 'i'   ? node->n_inputs
             : word[1] == '*' ? hyb_op_n_visible (node->op, node->params, grad->n_outputs)
                              : grad->n_outputs,
             &i, &end);
  for (; i < end; i++)
    {
      HybValueId value = word[0] == 'i'   ? hyb_grad_input (grad, i)
                         : word[0] == 'g' ? hyb_grad_incoming (grad, i)
                                          : hyb_grad_output (grad, i);

      g_array_append_val (values, value);
    }
}

/* Returns the number of outputs of a word; value is the first of them. */
static guint
set_gradients (HybGrad *grad, const char *word, HybValueId value)
{
  guint first, end;

  if (word[0] != 'i')
    return 1;
  read_word (word, grad->node->n_inputs, &first, &end);
  for (guint i = first; i < end; i++)
    hyb_grad_set_input (grad, i, value + (i - first));
  return end - first;
}

void
hyb_gradient_by_operands (HybGrad *grad)
{
  const HybOp *forward = grad->node->op, *op = hyb_op_find_gradient (forward);
  gboolean     is_same = forward->params && forward->params == op->params;
  g_auto (GStrv) words = g_strsplit (op->operands, " ", -1);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybValueId value;
  guint      i;

  for (i = 0; words[i][0] != '>'; i++)
    add_values (grad, words[i], values);
  value = is_same ? hyb_grad_emit_same (grad, op->name, values->len, (gconstpointer) values->data)
                  : hyb_grad_emit_with (grad, op->name, NULL, values->len,
                                        (gconstpointer) values->data);
  for (i++; words[i]; i++)
    value += set_gradients (grad, words[i], value);
}
