/* symbol.c — calls operators like MXNet's symbolic front end: inputs that are left out become
 * variables (hyb_f_compose()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/trace-private.h"

#include <string.h>

/* The __init__ attribute that MXNet puts on a state that the operator writes to; NULL for other
 * inputs. */
static const char *
state_initialiser (const HybOp *op, guint input)
{
  if (!hyb_op_writes_input (op, input))
    return NULL;
  if (op->group_inputs > 0)
    input %= op->group_inputs;
  return g_str_has_suffix (op->inputs[input], "var") ? "[\"one\", {}]" : "[\"zero\", {}]";
}

/* The variable for an input that the call of the node leaves out. */
static HybValue *
implicit_variable (HybF *F, const HybOp *op, guint input, const char *node, const HybOpCall *call)
{
  g_autoptr (GPtrArray) pairs = g_ptr_array_new ();
  const char *init = state_initialiser (op, input);

  if (init)
    {
      g_ptr_array_add (pairs, (gpointer) "__init__");
      g_ptr_array_add (pairs, (gpointer) init);
    }
  for (gsize i = 0; call->attributes && call->attributes[i]; i += 2)
    if (call->attributes[i + 1])
      {
        g_ptr_array_add (pairs, (gpointer) call->attributes[i]);
        g_ptr_array_add (pairs, (gpointer) call->attributes[i + 1]);
      }
  g_ptr_array_add (pairs, NULL);
  return hyb_value_variable (F, hyb_f_text (F, "%s_%s", node, op->inputs[input]),
                             (const char *const *) pairs->pdata);
}

/* How many inputs the operator takes with these attributes; 0 and an error if they are invalid. */
static guint
count_inputs (HybF *F, const HybOp *op, const HybOpCall *call)
{
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  GError  *error = NULL;
  gpointer params = NULL;
  guint    n_inputs = 0, n_outputs;

  for (gsize i = 0; call->attributes && call->attributes[i]; i += 2)
    if (call->attributes[i + 1])
      {
        g_ptr_array_add (given, (gpointer) call->attributes[i]);
        g_ptr_array_add (given, (gpointer) call->attributes[i + 1]);
      }
  g_ptr_array_add (given, NULL);
  if (op->params)
    params = hyb_params_parse (op->params, op->params_size, (const char *const *) given->pdata,
                               NULL, &error);
  if (!error)
    hyb_op_arity (op, params, &n_inputs, &n_outputs);
  else
    hyb_f_keep_error (F, error);
  hyb_params_unref (params);
  return n_inputs;
}

HybValue *
hyb_f_compose (HybF *F, const char *op_name, const HybOpCall *call)
{
  g_return_val_if_fail (F && op_name && call, NULL);

  const HybOp     *op = hyb_op_find (op_name);
  HybOpCall        complete = *call;
  g_autofree char *lower = g_ascii_strdown (op_name, -1);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  guint n_names, n_inputs;

  g_return_val_if_fail (F->tracing, NULL);

  for (guint i = 0; !call->inputs && i < G_N_ELEMENTS (call->in) && call->in[i]; i++)
    hyb_flatten_into (call->in[i], inputs);
  for (guint i = 0; call->inputs && i < call->n_inputs; i++)
    hyb_flatten_into (call->inputs[i], inputs);
  if (!op)
    return hyb_f_call (F, op_name, call);

  n_names = g_strv_length ((char **) op->inputs);
  n_inputs = MIN (count_inputs (F, op, call), n_names);
  /* The variables' names contain the node's, so it is chosen before the call. */
  if (inputs->len < n_inputs && !call->name)
    complete.name = hyb_f_text (F, "%s",
                                hyb_f_name (F, NULL, call->hint ? call->hint : lower) +
                                    strlen (hyb_f_get_prefix (F)));
  while (inputs->len < n_inputs)
    g_ptr_array_add (inputs,
                     implicit_variable (F, op, inputs->len,
                                        hyb_f_text (F, "%s%s", hyb_f_get_prefix (F), complete.name),
                                        call));
  complete.inputs = (HybValue *const *) inputs->pdata;
  complete.n_inputs = inputs->len;
  return hyb_f_call (F, op_name, &complete);
}
