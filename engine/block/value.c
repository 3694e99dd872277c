/* value.c — the values of a HybF: arrays and lists, variables of traces, and captured values.
 *
 * A value of a surrounding graph that is used in a body becomes a variable of the body:
 * hyb_value_import().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/trace.h"

#include "engine/block/trace-private.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

HybValue *
hyb_value_new (HybF *F)
{
  guint     at = F->n_values % HYB_VALUES_PER_BLOCK;
  HybValue *block, *value;

  if (at == 0)
    g_ptr_array_add (F->values, g_new0 (HybValue, HYB_VALUES_PER_BLOCK));
  block = g_ptr_array_index (F->values, F->n_values++ / HYB_VALUES_PER_BLOCK);
  value = &block[at];
  value->F = F;
  value->id = HYB_NO_ID;
  return value;
}

HybValue *
hyb_value_new_failed (HybF *F)
{
  HybValue *value = hyb_value_new (F);

  value->failed = TRUE;
  return value;
}

HybValue *
hyb_value_new_traced (HybF *F, HybValueId id)
{
  HybValue *value = hyb_value_new (F);

  value->id = id;
  return value;
}

HybValue *
hyb_value_from_tensor (HybF *F, HybTensor *tensor)
{
  g_return_val_if_fail (F, NULL);

  HybValue *value = hyb_value_new (F);

  if (!tensor)
    {
      hyb_f_fail (F, "a value cannot be made of NULL; check that the array exists");
      value->failed = TRUE;
      return value;
    }
  if (F->tracing)
    {
      hyb_f_fail (F, "an array with numbers cannot be part of a traced graph; make it a parameter");
      value->failed = TRUE;
      return value;
    }
  value->tensor = hyb_tensor_ref (tensor);
  return value;
}

/* The attributes of a new variable of a body, as MXNet writes them.  A variable that a surrounding
 * graph has already is captured and gets no attributes; one that is used first in a body gets its
 * own attributes and the name of the body.  (transfer container) */
static const char **
body_attributes (HybF *F, const char *name, const char *const *attributes)
{
  GPtrArray *pairs = g_ptr_array_new ();
  gboolean   is_marked = F->attribute_key != NULL;

  for (HybF *outer = F->parent; outer; outer = outer->parent)
    if (g_hash_table_contains (outer->variables, name))
      {
        attributes = NULL;
        is_marked = FALSE;
        break;
      }
  for (gsize i = 0; attributes && attributes[i]; i += 2)
    {
      g_ptr_array_add (pairs, (gpointer) attributes[i]);
      g_ptr_array_add (pairs, (gpointer) attributes[i + 1]);
    }
  if (is_marked)
    {
      guint at = 0;

      while (at < pairs->len && strcmp (g_ptr_array_index (pairs, at), F->attribute_key) < 0)
        at += 2;
      g_ptr_array_insert (pairs, (int) at, (gpointer) F->attribute_key);
      g_ptr_array_insert (pairs, (int) at + 1, (gpointer) F->attribute_value);
    }
  g_ptr_array_add (pairs, NULL);
  return (const char **) g_ptr_array_free (pairs, FALSE);
}

static HybValue *
new_variable (HybF *F, const char *name, const char *const *attributes)
{
  HybValue *value =
      hyb_value_new_traced (F, hyb_builder_add_variable (F->builder, name, attributes));

  g_hash_table_insert (F->variables, g_string_chunk_insert (F->text, name), value);
  return value;
}

HybValue *
hyb_value_variable (HybF *F, const char *name, const char *const *attributes)
{
  g_autofree const char **given = NULL;
  HybValue               *value;

  g_return_val_if_fail (F, NULL);
  g_return_val_if_fail (F->tracing, NULL);

  value = g_hash_table_lookup (F->variables, name);
  if (value)
    return value;
  if (!F->parent)
    return new_variable (F, name, attributes);
  given = body_attributes (F, name, attributes);
  return new_variable (F, name, given);
}

/* The name of the variable for a captured value: that of the outer variable, or of the outer
 * node's output ("fc_output"). */
static const char *
captured_name (HybF *outer, const HybValue *value)
{
  const HybNode *node =
      hyb_builder_get_node (outer->builder, hyb_builder_get_producer (outer->builder, value->id));
  g_autofree char *output = NULL;

  if (hyb_node_is_variable (node))
    return node->name;
  output = hyb_op_dup_output_name (node->op, value->id - node->first_output,
                                   hyb_op_n_numbered (node->op, node->params, node->n_outputs));
  return hyb_f_text (outer, "%s_%s", node->name, output);
}

/* The variable of the body that captures outer, a value of the parent. */
static HybValue *
capture (HybF *F, HybValue *outer)
{
  Capture new = { .outer = outer };
  const char *name;

  for (guint i = 0; i < F->captures->len; i++)
    {
      const Capture *old = &g_array_index (F->captures, Capture, i);

      if (old->outer->id == outer->id)
        return old->inner;
    }
  name = captured_name (F->parent, outer);
  new.inner = g_hash_table_lookup (F->variables, name);
  if (!new.inner)
    new.inner = new_variable (F, name, NULL);
  g_array_append_val (F->captures, new);
  return new.inner;
}

/* A value that is NULL counts as one whose call failed. */
static HybValue *
refuse_null (HybF *F)
{
  hyb_f_fail (F, "a value is NULL; check that every input was given");
  return hyb_value_new_failed (F);
}

HybValue *
hyb_value_or_fail (HybF *F, HybValue *value, const char *what)
{
  if (value)
    return value;
  hyb_f_fail (F, "%s returned NULL; it must return an array or a list, which may be empty", what);
  return hyb_value_new_failed (F);
}

