/* export-nodes.c — values, nodes and arrays of a graph that is being written, and their messages.
 *
 * Numbers of fields are those of onnx.proto.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/compare-names.h"
#include "engine/onnx/export/export-private.h"

#include "engine/base/error.h"
#include "engine/onnx/schema.h"

#include <string.h>

/* The name of the engine's node that is being written; fallback if there is none. */
static const char *
current_name (const OnnxExport *export, const char *fallback)
{
  return export->current == HYB_NO_ID ? fallback
                                      : hyb_graph_get_node (export->graph, export->current)->name;
}

/* --- Values --- */

/* The name, with a number behind it if it is taken; owned by the table. */
static const char *
take_name (GHashTable *is_taken, const char *name)
{
  char *unique = g_strdup (name);

  for (guint i = 1; g_hash_table_contains (is_taken, unique); i++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s_%u", name, i);
    }
  g_hash_table_add (is_taken, unique);
  return unique;
}

OnnxValue
onnx_value_new (OnnxExport *export, const char *name)
{
  g_ptr_array_add (export->shared->names, (gpointer) take_name (export->shared->is_taken, name));
  return export->shared->names->len - 1;
}

OnnxValue
onnx_export_define (OnnxExport *export, const char *name)
{
  onnx_export_reserve (export, name);
  g_ptr_array_add (export->shared->names, g_hash_table_lookup (export->shared->is_taken, name));
  return export->shared->names->len - 1;
}

void
onnx_export_reserve_node (OnnxExport *export, const char *name)
{
  if (!g_hash_table_contains (export->shared->node_names, name))
    g_hash_table_add (export->shared->node_names, g_strdup (name));
}

void
onnx_export_reserve (OnnxExport *export, const char *name)
{
  if (!g_hash_table_contains (export->shared->is_taken, name))
    g_hash_table_add (export->shared->is_taken, g_strdup (name));
}

const char *
onnx_export_get_name (OnnxExport *export, OnnxValue value)
{
  return export->shared->names->pdata[value];
}

/* The new node of this graph that computes a value; NULL: none does. */
static OnnxNode *
find_producer (OnnxExport *export, OnnxValue value)
{
  for (guint i = export->nodes->len; i-- > 0;)
    {
      OnnxNode *node = export->nodes->pdata[i];

      if (value >= node->first_output && value < node->first_output + node->n_outputs)
        return node;
    }
  return NULL;
}

void
onnx_export_rename (OnnxExport *export, OnnxValue value, const char *name)
{
  onnx_export_reserve (export, name);
  export->shared->names->pdata[value] = g_hash_table_lookup (export->shared->is_taken, name);
}

OnnxValue
onnx_export_output_value (OnnxExport *export, OnnxValue value, const char *name)
{
  if (!find_producer (export, value) ||
      g_hash_table_contains (export->shared->outputs, GUINT_TO_POINTER (value)))
    value = onnx_unary (export, "Identity", value);
  if (name)
    onnx_export_rename (export, value, name);
  g_hash_table_add (export->shared->outputs, GUINT_TO_POINTER (value));
  return value;
}

/* --- Nodes --- */

static void
free_node (gpointer pointer)
{
  OnnxNode *node = pointer;

  for (guint i = 0; i < node->bodies->len; i++)
    onnx_export_free (g_array_index (node->bodies, OnnxBody, i).graph);
  g_array_unref (node->bodies);
  g_array_unref (node->inputs);
  hyb_protobuf_writer_free (node->attributes);
  g_free (node);
}

/* AttributeProto of everything but a graph. */
static void
add_attribute (OnnxNode *node, const OnnxAttribute *attribute)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();

  hyb_protobuf_write_string (message, 1, attribute->name);
  if (attribute->kind == HYB_ONNX_ATTRIBUTE_INT)
    hyb_protobuf_write_int (message, 3, (guint64) attribute->i);
  else if (attribute->kind == HYB_ONNX_ATTRIBUTE_FLOAT)
    hyb_protobuf_write_float (message, 2, (float) attribute->f);
  else if (attribute->kind == HYB_ONNX_ATTRIBUTE_STRING)
    hyb_protobuf_write_string (message, 4, attribute->s);
  else if (attribute->kind == HYB_ONNX_ATTRIBUTE_INTS)
    for (guint i = 0; i < attribute->n; i++)
      hyb_protobuf_write_int (message, 8, (guint64) attribute->ints[i]);
  else
    for (guint i = 0; i < attribute->n; i++)
      hyb_protobuf_write_string (message, 9, attribute->strings[i]);
  hyb_protobuf_write_int (message, 20, attribute->kind);
  hyb_protobuf_write_message (node->attributes, 5, message);
}

