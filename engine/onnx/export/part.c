/* part.c — a part of an ONNX file, between values of the main graph.
 *
 * All nodes, arrays and types between the new inputs and the new outputs are copied unchanged.
 * Start at onnx_part().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/part.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/part.h"

#include <string.h>

typedef struct
{
  HybModel           *model;
  const HybOnnxGraph *graph;
  GHashTable         *producers; /* value → index of its node + 1; 0: an input or an array */
  GHashTable         *from;      /* values that become inputs */
  GPtrArray          *inputs;    /* the same in order; one that was named twice is there twice */
  GPtrArray          *to;        /* values that become outputs, in order */
  GHashTable         *read;      /* values that the part reads or returns */
  guint8             *is_removed;
  HybType            *types; /* of the model's graph; NULL: not inferred yet */
} Cutting;

/* --- Names --- */

static GHashTable *
list_producers (const HybOnnxGraph *graph)
{
  GHashTable *producers = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < graph->n_inputs; i++)
    g_hash_table_insert (producers, (gpointer) graph->inputs[i].name, NULL);
  for (guint i = 0; i < graph->n_initializers; i++)
    g_hash_table_insert (producers, (gpointer) graph->initializers[i].name, NULL);
  for (guint i = 0; i < graph->n_sparse; i++)
    g_hash_table_insert (producers, (gpointer) graph->sparse[i].values->name, NULL);
  for (guint i = 0; i < graph->n_nodes; i++)
    for (guint k = 0; k < graph->nodes[i].n_outputs; k++)
      if (graph->nodes[i].outputs[k][0] != '\0')
        g_hash_table_insert (producers, (gpointer) graph->nodes[i].outputs[k],
                             GUINT_TO_POINTER (i + 1));
  return producers;
}

static gboolean
refuse_name (const Cutting *cutting, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer       key;

  g_hash_table_iter_init (&iter, cutting->producers);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (names, key);
  for (guint i = 0; i < cutting->graph->n_nodes; i++)
    g_ptr_array_add (names, (gpointer) cutting->graph->nodes[i].name);
  return hyb_part_refuse_name (cutting->model, names, "the main graph", name, error);
}

/* The values that a name denotes: a value of that name, or the outputs of the node of that name. */
static gboolean
resolve (const Cutting *cutting, const char *name, GPtrArray *values, GError **error)
{
  guint n_before = values->len;

  if (g_hash_table_contains (cutting->producers, name))
    {
      g_ptr_array_add (values, (gpointer) name);
      return TRUE;
    }
  for (guint i = 0; i < cutting->graph->n_nodes; i++)
    {
      const HybOnnxNode *node = &cutting->graph->nodes[i];

      for (guint k = 0; k < node->n_outputs && strcmp (node->name, name) == 0; k++)
        if (node->outputs[k][0] != '\0')
          g_ptr_array_add (values, (gpointer) node->outputs[k]);
    }
  return values->len > n_before || refuse_name (cutting, name, error);
}

static gboolean
resolve_all (Cutting *cutting, const HybWriteJob *job, GError **error)
{
  for (guint i = 0; job->from && job->from[i]; i++)
    if (!resolve (cutting, job->from[i], cutting->inputs, error))
      return FALSE;
  for (guint i = 0; i < cutting->inputs->len; i++)
    g_hash_table_add (cutting->from, cutting->inputs->pdata[i]);
  for (guint i = 0; job->to && job->to[i]; i++)
    if (!resolve (cutting, job->to[i], cutting->to, error))
      return FALSE;
  for (guint i = 0; i < cutting->graph->n_outputs && !job->to; i++)
    g_ptr_array_add (cutting->to, (gpointer) cutting->graph->outputs[i].name);
  return TRUE;
}

/* --- Remaining nodes --- */

/* Adds the values that a node reads, also in its bodies. */
static void
list_read (const HybOnnxNode *node, GPtrArray *names)
{
  for (guint i = 0; i < node->n_inputs; i++)
    g_ptr_array_add (names, (gpointer) node->inputs[i]);
  for (guint a = 0; a < node->n_attributes; a++)
    {
      const HybOnnxAttribute *attribute = &node->attributes[a];
      guint                   n = attribute->kind == HYB_ONNX_ATTRIBUTE_GRAPH    ? 1
                                  : attribute->kind == HYB_ONNX_ATTRIBUTE_GRAPHS ? attribute->n
                                                                                 : 0;

      for (guint g = 0; g < n && attribute->graphs; g++)
        {
          const HybOnnxGraph *body = attribute->graphs[g];

          for (guint i = 0; i < body->n_nodes; i++)
            list_read (&body->nodes[i], names);
          for (guint i = 0; i < body->n_outputs; i++)
            g_ptr_array_add (names, (gpointer) body->outputs[i].name);
        }
    }
}

