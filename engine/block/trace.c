/* trace.c — creates and frees a HybF, and calls operators through it.
 *
 * A call of a tracing HybF adds a node to its builder; otherwise the operator is computed at once
 * (imperative/imperative.h) or through the tape.  Start at hyb_f_call().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/trace.h"

#include "engine/autograd/tape.h"
#include "engine/base/error.h"
#include "engine/block/trace-private.h"
#include "engine/imperative/imperative.h"

#include <string.h>

/* Calls with more operands than this keep them on the heap instead of the stack. */
#define SMALL_CALL 16

static void
free_values (HybF *F)
{
  for (guint i = 0; i < F->n_values; i++)
    {
      HybValue *block = g_ptr_array_index (F->values, i / HYB_VALUES_PER_BLOCK);
      HybValue *value = &block[i % HYB_VALUES_PER_BLOCK];

      hyb_tensor_unref (value->tensor);
      g_free (value->items);
    }
  g_ptr_array_unref (F->values);
}

static HybF *
f_make (gboolean training)
{
  HybF *F = g_new0 (HybF, 1);

  F->training = training;
  F->values = g_ptr_array_new_with_free_func (g_free);
  F->text = g_string_chunk_new (1024);
  F->path = g_ptr_array_new_with_free_func (g_free);
  hyb_names_init (F);
  return F;
}

HybF *
hyb_f_new (gboolean training, guint64 seed)
{
  HybF *F = f_make (training);

  F->seed = seed;
  return F;
}

HybF *
hyb_f_new_trace (gboolean training)
{
  HybF *F = f_make (training);

  F->tracing = TRUE;
  F->builder = hyb_builder_new ();
  F->variables = g_hash_table_new (g_str_hash, g_str_equal);
  F->captures = g_array_new (FALSE, FALSE, sizeof (Capture));
  return F;
}

void
hyb_f_free (HybF *F)
{
  if (!F)
    return;
  free_values (F);
  g_string_chunk_free (F->text);
  g_clear_error (&F->error);
  g_ptr_array_unref (F->path);
  g_clear_pointer (&F->inputs, g_ptr_array_unref);
  g_clear_pointer (&F->memory, g_hash_table_unref);
  hyb_names_clear (F);
  hyb_builder_free (F->builder);
  g_clear_pointer (&F->variables, g_hash_table_unref);
  g_clear_pointer (&F->captures, g_array_unref);
  g_free (F);
}

gpointer
hyb_f_get_memory (HybF *F, gconstpointer owner, gsize size)
{
  gpointer memory;

  if (!F->memory)
    F->memory = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  memory = g_hash_table_lookup (F->memory, owner);
  if (!memory)
    {
      memory = g_malloc0 (size);
      g_hash_table_insert (F->memory, (gpointer) owner, memory);
    }
  return memory;
}

gboolean
hyb_f_is_tracing (const HybF *F)
{
  g_return_val_if_fail (F, FALSE);
  return F->tracing;
}

gboolean
hyb_f_is_training (const HybF *F)
{
  g_return_val_if_fail (F, FALSE);
  return F->training;
}

void
hyb_f_set_tape (HybF *F, HybTape *tape)
{
  g_return_if_fail (F);
  F->tape = tape;
}

HybTape *
hyb_f_get_tape (HybF *F)
{
  g_return_val_if_fail (F, NULL);
  return F->tape;
}

void
hyb_f_set_node_attribute (HybF *F, const char *key, const char *value)
{
  g_return_if_fail (F);
  F->attribute_key = key ? g_string_chunk_insert (F->text, key) : NULL;
  F->attribute_value = value ? g_string_chunk_insert (F->text, value) : NULL;
}

/* --- Calling operators --- */

/* The given pairs without those whose value is NULL, sorted by key like in MXNet's files, after
 * the attribute that F puts on every node.  (transfer container) */