static void
add_attributes (OnnxNode *node, const OnnxAttribute *attributes)
{
  for (; attributes && attributes->name; attributes++)
    if (attributes->kind == HYB_ONNX_ATTRIBUTE_GRAPH)
      {
        OnnxBody body = { attributes->name, attributes->graph };

        g_array_append_val (node->bodies, body);
      }
    else
      add_attribute (node, attributes);
}

OnnxValue
onnx_emit_many (OnnxExport *export, const OnnxEmission *emission)
{
  OnnxNode        *node = g_new0 (OnnxNode, 1);
  const char      *base = current_name (export, emission->op);
  g_autofree char *value_name = g_strdup_printf ("%s_%s", base, emission->op);

  node->op = g_intern_string (emission->op);
  node->name = take_name (export->shared->node_names, base);
  node->inputs = g_array_new (FALSE, FALSE, sizeof (OnnxValue));
  node->attributes = hyb_protobuf_writer_new ();
  node->bodies = g_array_new (FALSE, FALSE, sizeof (OnnxBody));
  g_array_append_vals (node->inputs, emission->inputs, emission->n_inputs);
  while (node->inputs->len > 0 &&
         g_array_index (node->inputs, OnnxValue, node->inputs->len - 1) == ONNX_NONE)
    g_array_set_size (node->inputs, node->inputs->len - 1);
  add_attributes (node, emission->attributes);
  node->n_outputs = emission->n_outputs;
  for (guint i = 0; i < emission->n_outputs; i++)
    {
      OnnxValue value = onnx_value_new (export, value_name);

      node->first_output = i == 0 ? value : node->first_output;
    }
  g_ptr_array_add (export->nodes, node);
  return node->first_output;
}

OnnxValue
onnx_emit (OnnxExport *export,
           const char          *op,
           guint                n_inputs,
           const OnnxValue     *inputs,
           const OnnxAttribute *attributes)
{
  return onnx_emit_many (export, &(OnnxEmission){ op, n_inputs, inputs, 1, attributes });
}

OnnxValue
onnx_unary (OnnxExport *export, const char *op, OnnxValue x)
{
  return onnx_emit (export, op, 1, &x, NULL);
}

OnnxValue
onnx_binary (OnnxExport *export, const char *op, OnnxValue x, OnnxValue y)
{
  return onnx_emit (export, op, 2, (OnnxValue[]){ x, y }, NULL);
}

/* --- Arrays --- */

OnnxValue
onnx_tensor (OnnxExport *export, const char *name, HybTensor *tensor)
{
  OnnxInitializer initializer = { ONNX_NONE, tensor };

  if (!tensor)
    {
      onnx_fail (export, "there is not enough memory for its arrays");
      return ONNX_NONE;
    }
  initializer.value = onnx_value_new (export, name);
  g_array_append_val (export->initializers, initializer);
  return initializer.value;
}

/* An array that a rule needs, named after the node. */
static OnnxValue
add_constant (OnnxExport *export, HybTensor *tensor)
{
  const char      *base = current_name (export, "graph");
  g_autofree char *name = g_strconcat (base, "_constant", NULL);

  return onnx_tensor (export, name, tensor);
}

OnnxValue
onnx_ints (OnnxExport *export, guint n, const gint64 *values)
{
  HybType    type = { hyb_shape_1d (n), HYB_I64 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  if (tensor && n > 0)
    memcpy (hyb_tensor_get_data (tensor), values, n * sizeof (gint64));
  return add_constant (export, tensor);
}

OnnxValue
onnx_number (OnnxExport *export, double value, HybDType dtype)
{
  gboolean   is_known = dtype != HYB_DTYPE_UNKNOWN;
  HybType    type = { .shape.rank = 0, .dtype = is_known ? dtype : HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  if (!is_known)
    onnx_fail (export, "the type of its output is not known");
  if (tensor)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, 0, value);
  return add_constant (export, tensor);
}

/* --- Reads --- */

static void collect_read (const OnnxExport *export, GHashTable *read);

/* Adds the values that a node and its bodies read. */
static void
collect_read_by (const OnnxNode *node, GHashTable *read)
{
  for (guint k = 0; k < node->inputs->len; k++)
    g_hash_table_add (read, GUINT_TO_POINTER (g_array_index (node->inputs, OnnxValue, k)));
  for (guint k = 0; k < node->bodies->len; k++)
    collect_read (g_array_index (node->bodies, OnnxBody, k).graph, read);
}

static void
collect_read (const OnnxExport *export, GHashTable *read)
{
  for (guint i = 0; i < export->nodes->len; i++)
    collect_read_by (export->nodes->pdata[i], read);
}

/* Removes nodes whose results are unused, such as weights that were computed while writing. */
static void
drop_unread (OnnxExport *export)
{
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);

  for (guint i = export->nodes->len; i-- > 0;)
    {
      const OnnxNode *node = export->nodes->pdata[i];
      gboolean        is_read = FALSE;

      for (guint k = 0; k < node->n_outputs; k++)
        is_read |= g_hash_table_contains (read, GUINT_TO_POINTER (node->first_output + k)) ||
                   g_hash_table_contains (export->shared->outputs,
                                          GUINT_TO_POINTER (node->first_output + k));
      if (is_read)
        collect_read_by (node, read);
      else
        g_ptr_array_remove_index (export->nodes, i);
    }
}