HybValue *
hyb_value_import (HybF *F, HybValue *value)
{
  if (!value)
    return refuse_null (F);
  if (value->F == F || value->failed)
    return value;
  if (F->tracing && F->parent)
    return capture (F, hyb_value_import (F->parent, value));

  hyb_f_fail (F, "an array of another F cannot be used here: values live only in the F that made "
                 "them");
  return hyb_value_new_failed (F);
}

HybTensor *
hyb_value_get_tensor (HybValue *value)
{
  if (!value || value->failed)
    return NULL;
  if (value->is_list)
    {
      hyb_f_fail (value->F, "a list of %u arrays was read as one array; take an item",
                  value->n_items);
      return NULL;
    }
  if (value->F->tracing)
    hyb_f_fail (value->F,
                "numbers were read of a traced array, which has none yet. Leave this block out of "
                "hybridizing, or express the step with operators (where, foreach, cond)");
  return value->tensor;
}

double
hyb_value_get_double (HybValue *value)
{
  HybTensor *tensor;

  if (hyb_value_is_failed (value))
    return NAN;
  if (value->F->tracing && !value->is_list)
    {
      hyb_f_fail (value->F,
                  "a number was read of a traced array, which has none yet. Let hyb_cond() or "
                  "hyb_while_loop() decide by the array, or leave this block out of hybridizing");
      return NAN;
    }
  tensor = hyb_value_get_tensor (value);
  if (tensor && hyb_tensor_get_size (tensor) == 1)
    return hyb_tensor_get_value (tensor, 0);
  if (tensor)
    hyb_f_fail (value->F,
                "one number was read from an array of %" G_GINT64_FORMAT
                " elements; reduce it first, for example by hyb_sum()",
                hyb_tensor_get_size (tensor));
  return NAN;
}

const char *
hyb_value_get_name (const HybValue *value)
{
  HybF *F = value ? value->F : NULL;

  if (!F || !F->tracing || value->failed || value->is_list)
    return NULL;
  return hyb_builder_get_node (F->builder, hyb_builder_get_producer (F->builder, value->id))->name;
}

gboolean
hyb_value_is_failed (const HybValue *value)
{
  return !value || value->failed;
}

const HybType *
hyb_value_get_type (HybValue *value)
{
  static const HybType unknown = { .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN };

  if (!value)
    return &unknown;
  if (value->F->tracing && !value->failed)
    hyb_f_fail (value->F,
                "the shape of a traced array was asked, which is not known yet. Use operators that "
                "take shapes from arrays (reshape with 0 and -1, reshape_like, slice_like)");
  return value->tensor ? hyb_tensor_get_type (value->tensor) : &unknown;
}

HybValue *
hyb_list (HybF *F, guint n, HybValue *const *items)
{
  g_return_val_if_fail (F, NULL);

  HybValue *list = hyb_value_new (F);

  list->is_list = TRUE;
  list->n_items = n;
  list->items = g_memdup2 (items, n * sizeof *items);
  for (guint i = 0; i < n; i++)
    {
      if (!list->items[i])
        list->items[i] = refuse_null (F);
      list->failed |= list->items[i]->failed;
    }
  return list;
}

HybValue *
hyb_list_of (HybF *F, ...)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  va_list arguments;

  g_return_val_if_fail (F, NULL);
  va_start (arguments, F);
  for (HybValue *item; (item = va_arg (arguments, HybValue *)) != NULL;)
    g_ptr_array_add (items, item);
  va_end (arguments);
  return hyb_list (F, items->len, (HybValue *const *) items->pdata);
}

gboolean
hyb_is_list (const HybValue *value)
{
  return value && value->is_list;
}

guint
hyb_n_items (const HybValue *value)
{
  return !value ? 0 : value->is_list ? value->n_items : 1;
}

HybValue *
hyb_item (HybF *F, HybValue *value, guint index)
{
  g_return_val_if_fail (F, NULL);
  if (!value)
    return refuse_null (F);
  if (!value->is_list && index == 0)
    return value;
  if (index < value->n_items)
    return value->items[index];
  if (!value->failed)
    hyb_f_fail (F, "there is no item %u: %s %u, and items count from 0", index,
                value->is_list ? "the list has" : "a single array has", hyb_n_items (value));
  return hyb_value_new_failed (F);
}

void
hyb_flatten_into (HybValue *value, GPtrArray *arrays)
{
  if (!value)
    return;
  if (!value->is_list)
    g_ptr_array_add (arrays, value);
  for (guint i = 0; value->is_list && i < value->n_items; i++)
    hyb_flatten_into (value->items[i], arrays);
}

static void
append_structure (const HybValue *value, GString *text)
{
  if (!hyb_is_list (value))
    {
      g_string_append_c (text, '0');
      return;
    }
  g_string_append_c (text, '[');
  for (guint i = 0; i < value->n_items; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_structure (value->items[i], text);
    }
  g_string_append_c (text, ']');
}

char *
hyb_value_structure (const HybValue *value)
{
  GString *text = g_string_new (NULL);

  append_structure (value, text);
  return g_string_free (text, FALSE);
}

/* *next: the arrays that are not used yet. */
static HybValue *
restructure (HybF *F, const HybValue *like, HybValue *const **next)
{
  g_autofree HybValue **items = NULL;

  if (!hyb_is_list (like))
    return *next ? *(*next)++ : refuse_null (F);
  items = g_new (HybValue *, MAX (like->n_items, 1));
  for (guint i = 0; i < like->n_items; i++)
    items[i] = restructure (F, like->items[i], next);
  return hyb_list (F, like->n_items, items);
}

HybValue *
hyb_restructure (HybF *F, const HybValue *structure_of, HybValue *const *arrays)
{
  g_return_val_if_fail (F && structure_of, NULL);
  return restructure (F, structure_of, &arrays);
}
