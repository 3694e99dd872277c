/* write-model.c — writes ONNX files: a file that was read, with changes or without, and graphs of the engine.
 *
 * Start at hyb_onnx_prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/write-model.h"

#include "engine/analysis/infer-types.h"
#include "engine/analysis/model-types.h"
#include "engine/formats/model-files.h"
#include "engine/graph/model-private.h"
#include "engine/graph/reach.h"
#include "engine/graph/roles.h"
#include "engine/onnx/export/data-name.h"
#include "engine/onnx/export/export.h"
#include "engine/onnx/export/open-inputs.h"
#include "engine/onnx/export/part.h"
#include "engine/onnx/export/patch.h"
#include "engine/onnx/export/replace.h"
#include "engine/onnx/reader.h"

#include <string.h>

/* Versions of new files: supported by every program of the last three years. */
#define NEW_OPSET 17
#define NEW_IR    8
/* From this number of bytes on, arrays go to a file of their own; protobuf itself ends at 2 GiB. */
#define LARGEST ((gsize) 3 << 29)

/* --- Files --- */

static OnnxExternal
external_new (const char *path)
{
  OnnxExternal external = { .pieces =
                                g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref) };

  external.location = onnx_choose_data_name (path, &external.old);
  return external;
}

static void
external_clear (OnnxExternal *external)
{
  g_free (external->location);
  g_free (external->old);
  g_clear_pointer (&external->pieces, g_ptr_array_unref);
}

static void
add_beside (GPtrArray *files, const char *path, const char *name, GPtrArray *pieces)
{
  g_autofree char *folder = g_path_get_dirname (path);
  gboolean         has_folder = strchr (path, '/') != NULL;
  g_autofree char *full = has_folder ? g_build_filename (folder, name, NULL) : g_strdup (name);

  hyb_written_files_add (files, full, pieces);
}

/* The files of a message.  (transfer full); takes model and the pieces of external. */
static GPtrArray *
make_files (const char *path, HybProtobufWriter *model, OnnxExternal *external)
{
  GPtrArray *files = hyb_written_files_new ();

  hyb_written_files_add (files, path, hyb_protobuf_writer_take_pieces (model));
  if (external && external->length > 0)
    {
      add_beside (files, path, external->location, g_steal_pointer (&external->pieces));
      if (external->old)
        add_beside (files, path, external->old, NULL);
    }
  return files;
}

/* --- A file that was read --- */

/* Whether another file than the one that was read gets the same arrays. */
static gboolean
moves_arrays (const HybOnnxDocument *document, HybModel *model, const char *path)
{
  g_autofree char *from = g_path_get_dirname (hyb_model_get_file (model));
  g_autofree char *to = g_path_get_dirname (path);
  g_autofree char *from_real = g_canonicalize_filename (from, NULL);
  g_autofree char *to_real = g_canonicalize_filename (to, NULL);

  return onnx_has_external (document) && strcmp (from_real, to_real) != 0;
}

static GPtrArray *
copy_file (GBytes *bytes, const char *path)
{
  GPtrArray *files = hyb_written_files_new ();
  GPtrArray *pieces = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  g_ptr_array_add (pieces, g_bytes_ref (bytes));
  hyb_written_files_add (files, path, pieces);
  return files;
}

/* The file with a patch (members but external set). */
static GPtrArray *
write_patched (const HybWriteJob     *job,
               const HybOnnxDocument *document,
               OnnxPatch             *patch,
               GError               **error)
{
  OnnxExternal       external = external_new (job->path);
  HybProtobufWriter *model = NULL;
  GPtrArray         *files = NULL;

  patch->external = moves_arrays (document, patch->model, job->path) ? &external : NULL;
  if (patch->external && onnx_has_inner_external (document))
    hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, job->path,
                  "Write the file to the folder of the original",
                  "bodies of the graph have arrays in other files, which cannot be moved");
  else
    model = onnx_patch_apply (document, patch, error);
  if (model)
    files = make_files (job->path, model, patch->external);
  external_clear (&external);
  return files;
}

static GPtrArray *
write_unchanged (const HybWriteJob *job, GError **error)
{
  GBytes *bytes = hyb_model_get_source (job->model);
  g_autoptr (HybOnnxDocument) document = NULL;
  OnnxPatch patch = { .model = job->model };

  if (!bytes)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, job->path, NULL,
                    "the graph was not read from a file, so there is nothing to write back");
      return NULL;
    }
  document = onnx_document_read_kept (bytes, hyb_model_get_file (job->model), error);
  if (!document)
    return NULL;
  if (job->from || job->to)
    {
      g_autoptr (OnnxPart) part = onnx_part (job, document, error);

      return part ? write_patched (job, document, &part->patch, error) : NULL;
    }
  if (moves_arrays (document, job->model, job->path))
    return write_patched (job, document, &patch, error);
  return copy_file (bytes, job->path);
}

