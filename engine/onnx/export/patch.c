/* patch.c — an ONNX file with some nodes and arrays in place of others.
 *
 * The messages of the file and of its graph are gone through field by field.  New nodes are read like those of a file, so
 * that all can be brought into an order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/patch.h"

#include "engine/base/error.h"
#include "engine/onnx/reader.h"

#include <string.h>

/* Before this version of the file format every array had to be an input of the graph, too. */
#define IR_OF_ARRAYS 4

/* Numbers of fields in ModelProto. */
enum
{
  MODEL_IR = 1,
  MODEL_GRAPH = 7,
};

typedef struct
{
  const HybOnnxDocument *document;
  OnnxPatch             *patch;
  HybOnnxDocument       *added; /* new nodes as a document; NULL: none */
  HybProtobuf            file;
  guint                  n_initializers, n_values, n_inputs, n_outputs; /* seen so far */
  gboolean               has_nodes, adds_arrays;
} Patching;

/* --- External arrays --- */

static gboolean
has_external_tensor (const HybOnnxGraph *graph)
{
  for (guint i = 0; i < graph->n_initializers; i++)
    if (graph->initializers[i].is_external)
      return TRUE;
  return FALSE;
}

static gboolean
has_external_attribute (const HybOnnxNode *nodes, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint a = 0; a < nodes[i].n_attributes; a++)
      {
        const HybOnnxAttribute *attribute = &nodes[i].attributes[a];

        if (attribute->kind == HYB_ONNX_ATTRIBUTE_TENSOR && attribute->tensor &&
            attribute->tensor->is_external)
          return TRUE;
        if (attribute->kind == HYB_ONNX_ATTRIBUTE_GRAPH &&
            (has_external_tensor (attribute->graphs[0]) ||
             has_external_attribute (attribute->graphs[0]->nodes, attribute->graphs[0]->n_nodes)))
          return TRUE;
      }
  return FALSE;
}

gboolean
onnx_has_inner_external (const HybOnnxDocument *document)
{
  for (guint i = 0; i < document->n_functions; i++)
    if (has_external_attribute (document->functions[i].nodes, document->functions[i].n_nodes))
      return TRUE;
  return has_external_attribute (document->graph->nodes, document->graph->n_nodes);
}

gboolean
onnx_has_external (const HybOnnxDocument *document)
{
  return has_external_tensor (document->graph) || onnx_has_inner_external (document);
}

HybOnnxDocument *
onnx_document_read_kept (GBytes *bytes, const char *where, GError **error)
{
  HybOnnxDocument *document = hyb_onnx_document_read (bytes, where, error);

  if (document)
    hyb_arena_take (document->arena, g_bytes_ref (bytes), (GDestroyNotify) g_bytes_unref);
  return document;
}

/* --- Nodes --- */

/* Reads new nodes as the graph of a document.  (transfer full) */
static HybOnnxDocument *
read_nodes (HybProtobufWriter *nodes, GError **error)
{
  g_autoptr (HybProtobufWriter) model = hyb_protobuf_writer_new ();
  g_autoptr (GBytes) bytes = NULL;

  hyb_protobuf_write_message (model, MODEL_GRAPH, nodes);
  bytes = hyb_protobuf_writer_get_bytes (model);
  return onnx_document_read_kept (bytes, "the new nodes", error);
}

/* A part of bytes that live as long as the model. */
static GBytes *
part_of (Patching *patching, HybProtobufBytes bytes)
{
  const HybOnnxDocument *owner = patching->document;

  if (patching->added)
    {
      gsize         n;
      const guint8 *begin = g_bytes_get_data (patching->added->file, &n);

      if (bytes.data >= begin && bytes.data < begin + n)
        owner = patching->added;
    }
  return g_bytes_new_with_free_func (bytes.data, bytes.length, (GDestroyNotify) hyb_arena_unref,
                                     hyb_arena_ref (owner->arena));
}

static void
write_one (Patching *patching, HybProtobufWriter *graph, const HybOnnxNode *node)
{
  g_autoptr (GBytes) bytes = part_of (patching, node->bytes);

  hyb_protobuf_write_bytes (graph, ONNX_GRAPH_NODE, bytes);
}

/* All remaining nodes, with the new ones in place of the first removed one, in an order in which each node comes after its
 * inputs. */
static gboolean
write_nodes (Patching *patching, HybProtobufWriter *graph, GError **error)
{
  const HybOnnxGraph *old = patching->document->graph;
  const HybOnnxGraph *new = patching->added ? patching->added->graph : NULL;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (HybOnnxNode));
  g_autofree guint *order = NULL;
  gboolean          is_sorted, has_cycle, is_added = !new;

  for (guint i = 0; i < old->n_nodes; i++)
    {
      gboolean is_removed = patching->patch->is_removed && patching->patch->is_removed[i];

      if (is_removed && !is_added)
        g_array_append_vals (nodes, new->nodes, new->n_nodes);
      is_added |= is_removed;
      if (!is_removed)
        g_array_append_val (nodes, old->nodes[i]);
    }
  if (!is_added)
    g_array_append_vals (nodes, new->nodes, new->n_nodes);
  order = hyb_onnx_order_nodes ((const HybOnnxNode *) (gpointer) nodes->data, nodes->len,
                                &is_sorted, &has_cycle);
  if (has_cycle)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                         "the new nodes and the old ones read each other's outputs in a cycle");
  for (guint i = 0; i < nodes->len; i++)
    write_one (patching, graph, &g_array_index (nodes, HybOnnxNode, order[i]));
  return TRUE;
}

/* --- Fields --- */