/* Goes from the new outputs back to the new inputs. */
static void
find_read (Cutting *cutting)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new ();

  for (guint i = 0; i < cutting->to->len; i++)
    g_ptr_array_add (open, cutting->to->pdata[i]);
  memset (cutting->is_removed, TRUE, cutting->graph->n_nodes);
  while (open->len > 0)
    {
      const char *name = g_ptr_array_steal_index_fast (open, open->len - 1);
      guint       node;

      if (!g_hash_table_contains (cutting->producers, name) ||
          !g_hash_table_add (cutting->read, (gpointer) name) ||
          g_hash_table_contains (cutting->from, name))
        continue;
      node = GPOINTER_TO_UINT (g_hash_table_lookup (cutting->producers, name));
      if (node == 0 || !cutting->is_removed[node - 1])
        continue;
      cutting->is_removed[node - 1] = FALSE;
      list_read (&cutting->graph->nodes[node - 1], open);
    }
}

/* A value that is named and makes no difference is a mistake. */
static gboolean
check_from (const Cutting *cutting, GError **error)
{
  GHashTableIter iter;
  gpointer       name;

  g_hash_table_iter_init (&iter, cutting->from);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      if (!g_hash_table_contains (cutting->read, name))
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                             hyb_model_get_file (cutting->model),
                             "Leave it out, or name an output behind it",
                             "no output of the part depends on “%s”", (const char *) name);
      if (g_ptr_array_find_with_equal_func (cutting->to, name, g_str_equal, NULL))
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                             hyb_model_get_file (cutting->model), NULL,
                             "“%s” is both where the part begins and where it ends",
                             (const char *) name);
    }
  return TRUE;
}

/* --- Inputs and outputs --- */

static const HybOnnxValueInfo *
find_info (const HybOnnxValueInfo *infos, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (infos[i].name, name) == 0 && infos[i].kind != HYB_ONNX_TYPE_NONE)
      return &infos[i];
  return NULL;
}

/* The declaration of a value in the file; NULL: none. */
static const HybOnnxValueInfo *
find_declared (const HybOnnxGraph *graph, const char *name)
{
  const HybOnnxValueInfo *info = find_info (graph->values, graph->n_values, name);

  if (!info)
    info = find_info (graph->outputs, graph->n_outputs, name);
  return info ? info : find_info (graph->inputs, graph->n_inputs, name);
}

/* The type that is inferred for a value. */
static HybType
find_inferred (Cutting *cutting, const char *name)
{
  HybGraph *graph = hyb_model_get_graph (cutting->model);

  if (!cutting->types)
    {
      cutting->types = hyb_model_new_types (cutting->model);
      hyb_infer_types (graph, cutting->types, NULL, FALSE, NULL);
    }
  for (HybValueId value = 0; value < hyb_graph_n_values (graph); value++)
    {
      g_autofree char *other = hyb_graph_dup_value_name (graph, value);

      if (g_strcmp0 (other, name) == 0)
        return cutting->types[value];
    }
  return HYB_TYPE_UNKNOWN;
}

/* Writes the message of a new input or output. */
static gboolean
write_port (Cutting           *cutting,
            HybProtobufWriter *ports,
            guint32            number,
            const char        *name,
            GError           **error)
{
  const HybOnnxValueInfo *info = find_declared (cutting->graph, name);
  HybType                 type;
  const char             *dims[HYB_MAX_RANK];

  if (info)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (info->bytes.data, info->bytes.length);

      hyb_protobuf_write_bytes (ports, number, bytes);
      return TRUE;
    }
  type = find_inferred (cutting, name);
  if (type.dtype == HYB_DTYPE_UNKNOWN)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES,
                         hyb_model_get_file (cutting->model), "Cut at another value",
                         "the type of “%s” is neither in the file nor known", name);
  for (int i = 0; i < type.shape.rank; i++)
    dims[i] = hyb_dim_get_name (type.shape.dim[i]);
  hyb_protobuf_write_message (ports, number, onnx_value_message (name, &type, dims));
  return TRUE;
}

