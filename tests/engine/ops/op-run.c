/* op-run.c — runs one operator in a single line of a test; see op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

#include "engine/imperative/imperative.h"

#include <stdarg.h>

GPtrArray *
op_run_all (const char *name, const char *attributes_text, gboolean training, GPtrArray *inputs)
{
  const HybOp *op = hyb_op_find (name);
  g_auto (GStrv) attributes = op_attributes_from_text (attributes_text);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  HybRun   context = { .training = training, .seed = 1, .key = 1 };
  gpointer params = NULL;
  guint    n_inputs, n_outputs;

  if (!op)
    g_error ("there is no operator %s", name);

  if (op->params)
    params = hyb_params_parse (op->params, op->params_size, (const char *const *) attributes, NULL,
                               &error);
  g_assert_no_error (error);
  hyb_op_arity (op, params, &n_inputs, &n_outputs);
  g_assert_cmpuint (inputs->len, ==, n_inputs);

  outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_ptr_array_set_size (outputs, (int) n_outputs);
  hyb_imperative_call (&(HybImperativeCall){ .op = op,
                                             .params = params,
                                             .n_inputs = n_inputs,
                                             .inputs = (HybTensor *const *) inputs->pdata,
                                             .outputs = (HybTensor **) outputs->pdata },
                       &context, &error);
  g_assert_no_error (error);
  hyb_params_unref (params);

  return g_steal_pointer (&outputs);
}

static HybTensor *
run_list (const char *op, const char *attributes, gboolean training, va_list list)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  HybTensor *input;

  while ((input = va_arg (list, HybTensor *)))
    g_ptr_array_add (inputs, input);
  outputs = op_run_all (op, attributes, training, inputs);

  return hyb_tensor_ref (outputs->pdata[0]);
}

HybTensor *
op_run (const char *op, const char *attributes, ...)
{
  HybTensor *output;
  va_list    list;

  va_start (list, attributes);
  output = run_list (op, attributes, FALSE, list);
  va_end (list);

  return output;
}

HybTensor *
op_run_training (const char *op, const char *attributes, ...)
{
  HybTensor *output;
  va_list    list;

  va_start (list, attributes);
  output = run_list (op, attributes, TRUE, list);
  va_end (list);

  return output;
}
