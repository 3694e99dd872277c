/* read-variables.c — inputs and initialisers of a graph, and the types that it declares.
 *
 * Initialisers become parameters of the model, also those of bodies, which capture them.  Start with
 * hyb_onnx_read_variables().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/onnx/reader.h"

#include <string.h>

static HybValueId
add_variable (OnnxScope *scope, const char *name, const char *shape, const char *dtype)
{
  const char *attributes[5] = { NULL };
  guint       n = 0;

  if (dtype)
    {
      attributes[n++] = "__dtype__";
      attributes[n++] = dtype;
    }
  if (shape)
    {
      attributes[n++] = "__shape__";
      attributes[n++] = shape;
    }
  return hyb_builder_add_variable (scope->builder, name, attributes);
}

/* The graph's own variables, which files below IR 4 list together with initialisers. */
static void
add_inputs (OnnxScope *scope, const HybOnnxGraph *graph)
{
  g_autoptr (GHashTable) fixed = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < graph->n_initializers; i++)
    g_hash_table_add (fixed, (gpointer) graph->initializers[i].name);
  for (guint i = 0; i < graph->n_inputs; i++)
    {
      const HybOnnxValueInfo *input = &graph->inputs[i];
      g_autofree char        *shape = hyb_onnx_declared_shape (input);
      g_autofree char        *dtype = hyb_onnx_declared_dtype (input);

      /* Checks the number of a body's variables against the specification. */
      if (!scope->outer && g_hash_table_contains (fixed, input->name))
        continue;
      hyb_onnx_scope_define (scope, input->name, add_variable (scope, input->name, shape, dtype));
    }
}

/* A name for a parameter of the model that no other has.  Owned by the arena. */
static const char *
unique_parameter (OnnxReader *reader, const OnnxScope *scope, const char *name)
{
  const char *unique = name;

  for (guint i = 1; g_hash_table_contains (reader->parameters, unique); i++)
    {
      g_autofree char *text = i == 1 ? g_strconcat (scope->path, "/", name, NULL)
                                     : g_strdup_printf ("%s/%s#%u", scope->path, name, i);

      unique = hyb_arena_string (reader->document->arena, text);
    }
  g_hash_table_add (reader->parameters, (gpointer) unique);
  return unique;
}

/* A parameter of the model, and its value in this scope. */
static void
define_parameter (OnnxScope           *scope,
                  const char          *name,
                  HybTensor           *contents,
                  const HybOnnxTensor *tensor)
{
  OnnxReader      *reader = scope->reader;
  OnnxScope       *root = reader->root;
  const char      *unique = unique_parameter (reader, scope, name);
  HybOnnxDim      *dims = g_new0 (HybOnnxDim, MAX (tensor->n_dims, 1));
  HybOnnxValueInfo info = { .kind = HYB_ONNX_TYPE_TENSOR,
                            .dtype = tensor->dtype,
                            .has_shape = TRUE,
                            .n_dims = tensor->n_dims,
                            .dims = dims };
  g_autofree char *shape = NULL, *dtype = NULL;
  HybValueId       value;

  for (guint i = 0; i < tensor->n_dims; i++)
    dims[i].value = tensor->dims[i];
  shape = hyb_onnx_declared_shape (&info);
  dtype = hyb_onnx_declared_dtype (&info);
  g_free (dims);
  value = add_variable (root, unique, shape, dtype);
  hyb_onnx_scope_define (root, unique, value);
  if (contents)
    {
      hyb_builder_set_contents (root->builder, value, contents);
      hyb_model_set_parameter (reader->model, unique, contents);
      g_hash_table_insert (root->contents, (gpointer) unique, hyb_tensor_ref (contents));
    }
  if (scope != root)
    {
      hyb_onnx_scope_define (scope, name, hyb_onnx_scope_find (scope, unique));
      if (contents)
        g_hash_table_insert (scope->contents, (gpointer) name, hyb_tensor_ref (contents));
    }
}

static void
report_tensor (OnnxScope *scope, const char *name, GError *error)
{
  HybFinding *finding;

  /* External data was reported once for its file. */
  if (g_error_matches (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED))
    {
      finding = hyb_finding_new (strstr (error->message, "external data") ? "missing-external-data"
                                                                          : "truncated",
                                 HYB_SEVERITY_ERROR, "%s", error->message);
      finding->hint = g_strdup ("Download or export the file again");
    }
  else
    finding = hyb_finding_new ("wrong-dtype", HYB_SEVERITY_WARNING, "%s", error->message);
  hyb_finding_add_item (finding, name, NULL, NULL);
  hyb_onnx_report (scope->reader, finding, NULL, "graph.initializer");
  g_error_free (error);
}

static void
add_initializers (OnnxScope *scope, const HybOnnxGraph *graph)
{
  for (guint i = 0; i < graph->n_initializers; i++)
    {
      const HybOnnxTensor *tensor = &graph->initializers[i];
      GError              *error = NULL;
      g_autoptr (HybTensor) contents = hyb_onnx_load_tensor (scope->reader, tensor, &error);

      if (error)
        report_tensor (scope, tensor->name, error);
      define_parameter (scope, tensor->name, contents, tensor);
    }
  for (guint i = 0; i < graph->n_sparse; i++)
    {
      const HybOnnxSparse *sparse = &graph->sparse[i];
      GError              *error = NULL;
      g_autoptr (HybTensor) contents = hyb_onnx_load_sparse (scope->reader, sparse, &error);
      HybOnnxTensor shape = { .n_dims = sparse->n_dims, .dims = sparse->dims };

      if (error)
        report_tensor (scope, sparse->values ? sparse->values->name : "", error);
      if (!sparse->values)
        continue;
      shape.dtype = sparse->values->dtype;
      define_parameter (scope, sparse->values->name, contents, &shape);
    }
}

static void
add_declared (OnnxScope *scope, const HybOnnxGraph *graph)
{
  for (guint i = 0; i < graph->n_values; i++)
    g_hash_table_insert (scope->declared, (gpointer) graph->values[i].name,
                         (gpointer) &graph->values[i]);
  for (guint i = 0; i < graph->n_outputs; i++)
    g_hash_table_insert (scope->declared, (gpointer) graph->outputs[i].name,
                         (gpointer) &graph->outputs[i]);
}

void
hyb_onnx_read_variables (OnnxScope *scope, const HybOnnxGraph *graph)
{
  add_declared (scope, graph);
  add_inputs (scope, graph);
  add_initializers (scope, graph);
}