static const char **
complete_attributes (HybF *F, const char *const *given)
{
  GPtrArray *pairs = g_ptr_array_new ();

  for (gsize i = 0; given && given[i]; i += 2)
    if (given[i + 1])
      {
        guint at = 0;

        while (at < pairs->len && strcmp (g_ptr_array_index (pairs, at), given[i]) < 0)
          at += 2;
        g_ptr_array_insert (pairs, (int) at, (gpointer) given[i]);
        g_ptr_array_insert (pairs, (int) at + 1, (gpointer) given[i + 1]);
      }
  if (F->attribute_key)
    {
      g_ptr_array_insert (pairs, 0, (gpointer) F->attribute_key);
      g_ptr_array_insert (pairs, 1, (gpointer) F->attribute_value);
    }
  g_ptr_array_add (pairs, NULL);
  return (const char **) g_ptr_array_free (pairs, FALSE);
}

/* Appends the arrays of all inputs, made usable in F.  FALSE if one of them has failed. */
static gboolean
gather_inputs (HybF *F, const HybOpCall *call, GPtrArray *arrays)
{
  guint n = call->n_inputs;

  for (guint i = 0; !call->inputs && i < G_N_ELEMENTS (call->in) && call->in[i]; i++)
    hyb_flatten_into (call->in[i], arrays);
  for (guint i = 0; call->inputs && i < n; i++)
    hyb_flatten_into (call->inputs[i], arrays);

  for (guint i = 0; i < arrays->len; i++)
    {
      HybValue *value = g_ptr_array_index (arrays, i);

      if (value->failed)
        return FALSE;
      arrays->pdata[i] = hyb_value_import (F, value);
      if (((HybValue *) arrays->pdata[i])->failed)
        return FALSE;
    }
  return TRUE;
}

static HybValue *
visible_outputs (HybF         *F,
                 const HybOp  *op,
                 gconstpointer params,
                 HybValue    **outputs,
                 guint         n_outputs)
{
  guint n = hyb_op_n_visible (op, params, n_outputs);

  return n == 1 ? outputs[0] : hyb_list (F, n, outputs);
}

/* TRUE, and an error, if the operator writes to an input that another operator has computed.  Only
 * variables may be written to, because a graph does not say which of its nodes run first. */
static gboolean
mutates_result (HybF *F, const HybOp *op, guint n, const HybValueId *inputs)
{
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node =
          hyb_builder_get_node (F->builder, hyb_builder_get_producer (F->builder, inputs[i]));

      if (!hyb_op_writes_input (op, i) || hyb_node_is_variable (node))
        continue;
      hyb_f_fail (F,
                  "%s changes its %s in place, which here is the result of “%s”. Keep such a state "
                  "in a parameter of the block",
                  op->name, op->inputs[op->group_inputs > 0 ? i % op->group_inputs : i],
                  node->name);
      return TRUE;
    }
  return FALSE;
}

/* Adds the node.  spec: complete except for its inputs, which are arrays. */
static HybValue *
call_traced (HybF *F, HybNodeSpec *spec, GPtrArray *arrays)
{
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (arrays->len, 1));
  GError                *error = NULL;
  const HybNode         *node;
  HybValue             **outputs;
  HybValue              *result;
  HybNodeId              id;
  guint                  n_outputs;

  for (guint i = 0; i < arrays->len; i++)
    inputs[i] = ((HybValue *) g_ptr_array_index (arrays, i))->id;
  if (mutates_result (F, spec->op, arrays->len, inputs))
    return hyb_value_new_failed (F);

  spec->n_inputs = arrays->len;
  spec->inputs = inputs;
  id = hyb_builder_add (F->builder, spec, &error);
  if (id == HYB_NO_ID)
    {
      hyb_f_keep_error (F, error);
      return hyb_value_new_failed (F);
    }

  node = hyb_builder_get_node (F->builder, id);
  n_outputs = node->n_outputs;
  outputs = g_new (HybValue *, n_outputs);
  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = hyb_value_new_traced (F, hyb_builder_output (F->builder, id, i));
  result = visible_outputs (F, spec->op, node->params, outputs, n_outputs);
  g_free (outputs);
  return result;
}