static gboolean
is_input (const Cutting *cutting, const char *name)
{
  for (guint i = 0; i < cutting->graph->n_inputs; i++)
    if (strcmp (cutting->graph->inputs[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

/* New inputs in the order in which they were named, then the outputs. */
static gboolean
write_ports (Cutting *cutting, HybProtobufWriter *ports, GError **error)
{
  GPtrArray *inputs = cutting->inputs;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < inputs->len; i++)
    if (g_hash_table_add (seen, inputs->pdata[i]) && !is_input (cutting, inputs->pdata[i]) &&
        !write_port (cutting, ports, ONNX_GRAPH_INPUT, inputs->pdata[i], error))
      return FALSE;
  for (guint i = 0; i < cutting->to->len; i++)
    if (g_hash_table_add (seen, cutting->to->pdata[i]) &&
        !write_port (cutting, ports, ONNX_GRAPH_OUTPUT, cutting->to->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* --- The whole --- */

static void
mark_removed (const Cutting *cutting, OnnxPart *part)
{
  const HybOnnxGraph *graph = cutting->graph;

  part->patch.removed = g_hash_table_new (g_str_hash, g_str_equal);
  part->patch.dropped_types = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < graph->n_inputs; i++)
    if (!g_hash_table_contains (cutting->read, graph->inputs[i].name))
      g_hash_table_add (part->patch.removed, (gpointer) graph->inputs[i].name);
  for (guint i = 0; i < graph->n_initializers; i++)
    if (!g_hash_table_contains (cutting->read, graph->initializers[i].name) ||
        g_hash_table_contains (cutting->from, graph->initializers[i].name))
      g_hash_table_add (part->patch.removed, (gpointer) graph->initializers[i].name);
  for (guint i = 0; i < graph->n_values; i++)
    if (!g_hash_table_contains (cutting->read, graph->values[i].name) ||
        g_hash_table_contains (cutting->from, graph->values[i].name) ||
        g_ptr_array_find_with_equal_func (cutting->to, graph->values[i].name, g_str_equal, NULL))
      g_hash_table_add (part->patch.dropped_types, (gpointer) graph->values[i].name);
}

static void
clear (Cutting *cutting)
{
  g_hash_table_unref (cutting->producers);
  g_hash_table_unref (cutting->from);
  g_hash_table_unref (cutting->read);
  g_ptr_array_unref (cutting->inputs);
  g_ptr_array_unref (cutting->to);
  g_free (cutting->types);
}

static gboolean
cut (Cutting *cutting, const HybWriteJob *job, OnnxPart *part, GError **error)
{
  if (!resolve_all (cutting, job, error))
    return FALSE;
  find_read (cutting);
  if (!check_from (cutting, error))
    return FALSE;
  mark_removed (cutting, part);
  part->patch.ports = hyb_protobuf_writer_new ();
  return write_ports (cutting, part->patch.ports, error);
}

OnnxPart *
onnx_part (const HybWriteJob *job, const HybOnnxDocument *document, GError **error)
{
  g_autoptr (OnnxPart) part = g_new0 (OnnxPart, 1);
  Cutting  cutting = { .model = job->model,
                       .graph = document->graph,
                       .producers = list_producers (document->graph),
                       .from = g_hash_table_new (g_str_hash, g_str_equal),
                       .inputs = g_ptr_array_new (),
                       .to = g_ptr_array_new (),
                       .read = g_hash_table_new (g_str_hash, g_str_equal) };
  gboolean is_cut;

  cutting.is_removed = part->is_removed = g_new0 (guint8, MAX (document->graph->n_nodes, 1));
  part->patch.model = job->model;
  part->patch.is_removed = part->is_removed;
  is_cut = cut (&cutting, job, part, error);
  clear (&cutting);
  return is_cut ? g_steal_pointer (&part) : NULL;
}

void
onnx_part_free (OnnxPart *part)
{
  if (!part)
    return;
  g_free (part->is_removed);
  g_clear_pointer (&part->patch.removed, g_hash_table_unref);
  g_clear_pointer (&part->patch.dropped_types, g_hash_table_unref);
  hyb_protobuf_writer_free (part->patch.ports);
  g_free (part);
}