/* (transfer full) */
static HybOnnxDocument *
read_original (const HybWriteJob *job, GError **error)
{
  return onnx_document_read_kept (hyb_model_get_source (job->original),
                                  hyb_model_get_file (job->original), error);
}

static GPtrArray *
write_changed (const HybWriteJob *job, GError **error)
{
  g_autoptr (HybOnnxDocument) document = read_original (job, error);
  g_autoptr (OnnxReplacement) replacement = NULL;

  if (!document)
    return NULL;
  replacement = onnx_replace (job, document, error);
  return replacement ? write_patched (job, document, &replacement->patch, error) : NULL;
}

/* --- A graph of the engine --- */

/* The types of all values; NULL and an error if one is unknown.  (transfer full) */
static HybType *
find_types (HybModel *model, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_given_types (model);
  g_autofree guint8  *is_needed = NULL;

  if (!hyb_infer_types (graph, types, NULL, FALSE, error))
    return NULL;
  is_needed = hyb_graph_find_needed (graph, NULL);
  for (HybValueId value = 0; value < hyb_graph_n_values (graph); value++)
    if (is_needed[hyb_graph_get_producer (graph, value)] && !hyb_type_is_known (&types[value]))
      {
        g_autofree char *reason = hyb_infer_reason (graph, types, value);

        hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL, "%s", reason);
        return NULL;
      }
  return g_steal_pointer (&types);
}

/* Labels feed losses, of which only the prediction is written. */
static gboolean
is_written_input (HybModel *model, HybGraph *graph, HybNodeId variable)
{
  const HybNode *node = hyb_graph_get_node (graph, variable);

  return !hyb_model_get_parameter (model, node->name) &&
         hyb_graph_get_role (graph, variable, FALSE) != HYB_ROLE_LABEL;
}

/* The two choices of sizes of a graph, and names for the dimensions in which they differ. */
typedef struct
{
  HybType    *types, *other;
  GHashTable *names; /* size in other → name */
} Sizes;

/* The types for other sizes of open dimensions; NULL: no size is open. (transfer full) */
static HybType *
find_other_types (const HybWriteJob *job, const HybType *types)
{
  if (job->original)
    return job->other ? find_types (job->other, NULL) : NULL;
  return onnx_open_inputs (job->model, types);
}

/* The names that a file gives to open dimensions of its inputs. */
static void
read_names (Sizes *sizes, const HybOnnxGraph *file, HybGraph *graph)
{
  for (guint i = 0; i < file->n_inputs; i++)
    {
      const HybOnnxValueInfo *info = &file->inputs[i];
      HybNodeId               id = hyb_graph_find_variable (graph, info->name);
      const HybShape         *size =
          id == HYB_NO_ID ? NULL
                                  : &sizes->other[hyb_graph_get_node (graph, id)->first_output].shape;

      for (guint axis = 0; size && axis < info->n_dims && (int) axis < size->rank; axis++)
        if (info->dims[axis].name)
          g_hash_table_insert (sizes->names, GINT_TO_POINTER ((int) size->dim[axis]),
                               g_strdup (info->dims[axis].name));
    }
}

/* Names of the dimensions of a type that are open, rank of them, NULL for the others.  (transfer container) */
static const char **
name_dims (const Sizes *sizes, HybValueId value, const char *variable)
{
  const HybShape *shape = &sizes->types[value].shape;
  const char    **names = g_new0 (const char *, (gsize) MAX (shape->rank, 1));

  for (int i = 0; sizes->other && i < shape->rank; i++)
    {
      gint64   size = sizes->other[value].shape.dim[i];
      gpointer key = GINT_TO_POINTER ((int) size);

      if (size == shape->dim[i])
        continue;
      if (variable && !g_hash_table_contains (sizes->names, key))
        g_hash_table_insert (sizes->names, key, g_strdup_printf ("%s_%d", variable, i));
      names[i] = g_hash_table_lookup (sizes->names, key);
    }
  return names;
}

static void
add_inputs (OnnxExport *export, HybModel *model, const Sizes *sizes)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_arguments (graph, &n);

  for (guint i = 0; i < n; i++)
    if (is_written_input (model, graph, variables[i]))
      {
        const HybNode          *node = hyb_graph_get_node (graph, variables[i]);
        g_autofree const char **dims = name_dims (sizes, node->first_output, node->name);

        onnx_export_add_input (export, node->first_output, dims);
      }
}