GHashTable *
onnx_export_get_read (OnnxExport *export)
{
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);
  GHashTable    *names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer       value;

  drop_unread (export);
  collect_read (export, read);
  g_hash_table_iter_init (&iter, read);
  while (g_hash_table_iter_next (&iter, &value, NULL))
    g_hash_table_add (names, export->shared->names->pdata[GPOINTER_TO_UINT (value)]);
  return names;
}

/* --- Messages --- */

static HybProtobufWriter *
graph_message (OnnxExport *export, const char *name)
{
  HybProtobufWriter *message = onnx_export_get_nodes (export);

  hyb_protobuf_write_string (message, 2, name);
  hyb_protobuf_write_all (message, onnx_export_get_initializers (export, NULL));
  hyb_protobuf_write_all (message, onnx_export_get_ports (export));
  return message;
}

static void
write_body (HybProtobufWriter *node, const OnnxBody *body)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();

  hyb_protobuf_write_string (message, 1, body->name);
  hyb_protobuf_write_message (message, 6, graph_message (body->graph, body->name));
  hyb_protobuf_write_int (message, 20, HYB_ONNX_ATTRIBUTE_GRAPH);
  hyb_protobuf_write_message (node, 5, message);
}

static HybProtobufWriter *
node_message (OnnxExport *export, OnnxNode *node)
{
  HybProtobufWriter *message = hyb_protobuf_writer_new ();

  for (guint i = 0; i < node->inputs->len; i++)
    hyb_protobuf_write_string (message, 1,
                               onnx_export_get_name (export,
                                                     g_array_index (node->inputs, OnnxValue, i)));
  for (guint i = 0; i < node->n_outputs; i++)
    hyb_protobuf_write_string (message, 2, onnx_export_get_name (export, node->first_output + i));
  hyb_protobuf_write_string (message, 3, node->name);
  hyb_protobuf_write_string (message, 4, node->op);
  hyb_protobuf_write_all (message, g_steal_pointer (&node->attributes));
  for (guint i = 0; i < node->bodies->len; i++)
    write_body (message, &g_array_index (node->bodies, OnnxBody, i));
  return message;
}

HybProtobufWriter *
onnx_export_get_nodes (OnnxExport *export)
{
  HybProtobufWriter *fields = hyb_protobuf_writer_new ();

  drop_unread (export);
  for (guint i = 0; i < export->nodes->len; i++)
    hyb_protobuf_write_message (fields, 1, node_message (export, export->nodes->pdata[i]));
  return fields;
}

HybProtobufWriter *
onnx_export_get_ports (OnnxExport *export)
{
  HybProtobufWriter *ports = g_steal_pointer (&export->inputs);

  hyb_protobuf_write_all (ports, g_steal_pointer (&export->outputs));
  return ports;
}

HybProtobufWriter *
onnx_export_get_initializers (OnnxExport *export, OnnxExternal *external)
{
  HybProtobufWriter *fields = hyb_protobuf_writer_new ();
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);

  collect_read (export, read);
  for (guint i = 0; i < export->initializers->len; i++)
    {
      const OnnxInitializer *entry = &g_array_index (export->initializers, OnnxInitializer, i);

      if (!g_hash_table_contains (read, GUINT_TO_POINTER (entry->value)))
        continue;
      hyb_protobuf_write_message (fields, 5,
                                  onnx_tensor_message (onnx_export_get_name (export, entry->value),
                                                       entry->tensor, external));
    }
  return fields;
}

/* --- Life --- */

static OnnxShared *
shared_new (void)
{
  OnnxShared *shared = g_new0 (OnnxShared, 1);

  g_atomic_ref_count_init (&shared->references);
  shared->names = g_ptr_array_new ();
  shared->is_taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  shared->node_names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  shared->missing = g_hash_table_new (g_str_hash, g_str_equal);
  shared->outputs = g_hash_table_new (NULL, NULL);
  shared->no_values = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (shared->names, (gpointer) "");
  return shared;
}

