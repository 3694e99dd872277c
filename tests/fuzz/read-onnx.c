/* read-onnx.c — the messages of an ONNX file: all that a document holds lies within the file or its arena.  The same bytes
 * are then read as a file with one tensor, as test data has them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "engine/onnx/document.h"
#include "engine/onnx/tensor-file.h"
#include "tests/fuzz/touch.h"

/* The sum of all bytes that were touched, so that no compiler leaves reading them out. */
static volatile guint64 sum;

static void touch_graph (const HybOnnxGraph *graph);

static void
touch_bytes (const guint8 *data, gsize n)
{
  for (gsize i = 0; i < n; i++)
    sum += data[i];
}

static void
touch_name (const char *name)
{
  g_assert_true (g_utf8_validate (name, -1, NULL));
}

static void
touch_names (const char *const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    touch_name (names[i]);
}

static void
touch_entries (const HybOnnxEntry *entries, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      touch_name (entries[i].key);
      touch_name (entries[i].value);
    }
}

static void
touch_dims (const gint64 *dims, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (dims[i], >=, 0);
}

static void
touch_tensor (const HybOnnxTensor *tensor)
{
  touch_name (tensor->name);
  touch_name (tensor->doc);
  touch_dims (tensor->dims, tensor->n_dims);
  touch_bytes (tensor->raw.data, tensor->raw.length);
  touch_bytes (tensor->typed, tensor->typed_bytes);
  touch_bytes (tensor->bytes.data, tensor->bytes.length);
  for (guint i = 0; i < tensor->n_strings; i++)
    touch_bytes (tensor->strings[i].data, tensor->strings[i].length);
  touch_entries (tensor->external, tensor->n_external);
  g_assert_true (!tensor->typed || (!tensor->raw.data && !tensor->is_external));
}

static void
touch_sparse (const HybOnnxSparse *sparse, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      touch_tensor (sparse[i].values);
      touch_tensor (sparse[i].indices);
      touch_dims (sparse[i].dims, sparse[i].n_dims);
    }
}

static void
touch_values (const HybOnnxValueInfo *values, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      touch_name (values[i].name);
      touch_entries (values[i].metadata, values[i].n_metadata);
      touch_bytes (values[i].bytes.data, values[i].bytes.length);
      g_assert_true (values[i].has_shape || values[i].n_dims == 0);
      for (guint k = 0; k < values[i].n_dims; k++)
        {
          g_assert_cmpint (values[i].dims[k].value, >=, -1);
          g_assert_true (values[i].dims[k].value < 0 || !values[i].dims[k].name);
          if (values[i].dims[k].name)
            touch_name (values[i].dims[k].name);
        }
    }
}

static void
touch_attribute (const HybOnnxAttribute *attribute)
{
  touch_name (attribute->name);
  if (attribute->reference)
    touch_name (attribute->reference);
  touch_bytes (attribute->s.data, attribute->s.length);
  touch_bytes ((const guint8 *) attribute->floats,
               attribute->floats ? attribute->n * sizeof *attribute->floats : 0);
  touch_bytes ((const guint8 *) attribute->ints,
               attribute->ints ? attribute->n * sizeof *attribute->ints : 0);
  for (guint i = 0; i < attribute->n; i++)
    {
      if (attribute->strings)
        touch_bytes (attribute->strings[i].data, attribute->strings[i].length);
      if (attribute->tensor)
        touch_tensor (&attribute->tensor[i]);
      if (attribute->graphs)
        touch_graph (attribute->graphs[i]);
      if (attribute->sparse)
        touch_sparse (&attribute->sparse[i], 1);
      if (attribute->type)
        touch_values (&attribute->type[i], 1);
    }
}

static void
touch_nodes (const HybOnnxNode *nodes, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      touch_name (nodes[i].name);
      touch_name (nodes[i].op_type);
      touch_name (nodes[i].domain);
      touch_name (nodes[i].overload);
      touch_name (nodes[i].doc);
      touch_names (nodes[i].inputs, nodes[i].n_inputs);
      touch_names (nodes[i].outputs, nodes[i].n_outputs);
      touch_entries (nodes[i].metadata, nodes[i].n_metadata);
      for (guint k = 0; k < nodes[i].n_attributes; k++)
        touch_attribute (&nodes[i].attributes[k]);
    }
}

static void
touch_graph (const HybOnnxGraph *graph)
{
  touch_name (graph->name);
  touch_name (graph->doc);
  touch_nodes (graph->nodes, graph->n_nodes);
  for (guint i = 0; i < graph->n_initializers; i++)
    touch_tensor (&graph->initializers[i]);
  touch_sparse (graph->sparse, graph->n_sparse);
  touch_values (graph->inputs, graph->n_inputs);
  touch_values (graph->outputs, graph->n_outputs);
  touch_values (graph->values, graph->n_values);
  touch_entries (graph->metadata, graph->n_metadata);
  touch_bytes (graph->bytes.data, graph->bytes.length);
}

static void
touch_function (const HybOnnxFunction *function)
{
  touch_name (function->name);
  touch_name (function->domain);
  touch_name (function->overload);
  touch_name (function->doc);
  touch_names (function->inputs, function->n_inputs);
  touch_names (function->outputs, function->n_outputs);
  touch_names (function->attributes, function->n_attributes);
  touch_nodes (function->nodes, function->n_nodes);
  touch_values (function->values, function->n_values);
  for (guint i = 0; i < function->n_defaults; i++)
    touch_attribute (&function->defaults[i]);
  for (guint i = 0; i < function->n_opsets; i++)
    touch_name (function->opsets[i].domain);
}

static void
touch_document (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybOnnxDocument) document = hyb_onnx_document_read (bytes, "fuzz", &error);

  g_assert_true ((!document) == (error != NULL));
  if (!document)
    return;

  fuzz_reached (FUZZ_READ);
  touch_name (document->producer_name);
  touch_name (document->producer_version);
  touch_name (document->domain);
  touch_name (document->doc);
  touch_entries (document->metadata, document->n_metadata);
  touch_graph (document->graph);
  for (guint i = 0; i < document->n_functions; i++)
    touch_function (&document->functions[i]);
}

static void
touch_tensor_file (GBytes *bytes)
{
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) tensor = hyb_onnx_tensor_read (bytes, "fuzz", &name, &error);

  g_assert_true ((!tensor) == (error != NULL));
  g_assert_true ((!tensor) == (!name));
  if (!tensor)
    return;
  touch_name (name);
  fuzz_touch_tensor (tensor);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);

  fuzz_begin ();
  touch_document (bytes);
  touch_tensor_file (bytes);
  return 0;
}