static gboolean
is_initializer (const HybOnnxGraph *file, const char *name)
{
  for (guint i = 0; i < file->n_initializers; i++)
    if (strcmp (file->initializers[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

/* The inputs of a file in their order, also those that the graph does not read. */
static void
add_inputs_of (OnnxExport *export, const HybOnnxGraph *file, HybGraph *graph, const Sizes *sizes)
{
  for (guint i = 0; i < file->n_inputs; i++)
    {
      const HybOnnxValueInfo *info = &file->inputs[i];
      HybNodeId               id = hyb_graph_find_variable (graph, info->name);

      if (is_initializer (file, info->name))
        continue;
      if (id == HYB_NO_ID)
        onnx_export_copy_input (export, info->name, info->bytes);
      else
        {
          HybValueId              value = hyb_graph_get_node (graph, id)->first_output;
          g_autofree const char **dims = name_dims (sizes, value, info->name);

          onnx_export_add_input (export, value, dims);
        }
    }
}

/* The names of outputs, from the file that a graph was read from, if there is one. (transfer full) */
static char **
dup_output_names (const HybOnnxGraph *file, HybGraph *graph)
{
  guint  n;
  char **names;

  hyb_graph_get_heads (graph, &n);
  if (!file || file->n_outputs != n)
    return hyb_graph_dup_output_names (graph);
  names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = g_strdup (file->outputs[i].name);
  return names;
}

/* An input or array that is an output as well, under its own name. */
static gboolean
is_variable_named (HybGraph *graph, HybValueId value, const char *name)
{
  const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value));

  return hyb_node_is_variable (node) && strcmp (node->name, name) == 0;
}

static void
add_outputs (OnnxExport *export, char **names, HybGraph *graph, const Sizes *sizes)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree const char **dims = name_dims (sizes, heads[i], NULL);
      OnnxValue               value = onnx_export_value (export, heads[i]);
      HybType                 type = sizes->types[heads[i]];

      for (int axis = 0; axis < type.shape.rank; axis++)
        if (sizes->other && sizes->other[heads[i]].shape.dim[axis] != type.shape.dim[axis])
          type.shape.dim[axis] = HYB_UNKNOWN;
      if (!is_variable_named (graph, heads[i], names[i]))
        value = onnx_export_output_value (export, value, names[i]);
      onnx_export_add_output (export, value, &type, dims);
    }
}

static HybProtobufWriter *
graph_message (OnnxExport *export, const char *name, OnnxExternal *external)
{
  HybProtobufWriter *graph = onnx_export_get_nodes (export);

  hyb_protobuf_write_string (graph, 2, name);
  hyb_protobuf_write_all (graph, onnx_export_get_initializers (export, external));
  hyb_protobuf_write_all (graph, onnx_export_get_ports (export));
  return graph;
}

static gsize
count_bytes (HybModel *model)
{
  gsize n = 0;

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    n += hyb_tensor_get_bytes (
        hyb_model_get_parameter (model, hyb_model_get_parameter_name (model, i)));
  return n;
}

static GPtrArray *
write_exported (const HybWriteJob *job, OnnxExport *export, gint64 opset)
{
  OnnxExternal       external = external_new (job->path);
  HybProtobufWriter *model = hyb_protobuf_writer_new ();
  gsize              largest = job->largest > 0 ? job->largest : LARGEST;
  gboolean           is_large = count_bytes (job->model) >= largest;
  g_autofree char   *name = hyb_model_prefix_of (job->path);
  g_autofree char   *base = g_path_get_basename (name);
  GPtrArray         *files;

  hyb_protobuf_write_int (model, 1, NEW_IR);
  hyb_protobuf_write_string (model, 2, "hybridscope");
  hyb_protobuf_write_message (model, 7, graph_message (export, base, is_large ? &external : NULL));
  hyb_protobuf_write_message (model, 8, onnx_opset_message ("", opset));
  files = make_files (job->path, model, &external);
  external_clear (&external);
  return files;
}

static GPtrArray *
write_engine (const HybWriteJob *job, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (job->model);
  gint64              opset = job->version > 0 ? job->version : NEW_OPSET;
  g_autofree HybType *types = find_types (job->model, error);
  g_autofree HybType *other = types ? find_other_types (job, types) : NULL;
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Sizes sizes = { types, other, names };
  g_autoptr (HybOnnxDocument) document = NULL;
  g_autoptr (OnnxExport) export = NULL;
  g_auto (GStrv) output_names = NULL;
  GError *found;

  if (!types || (job->original && !(document = read_original (job, error))))
    return NULL;
  if (document && other)
    read_names (&sizes, document->graph, graph);
  export = onnx_export_new (job->model, graph, types, other, opset);
  if (job->other)
    onnx_export_set_other (export, hyb_model_get_graph (job->other));
  output_names = dup_output_names (document ? document->graph : NULL, graph);
  for (guint i = 0; output_names[i]; i++)
    onnx_export_reserve (export, output_names[i]);
  if (document)
    add_inputs_of (export, document->graph, graph, &sizes);
  else
    add_inputs (export, job->model, &sizes);
  add_outputs (export, output_names, graph, &sizes);
  found = onnx_export_get_error (export);
  if (found)
    {
      g_propagate_error (error, found);
      return NULL;
    }
  return write_exported (job, export, opset);
}

GPtrArray *
hyb_onnx_prepare (const HybWriteJob *job, GError **error)
{
  if (hyb_graph_get_dialect (hyb_model_get_graph (job->model)) == &hyb_onnx_dialect)
    return write_unchanged (job, error);
  if (job->original && job->version == 0)
    return write_changed (job, error);
  return write_engine (job, error);
}