static void
shared_unref (OnnxShared *shared)
{
  if (!g_atomic_ref_count_dec (&shared->references))
    return;
  g_ptr_array_unref (shared->names);
  g_hash_table_unref (shared->is_taken);
  g_hash_table_unref (shared->node_names);
  g_hash_table_unref (shared->missing);
  g_hash_table_unref (shared->outputs);
  g_hash_table_unref (shared->no_values);
  g_clear_error (&shared->error);
  g_free (shared);
}

static void
clear_initializer (gpointer initializer)
{
  hyb_tensor_unref (((OnnxInitializer *) initializer)->tensor);
}

OnnxExport *
onnx_export_new_in (OnnxExport *outer, HybGraph *graph)
{
  OnnxExport *export = g_new0 (OnnxExport, 1);

  export->graph = hyb_graph_ref (graph);
  export->values = g_new0 (OnnxValue, MAX (hyb_graph_n_values (graph), 1));
  export->nodes = g_ptr_array_new_with_free_func (free_node);
  export->initializers = g_array_new (FALSE, FALSE, sizeof (OnnxInitializer));
  g_array_set_clear_func (export->initializers, clear_initializer);
  export->inputs = hyb_protobuf_writer_new ();
  export->outputs = hyb_protobuf_writer_new ();
  export->current = HYB_NO_ID;
  export->outer = outer;
  if (outer)
    {
      export->shared = outer->shared;
      g_atomic_ref_count_inc (&export->shared->references);
      export->model = outer->model;
      export->opset = outer->opset;
    }
  else
    export->shared = shared_new ();
  return export;
}

OnnxExport *
onnx_export_new (HybModel      *model,
                 HybGraph      *graph,
                 const HybType *types,
                 const HybType *other_types,
                 gint64         opset)
{
  OnnxExport *export = onnx_export_new_in (NULL, graph);

  export->model = model;
  export->types[0] = types;
  export->types[1] = other_types;
  export->opset = opset;
  return export;
}

void
onnx_export_set_other (OnnxExport *export, HybGraph *other)
{
  export->other = other;
}

void
onnx_export_free (OnnxExport *export)
{
  if (!export)
    return;
  shared_unref (export->shared);
  hyb_graph_unref (export->graph);
  g_free (export->own[0]);
  g_free (export->own[1]);
  g_free (export->values);
  g_ptr_array_unref (export->nodes);
  g_array_unref (export->initializers);
  hyb_protobuf_writer_free (export->inputs);
  hyb_protobuf_writer_free (export->outputs);
  g_free (export);
}

/* --- Failures --- */

void
onnx_fail (OnnxExport *export, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          arguments;

  if (export->shared->error)
    return;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  hyb_error_at (&export->shared->error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                current_name (export, NULL), NULL, "%s", text);
}

/* An operator that the version of the file does not have. */
static void
find_too_new (OnnxExport *export)
{
  drop_unread (export);
  for (guint i = 0; i < export->nodes->len; i++)
    {
      const OnnxNode *node = export->nodes->pdata[i];

      if (!hyb_onnx_schema_find ("", node->op, export->opset))
        onnx_fail (export,
                   "“%s” needs ONNX' operator %s, which is in version %" G_GINT64_FORMAT
                   " of the operators; the file has version %" G_GINT64_FORMAT,
                   node->name, node->op, hyb_onnx_schema_find_version ("", node->op, export->opset),
                   export->opset);
      for (guint k = 0; k < node->bodies->len; k++)
        find_too_new (g_array_index (node->bodies, OnnxBody, k).graph);
    }
}

/* Fails if a node or an output reads a parameter that has no values. */
static void
find_no_values (OnnxExport *export)
{
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer       value, name;

  collect_read (export, read);
  g_hash_table_iter_init (&iter, export->shared->no_values);
  while (g_hash_table_iter_next (&iter, &value, &name) && !export->shared->error)
    if (g_hash_table_contains (read, value) ||
        g_hash_table_contains (export->shared->outputs, value))
      hyb_error_at (&export->shared->error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                    (const char *) name, NULL, "the parameter “%s” has no values",
                    (const char *) name);
}

GError *
onnx_export_get_error (OnnxExport *export)
{
  OnnxShared             *shared = export->shared;
  g_autofree const char **names = NULL;
  g_autofree char        *list = NULL;
  guint                   n;

  if (!shared->error && g_hash_table_size (shared->missing) == 0)
    find_too_new (export);
  if (!shared->error)
    find_no_values (export);
  if (shared->error || g_hash_table_size (shared->missing) == 0)
    return shared->error ? g_error_copy (shared->error) : NULL;
  names = (const char **) g_hash_table_get_keys_as_array (shared->missing, &n);
  qsort (names, n, sizeof *names, hyb_compare_names);
  list = g_strjoinv (", ", (char **) names);
  hyb_error_at (&shared->error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                "these operators cannot be written as ONNX: %s", list);
  return g_error_copy (shared->error);
}
