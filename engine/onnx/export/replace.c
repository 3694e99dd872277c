/* replace.c — which nodes of an ONNX file a changed graph leaves as they are, and new ones for the rest.
 *
 * A node of the file stays if each engine node that it was lowered to has one node in the new graph that does the same.  Values
 * that remaining nodes and outputs read are then written from the new graph where their own node goes.  Start at onnx_replace().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/replace.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/model-types.h"
#include "engine/base/error.h"
#include "engine/graph/ports.h"
#include "engine/graph/reach.h"
#include "engine/onnx/export/export.h"
#include "engine/onnx/onnx-op.h"

#include <string.h>

typedef struct
{
  const HybWriteJob     *job;
  const HybOnnxDocument *document;
  HybGraph              *file, *lowered, *graph; /* of original, lowered and model */
  const HybType         *lowered_types, *types;  /* by value of lowered and of graph */
  HybNodeId             *same;      /* by node of lowered: its node of graph, or HYB_NO_ID */
  guint8                *is_kept;   /* by node of file */
  guint8                *has_nodes; /* by node of file: it was lowered to nodes */
  HybValueId *needed; /* by value of file: the value of graph that must be written under its name */
  GHashTable *stands; /* value of lowered + 1 → value of graph + 1 */
  OnnxExport *export;
} Replacing;

/* --- Remaining nodes --- */

/* The types of a model's graph, inferred from the types of its inputs. (transfer full) */
static HybType *
find_types (HybModel *model)
{
  HybType *types = hyb_model_new_given_types (model);

  hyb_infer_types (hyb_model_get_graph (model), types, NULL, FALSE, NULL);
  return types;
}

static gboolean
does_same (const Replacing *replacing, HybNodeId a, HybNodeId b)
{
  const HybNode *x = hyb_graph_get_node (replacing->lowered, a);
  const HybNode *y = hyb_graph_get_node (replacing->graph, b);

  if (x->op != y->op || x->n_inputs != y->n_inputs || x->n_outputs != y->n_outputs ||
      x->n_bodies != y->n_bodies)
    return FALSE;
  for (guint i = 0; i < x->n_bodies; i++)
    if (hyb_graph_get_bodies (replacing->lowered, a)[i] !=
        hyb_graph_get_bodies (replacing->graph, b)[i])
      return FALSE;
  for (guint i = 0; i < x->n_outputs; i++)
    if (!hyb_shape_equal (&replacing->lowered_types[x->first_output + i].shape,
                          &replacing->types[y->first_output + i].shape))
      return FALSE;
  if (hyb_node_is_variable (x))
    return strcmp (x->name, y->name) == 0;
  return x->params == y->params || hyb_params_equal (x->op->params, x->params, y->params);
}

/* Pairs of single nodes that do the same. */
static void
find_same (Replacing *replacing)
{
  guint              n = hyb_graph_n_nodes (replacing->lowered);
  g_autofree guint8 *n_matches = g_new0 (guint8, MAX (n, 1));

  replacing->same = g_new (HybNodeId, MAX (n, 1));
  memset (replacing->same, 0xff, n * sizeof (HybNodeId));
  for (guint i = 0; i < replacing->job->matches->len; i++)
    {
      const HybNodeMatch *match = &g_array_index (replacing->job->matches, HybNodeMatch, i);

      if (n_matches[match->from] < 2)
        n_matches[match->from]++;
      replacing->same[match->from] = match->to;
    }
  for (HybNodeId id = 0; id < n; id++)
    if (n_matches[id] != 1 || !does_same (replacing, id, replacing->same[id]))
      replacing->same[id] = HYB_NO_ID;
}

/* A layer, or a loop with a condition, that is lowered to a loop over rows does not stay: such a loop has been requested. */
static gboolean
has_same_form (const Replacing *replacing, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (replacing->lowered, id);
  HybCategory    category = hyb_graph_get_node (replacing->file, node->origin)->op->category;

  return (category != HYB_CATEGORY_RECURRENT && category != HYB_CATEGORY_CONTROL) ||
         !hyb_node_reads_rows (replacing->lowered, id) ||
         hyb_node_reads_rows (replacing->file, node->origin);
}