gboolean
hyb_f_compute (HybF *F, const OperatorCall *call, HybTensor **outputs, GError **error)
{
  HybRun            context = { .training = F->training, .seed = F->seed, .key = ++F->n_calls };
  guint             n = call->arrays->len;
  HybTensor        *on_stack[SMALL_CALL];
  HybTensor       **inputs = n > SMALL_CALL ? g_new (HybTensor *, n) : on_stack;
  HybImperativeCall imperative = { .op = call->op,
                                   .params = call->params,
                                   .bodies = call->bodies,
                                   .n_inputs = n,
                                   .inputs = inputs,
                                   .outputs = outputs,
                                   .has_scalars = call->has_scalars };
  gboolean          done;

  for (guint i = 0; i < n; i++)
    inputs[i] = ((HybValue *) g_ptr_array_index (call->arrays, i))->tensor;
  done = F->tape ? hyb_tape_call (F->tape, &imperative, &context, error)
                 : hyb_imperative_call (&imperative, &context, error);
  if (inputs != on_stack)
    g_free (inputs);
  return done;
}

static HybValue *
compute (HybF *F, const OperatorCall *call, GError **error)
{
  HybTensor             *tensors_on_stack[SMALL_CALL];
  HybValue              *values_on_stack[SMALL_CALL];
  g_autofree HybTensor **tensors_on_heap = NULL;
  g_autofree HybValue  **values_on_heap = NULL;
  HybTensor            **outputs = tensors_on_stack;
  HybValue             **values = values_on_stack;
  guint                  n_inputs, n_outputs;

  hyb_op_arity (call->op, call->params, &n_inputs, &n_outputs);
  if (n_inputs != call->arrays->len)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                    "%u inputs where it takes %u", call->arrays->len, n_inputs);
      return NULL;
    }
  if (n_outputs > SMALL_CALL)
    {
      outputs = tensors_on_heap = g_new (HybTensor *, n_outputs);
      values = values_on_heap = g_new (HybValue *, n_outputs);
    }
  memset (outputs, 0, sizeof (HybTensor *) * n_outputs);
  if (!hyb_f_compute (F, call, outputs, error))
    return NULL;

  for (guint i = 0; i < n_outputs; i++)
    {
      values[i] = hyb_value_new (F);
      values[i]->tensor = outputs[i];
    }
  return visible_outputs (F, call->op, call->params, values, n_outputs);
}

static HybValue *
call_imperative (HybF *F, OperatorCall *call, const char **attributes)
{
  const HybOp *op = call->op;
  GError      *error = NULL;
  HybValue    *result = NULL;
  gpointer     params = NULL;

  if (op->params)
    params = hyb_params_parse (op->params, op->params_size, attributes, NULL, &error);
  call->params = params;
  if (!error && (!op->check || op->check (params, &error)))
    result = compute (F, call, &error);
  hyb_params_unref (params);

  if (!result)
    {
      g_prefix_error (&error, "%s: ", op->name);
      hyb_f_keep_error (F, error);
      return hyb_value_new_failed (F);
    }
  return result;
}

static HybValue *
call_operator (HybF *F, const char *op_name, const HybOpCall *call, GPtrArray *arrays)
{
  g_autofree const char **attributes = NULL;
  g_autofree char        *lower = NULL;
  const HybOp            *op = hyb_op_find (op_name);
  OperatorCall            computed = { .op = op, .bodies = call->bodies, .arrays = arrays };
  HybNodeSpec             spec = { .op = op, .bodies = call->bodies, .n_bodies = call->n_bodies };

  if (!op)
    {
      hyb_f_fail (F, "there is no operator called %s", op_name);
      return hyb_value_new_failed (F);
    }
  if (!gather_inputs (F, call, arrays))
    return hyb_value_new_failed (F);

  if (F->tracing || op->params)
    attributes = complete_attributes (F, call->attributes);
  if (!F->tracing)
    return call_imperative (F, &computed, attributes);

  lower = g_ascii_strdown (op_name, -1);
  spec.name = hyb_f_name (F, call->name, call->hint ? call->hint : lower);
  spec.attributes = attributes;
  return call_traced (F, &spec, arrays);
}

HybValue *
hyb_f_call (HybF *F, const char *op_name, const HybOpCall *call)
{
  g_return_val_if_fail (F && op_name && call, NULL);

  GPtrArray *arrays = g_steal_pointer (&F->inputs);
  HybValue  *result;

  /* A call inside a call (of a body) finds the scratch array taken. */
  if (!arrays)
    arrays = g_ptr_array_new ();
  result = call_operator (F, op_name, call, arrays);
  g_ptr_array_set_size (arrays, 0);
  g_clear_pointer (&F->inputs, g_ptr_array_unref);
  F->inputs = arrays;
  return result;
}
