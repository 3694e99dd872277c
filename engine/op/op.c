/* op.c — answers questions about one operator: its inputs and outputs, and their names.
 *
 * Operators are found by name in op-find.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op.h"

#include <string.h>

static guint
count_names (const char *const *names)
{
  guint n = 0;

  while (names && names[n])
    n++;
  return n;
}

gboolean
hyb_op_needs_compute (const HybOp *op)
{
  g_return_val_if_fail (op, FALSE);
  return !op->forward;
}

gboolean
hyb_op_writes_input (const HybOp *op, guint input)
{
  g_return_val_if_fail (op, FALSE);

  guint bit = op->group_inputs > 0 ? input % op->group_inputs : input;

  return bit < 32 && (op->mutates >> bit & 1);
}

static inline void
count_operands (const HybOp *op, gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = count_names (op->inputs);
  *n_outputs = op->outputs ? count_names (op->outputs) : 1;
  if (op->arity)
    op->arity (params, n_inputs, n_outputs);
}

void
hyb_op_arity (const HybOp *op, gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  g_return_if_fail (op && n_inputs && n_outputs);
  count_operands (op, params, n_inputs, n_outputs);
}

void
hyb_op_body_arity (const HybOp     *op,
                   gconstpointer    params,
                   HybGraph *const *bodies,
                   guint           *n_inputs,
                   guint           *n_outputs)
{
  g_return_if_fail (op && n_inputs && n_outputs);
  count_operands (op, params, n_inputs, n_outputs);
  if (op->body_arity && bodies)
    op->body_arity (params, bodies, n_inputs, n_outputs);
}

guint
hyb_op_n_visible (const HybOp *op, gconstpointer params, guint n_outputs)
{
  guint n = 0;

  g_return_val_if_fail (op, 0);
  if (op->n_visible)
    return op->n_visible (params);
  if (!op->outputs)
    return n_outputs;

  /* Outputs beyond the named ones are hidden if the last name is. */
  for (guint i = 0; i < n_outputs; i++)
    n += op->outputs[MIN (i, count_names (op->outputs) - 1)][0] != '_';
  return n;
}

guint
hyb_op_n_numbered (const HybOp *op, gconstpointer params, guint n_outputs)
{
  g_return_val_if_fail (op, 0);
  return op->n_bodies > 0 ? hyb_op_n_visible (op, params, n_outputs) : n_outputs;
}

/* The name of operand number `index` of n: names[index], or, where the last name is repeated, that
 * name with a number: “arg” gives arg0, arg1 …, and so does “output0” give output0, output1 ….
 * NULL if there are no names. */
static char *
numbered_name (const char *const *names, guint index, guint n)
{
  guint n_names = count_names (names);
  int   length;

  if (n_names == 0)
    return NULL;
  if (index + 1 < n_names || (index + 1 == n_names && n <= n_names))
    return g_strdup (names[index]);
  length = (int) strlen (names[n_names - 1]);
  if (g_str_has_suffix (names[n_names - 1], "0"))
    length--;
  return g_strdup_printf ("%.*s%u", length, names[n_names - 1], index - (n_names - 1));
}

char *
hyb_op_dup_input_name (const HybOp *op, guint index, guint n_inputs)
{
  char *name;

  g_return_val_if_fail (op, NULL);
  if (op->group_inputs > 0)
    return g_strdup_printf ("%s_%u", op->inputs[index % op->group_inputs],
                            index / op->group_inputs);
  name = numbered_name (op->inputs, index, n_inputs);
  return name ? name : g_strdup_printf ("arg%u", index);
}

char *
hyb_op_dup_output_name (const HybOp *op, guint index, guint n_outputs)
{
  g_return_val_if_fail (op, NULL);

  char *name = numbered_name (op->outputs, index, n_outputs);

  if (name)
    {
      if (name[0] == '_')
        memmove (name, name + 1, strlen (name));
      return name;
    }
  return n_outputs == 1 ? g_strdup ("output") : g_strdup_printf ("output%u", index);
}