/* Nodes of the file all of whose engine nodes stay.  Nodes that no output needs stay too. */
static void
find_kept (Replacing *replacing)
{
  guint              n = hyb_graph_n_nodes (replacing->file);
  g_autofree guint8 *is_needed = hyb_graph_find_needed (replacing->lowered, NULL);

  replacing->is_kept = g_malloc (MAX (n, 1));
  memset (replacing->is_kept, TRUE, MAX (n, 1));
  replacing->has_nodes = g_new0 (guint8, MAX (n, 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (replacing->lowered); id++)
    {
      const HybNode *node = hyb_graph_get_node (replacing->lowered, id);

      if (!is_needed[id] || hyb_node_is_variable (node) || node->origin >= n)
        continue;
      replacing->has_nodes[node->origin] = TRUE;
      if (replacing->same[id] == HYB_NO_ID || !has_same_form (replacing, id))
        replacing->is_kept[node->origin] = FALSE;
    }
}

static gboolean
is_gone (const Replacing *replacing, HybValueId value)
{
  return !replacing->is_kept[hyb_graph_get_producer (replacing->file, value)];
}

static gboolean
is_fixed (const Replacing *replacing, HybValueId value)
{
  HybValueId at = replacing->job->map[value];

  return at != HYB_NO_ID &&
         hyb_node_is_variable (
             hyb_graph_get_node (replacing->lowered,
                                 hyb_graph_get_producer (replacing->lowered, at)));
}

/* Nodes that were lowered to nothing, such as Identity, go with the node that they read. */
static void
drop_transparent (Replacing *replacing)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (replacing->file); id++)
    {
      const HybNode    *node = hyb_graph_get_node (replacing->file, id);
      const HybValueId *inputs = hyb_graph_get_inputs (replacing->file, id);

      for (guint i = 0; i < node->n_inputs && !replacing->has_nodes[id]; i++)
        if (is_gone (replacing, inputs[i]) && !is_fixed (replacing, node->first_output))
          replacing->is_kept[id] = FALSE;
    }
}

/* --- New nodes --- */

/* Records which values of the new graph replace inputs of nodes of the lowered one. */
static void
find_stands (Replacing *replacing)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (replacing->lowered, &n);
  const HybValueId *new_heads = hyb_graph_get_heads (replacing->graph, &n);

  replacing->stands = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (replacing->stands, GUINT_TO_POINTER (heads[i] + 1),
                         GUINT_TO_POINTER (new_heads[i] + 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (replacing->lowered); id++)
    {
      const HybNode *node = hyb_graph_get_node (replacing->lowered, id);

      for (guint i = 0; i < node->n_inputs && replacing->same[id] != HYB_NO_ID; i++)
        g_hash_table_insert (replacing->stands,
                             GUINT_TO_POINTER (hyb_graph_get_inputs (replacing->lowered, id)[i] +
                                               1),
                             GUINT_TO_POINTER (
                                 hyb_graph_get_inputs (replacing->graph, replacing->same[id])[i] +
                                 1));
    }
}

static void
add_needed (Replacing *replacing, HybValueId value)
{
  HybValueId at = replacing->job->map[value];
  guint new =
      at == HYB_NO_ID
          ? 0
          : GPOINTER_TO_UINT (g_hash_table_lookup (replacing->stands, GUINT_TO_POINTER (at + 1)));

  if (new > 0)
    replacing->needed[value] = new - 1;
}

/* Values that remaining nodes read from removed ones.  A node whose result is known while planning, such as a shape,
 * may lose its input; then its result is stored. */
static void
find_needed (Replacing *replacing)
{
  guint             n_values = hyb_graph_n_values (replacing->file), n;
  const HybValueId *heads = hyb_graph_get_heads (replacing->file, &n);

  replacing->needed = g_new (HybValueId, MAX (n_values, 1));
  memset (replacing->needed, 0xff, n_values * sizeof (HybValueId));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (replacing->file); id++)
    {
      const HybNode    *node = hyb_graph_get_node (replacing->file, id);
      const HybValueId *inputs = hyb_graph_get_inputs (replacing->file, id);

      for (guint i = 0; i < node->n_inputs && replacing->is_kept[id]; i++)
        {
          if (!is_gone (replacing, inputs[i]))
            continue;
          add_needed (replacing, inputs[i]);
          if (replacing->needed[inputs[i]] == HYB_NO_ID)
            replacing->is_kept[id] = FALSE;
        }
    }
  for (guint i = 0; i < n; i++)
    if (is_gone (replacing, heads[i]))
      add_needed (replacing, heads[i]);
}

