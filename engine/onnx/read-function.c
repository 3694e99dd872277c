/* read-function.c — writes the inside of a function in place of the node that calls it.
 *
 * Names of nodes and values inside get the name of the call as a prefix, so that the call is a group.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/onnx/reader.h"

#include <string.h>

/* Functions that call functions, nested deeper than this, call themselves. */
#define MAX_DEPTH 32

static const HybOnnxAttribute *
find_attribute (const HybOnnxAttribute *attributes, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (attributes[i].name, name) == 0)
      return &attributes[i];
  return NULL;
}

/* The value of a reference to an attribute of the function: from the call, or the default. */
static const HybOnnxAttribute *
resolve (const OnnxScope *scope, const char *reference)
{
  const HybOnnxAttribute *found =
      find_attribute (scope->call->attributes, scope->call->n_attributes, reference);

  return found ? found
               : find_attribute (scope->function->defaults, scope->function->n_defaults, reference);
}

const HybOnnxNode *
hyb_onnx_bind_attributes (const OnnxScope *scope, const HybOnnxNode *node)
{
  HybArena         *arena = scope->reader->document->arena;
  HybOnnxNode      *bound;
  HybOnnxAttribute *attributes;
  gboolean          has_reference = FALSE;
  guint             n = 0;

  for (guint i = 0; i < node->n_attributes; i++)
    has_reference |= node->attributes[i].reference != NULL;
  if (!has_reference)
    return node;

  bound = hyb_arena_alloc (arena, sizeof *bound);
  attributes = hyb_arena_alloc (arena, node->n_attributes * sizeof *attributes);
  for (guint i = 0; i < node->n_attributes; i++)
    {
      const HybOnnxAttribute *attribute = &node->attributes[i];
      const HybOnnxAttribute *value = !attribute->reference ? attribute
                                      : scope->function     ? resolve (scope, attribute->reference)
                                                            : NULL;

      /* A reference to an attribute that the call leaves out is left out itself. */
      if (!value)
        continue;
      attributes[n] = *value;
      attributes[n].name = attribute->name;
      attributes[n].reference = NULL;
      n++;
    }
  *bound = *node;
  bound->attributes = attributes;
  bound->n_attributes = n;
  return bound;
}

const HybOnnxFunction *
hyb_onnx_find_function (const OnnxReader *reader, const HybOnnxNode *node)
{
  g_autofree char *key = NULL;

  if (g_hash_table_size (reader->functions) == 0)
    return NULL;
  key = g_strconcat (node->domain, "::", node->op_type, ":", node->overload, NULL);
  return g_hash_table_lookup (reader->functions, key);
}

/* Binds the call's arguments to the names inside the function. */
static void
define_formals (OnnxScope             *scope,
                OnnxScope             *inner,
                const HybOnnxNode     *node,
                const HybOnnxFunction *function)
{
  for (guint i = 0; i < MIN (function->n_inputs, node->n_inputs); i++)
    {
      const char *given = node->inputs[i];
      HybTensor  *contents;
      HybValueId  value;

      if (given[0] == '\0')
        continue;
      value = hyb_onnx_scope_find (scope, given);
      if (value == HYB_NO_ID)
        continue;
      hyb_onnx_scope_define (inner, function->inputs[i], value);
      contents = hyb_onnx_scope_get_contents (scope, given);
      if (contents)
        g_hash_table_insert (inner->contents, (gpointer) function->inputs[i],
                             hyb_tensor_ref (contents));
    }
  inner->renamed = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < MIN (function->n_outputs, node->n_outputs); i++)
    if (node->outputs[i][0] != '\0')
      g_hash_table_insert (inner->renamed, (gpointer) function->outputs[i],
                           (gpointer) node->outputs[i]);
  for (guint i = 0; i < function->n_values; i++)
    g_hash_table_insert (inner->declared, (gpointer) function->values[i].name,
                         (gpointer) &function->values[i]);
}

/* A node of a function reads a formal input that the call leaves out: it is left out there too. */
static const HybOnnxNode *
drop_left_out (OnnxScope *inner, const HybOnnxNode *node)
{
  const HybOnnxFunction *function = inner->function;
  HybArena              *arena = inner->reader->document->arena;
  HybOnnxNode           *copy = NULL;
  const char           **inputs = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    for (guint f = 0; f < function->n_inputs; f++)
      if (node->inputs[i][0] != '\0' && strcmp (node->inputs[i], function->inputs[f]) == 0 &&
          !g_hash_table_contains (inner->names, node->inputs[i]))
        {
          if (!copy)
            {
              copy = hyb_arena_alloc (arena, sizeof *copy);
              inputs = hyb_arena_alloc (arena, node->n_inputs * sizeof *inputs);
              memcpy (inputs, node->inputs, node->n_inputs * sizeof *inputs);
              *copy = *node;
              copy->inputs = inputs;
            }
          inputs[i] = "";
        }
  return copy ? copy : node;
}

static gboolean
read_inside (OnnxScope *inner, OnnxReadNode read_node)
{
  const HybOnnxFunction *function = inner->function;
  gboolean               is_sorted, has_cycle;
  g_autofree guint      *order =
      hyb_onnx_order_nodes (function->nodes, function->n_nodes, &is_sorted, &has_cycle);
  g_autoptr (GString) path = g_string_new (NULL);

  for (guint i = 0; i < function->n_nodes; i++)
    {
      hyb_onnx_write_path (path, inner, order[i]);
      if (!read_node (inner, drop_left_out (inner, &function->nodes[order[i]]), path->str))
        return FALSE;
    }
  return TRUE;
}

/* The outputs of the call, in the scope of the caller. */
static void
define_results (OnnxScope             *scope,
                OnnxScope             *inner,
                const HybOnnxNode     *node,
                const HybOnnxFunction *function)
{
  for (guint i = 0; i < MIN (function->n_outputs, node->n_outputs); i++)
    {
      HybValueId value;

      if (node->outputs[i][0] == '\0')
        continue;
      value = hyb_onnx_scope_find (inner, function->outputs[i]);
      if (value != HYB_NO_ID)
        hyb_onnx_scope_define (scope, node->outputs[i], value);
    }
}

gboolean
hyb_onnx_read_call (OnnxScope             *scope,
                    const HybOnnxNode     *node,
                    const HybOnnxFunction *function,
                    const char            *path,
                    OnnxReadNode           read_node)
{
  OnnxReader      *reader = scope->reader;
  g_autofree char *prefix = g_strconcat (scope->prefix, hyb_onnx_node_name (node), "/", NULL);
  OnnxScope        inner;
  gboolean         is_read;

  if (scope->depth >= MAX_DEPTH)
    return hyb_error_at (&reader->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, reader->where,
                         NULL,
                         "calls of functions are nested more than %u deep; %s may call itself",
                         MAX_DEPTH, function->name);
  hyb_onnx_scope_init (&inner, reader, scope->builder);
  inner.n_opsets = function->n_opsets > 0 ? function->n_opsets : scope->n_opsets;
  inner.opsets = function->n_opsets > 0 ? function->opsets : scope->opsets;
  inner.function = function;
  inner.call = node;
  inner.prefix = hyb_arena_string (reader->document->arena, prefix);
  inner.path = hyb_arena_string (reader->document->arena, path);
  inner.depth = scope->depth + 1;
  define_formals (scope, &inner, node, function);
  is_read = read_inside (&inner, read_node);
  if (is_read)
    define_results (scope, &inner, node, function);
  hyb_onnx_scope_clear (&inner);
  return is_read;
}