/* An array that stays. */
static void
write_initializer (Patching *patching, HybProtobufWriter *graph, const HybOnnxTensor *tensor)
{
  HybTensor *contents = patching->patch->external && tensor->is_external
                            ? hyb_model_get_parameter (patching->patch->model, tensor->name)
                            : NULL;

  if (contents)
    hyb_protobuf_write_message (graph, ONNX_GRAPH_INITIALIZER,
                                onnx_tensor_message (tensor->name, contents,
                                                     patching->patch->external));
  else
    {
      g_autoptr (GBytes) bytes = part_of (patching, tensor->bytes);

      hyb_protobuf_write_bytes (graph, ONNX_GRAPH_INITIALIZER, bytes);
    }
}

static gboolean
is_in (GHashTable *names, const char *name)
{
  return names && g_hash_table_contains (names, name);
}

/* Writes the new type of an input or output; FALSE if it has none. */
static gboolean
write_type (Patching *patching, HybProtobufWriter *graph, guint32 number, const char *name)
{
  GBytes *type = patching->patch->types ? g_hash_table_lookup (patching->patch->types, name) : NULL;

  if (type)
    hyb_protobuf_write_bytes (graph, number, type);
  return type != NULL;
}

/* TRUE if a field has been written, or is left out. */
static gboolean
change_field (Patching *patching, HybProtobufWriter *graph, guint32 number)
{
  const HybOnnxGraph  *old = patching->document->graph;
  const HybOnnxTensor *tensor;
  const char          *name;

  switch (number)
    {
    case ONNX_GRAPH_INITIALIZER:
      tensor = &old->initializers[patching->n_initializers++];
      if (!is_in (patching->patch->removed, tensor->name))
        write_initializer (patching, graph, tensor);
      return TRUE;
    case ONNX_GRAPH_INPUT:
      name = old->inputs[patching->n_inputs++].name;
      return is_in (patching->patch->removed, name) || write_type (patching, graph, number, name);
    case ONNX_GRAPH_OUTPUT:
      if (patching->patch->ports)
        return TRUE;
      return write_type (patching, graph, number, old->outputs[patching->n_outputs++].name);
    case ONNX_GRAPH_VALUE:
      return is_in (patching->patch->dropped_types, old->values[patching->n_values++].name);
    default:
      return FALSE;
    }
}

/* The bytes of a field with its key. */
static void
copy_field (Patching *patching, HybProtobufWriter *to, const HybProtobufCursor *cursor, gsize begin)
{
  HybProtobufBytes field = { cursor->span.bytes.data + begin, cursor->at - begin };
  g_autoptr (GBytes) bytes = part_of (patching, field);

  hyb_protobuf_write_fields (to, bytes);
}

static gboolean
write_graph (Patching *patching, HybProtobufWriter *graph, GError **error)
{
  HybProtobufSpan   span = { .bytes = patching->document->graph->bytes, .depth = 1 };
  HybProtobufCursor cursor = hyb_protobuf_cursor (&span);
  HybProtobufField  field;

  for (gsize begin = cursor.at; hyb_protobuf_next (&patching->file, &cursor, &field, error);
       begin = cursor.at)
    {
      if (field.number == ONNX_GRAPH_NODE)
        {
          if (!patching->has_nodes && !write_nodes (patching, graph, error))
            return FALSE;
          patching->has_nodes = TRUE;
        }
      else if (!change_field (patching, graph, field.number))
        copy_field (patching, graph, &cursor, begin);
    }
  if (cursor.has_failed || (!patching->has_nodes && !write_nodes (patching, graph, error)))
    return FALSE;
  if (patching->patch->ports)
    hyb_protobuf_write_all (graph, g_steal_pointer (&patching->patch->ports));
  if (patching->patch->initializers)
    hyb_protobuf_write_all (graph, g_steal_pointer (&patching->patch->initializers));
  return TRUE;
}

static gboolean
write_model (Patching *patching, HybProtobufWriter *model, GError **error)
{
  HybProtobufSpan span =
      hyb_protobuf_begin (&patching->file, patching->document->file, "", patching->document->arena);
  HybProtobufCursor cursor = hyb_protobuf_cursor (&span);
  HybProtobufField  field;
  gboolean          has_graph = FALSE;

  for (gsize begin = cursor.at; hyb_protobuf_next (&patching->file, &cursor, &field, error);
       begin = cursor.at)
    {
      g_autoptr (HybProtobufWriter) graph = NULL;

      if (field.number == MODEL_IR && patching->adds_arrays)
        {
          hyb_protobuf_write_int (model, MODEL_IR,
                                  (guint64) MAX (patching->document->ir_version, IR_OF_ARRAYS));
          continue;
        }
      if (field.number != MODEL_GRAPH)
        {
          copy_field (patching, model, &cursor, begin);
          continue;
        }
      /* The parts of a graph that the file gives in several were joined while reading. */
      if (has_graph)
        continue;
      has_graph = TRUE;
      graph = hyb_protobuf_writer_new ();
      if (!write_graph (patching, graph, error))
        return FALSE;
      hyb_protobuf_write_message (model, MODEL_GRAPH, g_steal_pointer (&graph));
    }
  return !cursor.has_failed;
}

HybProtobufWriter *
onnx_patch_apply (const HybOnnxDocument *document, OnnxPatch *patch, GError **error)
{
  g_autoptr (HybProtobufWriter) model = hyb_protobuf_writer_new ();
  g_autoptr (HybOnnxDocument) added = NULL;
  Patching patching = { .document = document,
                        .patch = patch,
                        .adds_arrays = patch->initializers != NULL };

  if (patch->nodes)
    {
      added = read_nodes (g_steal_pointer (&patch->nodes), error);
      if (!added)
        return NULL;
      patching.added = added;
    }
  return write_model (&patching, model, error) ? g_steal_pointer (&model) : NULL;
}