/* --- Writing --- */

/* The name of a value in the file; NULL if it does not belong to the main graph. */
static const char *
name_of (const Replacing *replacing, HybValueId value)
{
  const HybNode *node =
      hyb_graph_get_node (replacing->file, hyb_graph_get_producer (replacing->file, value));

  if (hyb_node_is_variable (node))
    return node->name;
  return node->op->value_name ? node->op->value_name (node->params, value - node->first_output)
                              : NULL;
}

static void
reserve_names (Replacing *replacing, const HybOnnxGraph *graph)
{
  for (guint i = 0; i < graph->n_initializers; i++)
    onnx_export_reserve (replacing->export, graph->initializers[i].name);
  for (guint i = 0; i < graph->n_inputs; i++)
    onnx_export_reserve (replacing->export, graph->inputs[i].name);
  for (guint i = 0; i < graph->n_nodes; i++)
    {
      const HybOnnxNode *node = &graph->nodes[i];

      onnx_export_reserve_node (replacing->export, node->name);
      for (guint k = 0; k < node->n_outputs; k++)
        onnx_export_reserve (replacing->export, node->outputs[k]);
      for (guint a = 0; a < node->n_attributes; a++)
        if (node->attributes[a].kind == HYB_ONNX_ATTRIBUTE_GRAPH && node->attributes[a].graphs)
          reserve_names (replacing, node->attributes[a].graphs[0]);
    }
}

/* Names of inputs and arrays of the main graph; arrays inside of bodies are variables of HybGraph as well.
 * (transfer container) */
static GHashTable *
list_variables (const HybOnnxGraph *graph)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < graph->n_inputs; i++)
    g_hash_table_add (names, (gpointer) graph->inputs[i].name);
  for (guint i = 0; i < graph->n_initializers; i++)
    g_hash_table_add (names, (gpointer) graph->initializers[i].name);
  for (guint i = 0; i < graph->n_sparse; i++)
    g_hash_table_add (names, (gpointer) graph->sparse[i].values->name);
  return names;
}

/* Values of the new graph that the file has already: inputs, arrays, and results of remaining nodes. */
static void
define_known (Replacing *replacing)
{
  g_autoptr (GHashTable) variables = list_variables (replacing->document->graph);

  for (HybValueId value = 0; value < hyb_graph_n_values (replacing->file); value++)
    {
      HybValueId     at = replacing->job->map[value], new;
      HybNodeId      producer;
      const HybNode *node;

      if (at == HYB_NO_ID || is_gone (replacing, value))
        continue;
      producer = hyb_graph_get_producer (replacing->lowered, at);
      node = hyb_graph_get_node (replacing->lowered, producer);
      if (replacing->same[producer] == HYB_NO_ID ||
          (hyb_node_is_variable (
               hyb_graph_get_node (replacing->file,
                                   hyb_graph_get_producer (replacing->file, value))) &&
           !g_hash_table_contains (variables, name_of (replacing, value))))
        continue;
      new = hyb_graph_get_node (replacing->graph, replacing->same[producer])->first_output +
            (at - node->first_output);
      onnx_export_set_value (replacing->export, new,
                             onnx_export_define (replacing->export, name_of (replacing, value)));
    }
}

static void
write_wanted (Replacing *replacing)
{
  for (HybValueId value = 0; value < hyb_graph_n_values (replacing->file); value++)
    {
      OnnxValue new;

      if (replacing->needed[value] == HYB_NO_ID)
        continue;
      new = onnx_export_value (replacing->export, replacing->needed[value]);
      onnx_export_output_value (replacing->export, new, name_of (replacing, value));
    }
}

static gint64
find_opset (const HybOnnxDocument *document)
{
  for (guint i = 0; i < document->n_opsets; i++)
    if (document->opsets[i].domain[0] == '\0')
      return document->opsets[i].version;
  return 1;
}

/* --- Removed nodes --- */

