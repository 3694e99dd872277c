/* scope.c — names of values in a graph, a body or a function.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

#include "engine/base/append-number.h"

void
hyb_onnx_scope_init (OnnxScope *scope, OnnxReader *reader, HybBuilder *builder)
{
  *scope = (OnnxScope){ .reader = reader, .builder = builder, .prefix = "", .path = "graph" };
  scope->names = g_hash_table_new (g_str_hash, g_str_equal);
  scope->contents =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) hyb_tensor_unref);
  scope->declared = g_hash_table_new (g_str_hash, g_str_equal);
  scope->captures = g_ptr_array_new ();
}

void
hyb_onnx_scope_clear (OnnxScope *scope)
{
  g_clear_pointer (&scope->names, g_hash_table_unref);
  g_clear_pointer (&scope->contents, g_hash_table_unref);
  g_clear_pointer (&scope->declared, g_hash_table_unref);
  g_clear_pointer (&scope->renamed, g_hash_table_unref);
  g_clear_pointer (&scope->captures, g_ptr_array_unref);
}

void
hyb_onnx_write_path (GString *path, const OnnxScope *scope, guint index)
{
  g_string_assign (path, scope->path);
  g_string_append (path, ".node[");
  hyb_append_number (path, index);
  g_string_append_c (path, ']');
}

void
hyb_onnx_scope_define (OnnxScope *scope, const char *name, HybValueId value)
{
  g_hash_table_insert (scope->names, (gpointer) name, GUINT_TO_POINTER (value + 1));
}

HybTensor *
hyb_onnx_scope_get_contents (OnnxScope *scope, const char *name)
{
  for (; scope; scope = scope->outer)
    if (g_hash_table_contains (scope->names, name))
      {
        HybTensor *contents = g_hash_table_lookup (scope->contents, name);

        if (contents)
          return contents;
      }
  return NULL;
}

static HybValueId
capture (OnnxScope *scope, const char *name)
{
  HybTensor *contents;
  HybValueId value;

  if (!scope->outer || hyb_onnx_scope_find (scope->outer, name) == HYB_NO_ID)
    return HYB_NO_ID;
  value = hyb_builder_add_variable (scope->builder, name, NULL);
  contents = hyb_onnx_scope_get_contents (scope->outer, name);
  if (contents)
    hyb_builder_set_contents (scope->builder, value, contents);
  hyb_onnx_scope_define (scope, name, value);
  g_ptr_array_add (scope->captures, (gpointer) name);
  return value;
}

HybValueId
hyb_onnx_scope_find (OnnxScope *scope, const char *name)
{
  guint value_plus_one = GPOINTER_TO_UINT (g_hash_table_lookup (scope->names, name));

  return value_plus_one > 0 ? value_plus_one - 1 : capture (scope, name);
}