/* Marks values that are read: by outputs, by new nodes, and by nodes that are read themselves or stay though nothing ever
 * read them, bodies included. */
static guint8 *
find_read (const Replacing *replacing, const guint8 *was_needed)
{
  guint             n = hyb_graph_n_nodes (replacing->file), n_heads;
  const HybValueId *heads = hyb_graph_get_heads (replacing->file, &n_heads);
  guint8           *is_read = g_new0 (guint8, MAX (n, 1));
  g_autoptr (GHashTable) names = onnx_export_get_read (replacing->export);

  for (guint i = 0; i < n_heads; i++)
    is_read[hyb_graph_get_producer (replacing->file, heads[i])] = TRUE;
  for (HybValueId value = 0; value < hyb_graph_n_values (replacing->file); value++)
    if (name_of (replacing, value) && g_hash_table_contains (names, name_of (replacing, value)))
      is_read[hyb_graph_get_producer (replacing->file, value)] = TRUE;
  for (HybNodeId id = n; id-- > 0;)
    {
      const HybNode    *node = hyb_graph_get_node (replacing->file, id);
      const HybValueId *inputs = hyb_graph_get_inputs (replacing->file, id);

      for (guint i = 0;
           i < node->n_inputs && (is_read[id] || !was_needed[id]) && replacing->is_kept[id]; i++)
        is_read[hyb_graph_get_producer (replacing->file, inputs[i])] = TRUE;
    }
  return is_read;
}

/* Marks the messages of nodes, and the names of arrays and types, that the new file does not have. */
static gboolean
mark_removed (const Replacing *replacing, OnnxReplacement *result, GError **error)
{
  const HybOnnxGraph *graph = replacing->document->graph;
  g_autofree guint8  *was_needed = hyb_graph_find_needed (replacing->file, NULL);
  g_autofree guint8  *is_read = find_read (replacing, was_needed);
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL); /* offset → index + 1 */

  result->is_removed = g_new0 (guint8, MAX (graph->n_nodes, 1));
  result->patch.is_removed = result->is_removed;
  result->patch.removed = g_hash_table_new (g_str_hash, g_str_equal);
  result->patch.dropped_types = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < graph->n_nodes; i++)
    g_hash_table_insert (places, GSIZE_TO_POINTER (graph->nodes[i].offset),
                         GUINT_TO_POINTER (i + 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (replacing->file); id++)
    {
      const HybNode    *node = hyb_graph_get_node (replacing->file, id);
      const HybOnnxUse *use = node->params;
      guint             place;

      if (replacing->is_kept[id] && (is_read[id] || !was_needed[id]))
        continue;
      if (hyb_node_is_variable (node))
        {
          if (hyb_model_get_parameter (replacing->job->original, node->name))
            g_hash_table_add (result->patch.removed, (gpointer) node->name);
          continue;
        }
      place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GSIZE_TO_POINTER (use->node->offset)));
      if (place == 0)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, node->name, NULL,
                             "it is inside of a function, which is not changed");
      result->is_removed[place - 1] = TRUE;
      for (guint i = 0; i < node->n_outputs; i++)
        if (replacing->needed[node->first_output + i] == HYB_NO_ID)
          g_hash_table_add (result->patch.dropped_types,
                            (gpointer) name_of (replacing, node->first_output + i));
    }
  return TRUE;
}

/* --- Types of inputs and outputs --- */

/* Gives open dimensions of a declared type the sizes that the new graph fixes.  sizes, other: of both choices. */
static void
fix_type (const HybOnnxValueInfo *info,
          const HybType          *sizes,
          const HybType          *other,
          GHashTable             *types)
{
  HybType                 type = *sizes;
  gboolean                is_fixed = FALSE;
  g_autofree const char **names = g_new0 (const char *, MAX (info->n_dims, 1));
  HybProtobufWriter      *message;

  if (!info->has_shape || (int) info->n_dims != type.shape.rank)
    return;
  for (guint i = 0; i < info->n_dims; i++)
    {
      gboolean is_open = info->dims[i].value < 0;
      gboolean varies = other && (other->shape.rank != type.shape.rank ||
                                  other->shape.dim[i] != type.shape.dim[i]);

      is_fixed |= is_open && !varies;
      names[i] = info->dims[i].name;
      if (varies)
        type.shape.dim[i] = HYB_UNKNOWN;
      else if (!is_open)
        type.shape.dim[i] = info->dims[i].value;
    }
  if (!is_fixed)
    return;
  message = onnx_value_message (info->name, &type, names);
  g_hash_table_insert (types, (gpointer) info->name, hyb_protobuf_writer_get_bytes (message));
  hyb_protobuf_writer_free (message);
}

/* Open dimensions that the new graph fixes, such as the length of an unrolled network. */
static GHashTable *
fix_types (const Replacing *replacing, const HybType *types, const HybType *other)
{
  const HybOnnxGraph *graph = replacing->document->graph;
  GHashTable         *fixed =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_bytes_unref);
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (replacing->graph, &n);

  for (guint i = 0; i < graph->n_inputs; i++)
    {
      HybNodeId id = hyb_graph_find_variable (replacing->graph, graph->inputs[i].name);

      if (id != HYB_NO_ID)
        {
          HybValueId value = hyb_graph_get_node (replacing->graph, id)->first_output;

          fix_type (&graph->inputs[i], &types[value], other ? &other[value] : NULL, fixed);
        }
    }
  for (guint i = 0; i < MIN (graph->n_outputs, n); i++)
    fix_type (&graph->outputs[i], &types[heads[i]], other ? &other[heads[i]] : NULL, fixed);
  return fixed;
}

/* --- The whole --- */

static void
clear (Replacing *replacing)
{
  g_free (replacing->same);
  g_free (replacing->is_kept);
  g_free (replacing->has_nodes);
  g_free (replacing->needed);
  g_hash_table_unref (replacing->stands);
  onnx_export_free (replacing->export);
}

static OnnxReplacement *
finish (Replacing *replacing, GError **error)
{
  g_autoptr (OnnxReplacement) result = g_new0 (OnnxReplacement, 1);
  GError *found = onnx_export_get_error (replacing->export);

  if (found)
    {
      g_propagate_error (error, found);
      return NULL;
    }
  result->patch.model = replacing->job->original;
  if (!mark_removed (replacing, result, error))
    return NULL;
  result->patch.nodes = onnx_export_get_nodes (replacing->export);
  result->patch.initializers = onnx_export_get_initializers (replacing->export, NULL);
  return g_steal_pointer (&result);
}

OnnxReplacement *
onnx_replace (const HybWriteJob *job, const HybOnnxDocument *document, GError **error)
{
  Replacing           replacing = { .job = job,
                                    .document = document,
                                    .file = hyb_model_get_graph (job->original),
                                    .lowered = hyb_model_get_graph (job->lowered),
                                    .graph = hyb_model_get_graph (job->model) };
  g_autofree HybType *types = find_types (job->model);
  g_autofree HybType *lowered_types = find_types (job->lowered);
  g_autofree HybType *other = job->other ? find_types (job->other) : NULL;
  OnnxReplacement    *result;

  replacing.types = types;
  replacing.lowered_types = lowered_types;
  find_same (&replacing);
  find_kept (&replacing);
  drop_transparent (&replacing);
  find_stands (&replacing);
  find_needed (&replacing);
  replacing.export =
      onnx_export_new (job->model, replacing.graph, types, other, find_opset (document));
  if (job->other)
    onnx_export_set_other (replacing.export, hyb_model_get_graph (job->other));
  reserve_names (&replacing, document->graph);
  define_known (&replacing);
  write_wanted (&replacing);
  result = finish (&replacing, error);
  if (result)
    result->patch.types = fix_types (&replacing, types, other);
  clear (&replacing);
  return result;
}

void
onnx_replacement_free (OnnxReplacement *replacement)
{
  if (!replacement)
    return;
  g_free (replacement->is_removed);
  g_clear_pointer (&replacement->patch.removed, g_hash_table_unref);
  g_clear_pointer (&replacement->patch.dropped_types, g_hash_table_unref);
  g_clear_pointer (&replacement->patch.types, g_hash_table_unref);
  hyb_protobuf_writer_free (replacement->patch.nodes);
  hyb_protobuf_writer_free (replacement->patch.initializers);
  g_free (replacement);
}
