/* read-model.c — the format ONNX: reads a file into a model.
 *
 * Start with read_graph().  read-graph.c writes nodes, document.h reads the bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"
#include "engine/graph/model-private.h"
#include "engine/lower/infer-lowered.h"
#include "engine/onnx/export/write-model.h"
#include "engine/onnx/reader.h"

#include <string.h>

/* Supported operator sets of ai.onnx and versions of the file format. */
#define MAX_IR 14

const HybDialect hyb_onnx_dialect = { .name = "ONNX", .infer_types = hyb_lowered_infer_types };

/* --- Facts about the file --- */

static const char *
domain_name (const char *domain)
{
  return domain[0] != '\0' ? domain : "ai.onnx";
}

static void
report_opset (OnnxReader *reader, const HybOnnxOpset *opset)
{
  HybFinding *finding = hyb_finding_new ("unknown-opset", HYB_SEVERITY_WARNING,
                                         "the file uses operator set %" G_GINT64_FORMAT
                                         " of ai.onnx; this program supports 1 to %u",
                                         opset->version, HYB_ONNX_NEWEST_OPSET);

  finding->hint = g_strdup ("Operators that changed since then may be computed otherwise; export "
                            "with an older operator set to be sure");
  hyb_onnx_report (reader, finding, NULL, "opset_import");
}

static void
check_opsets (OnnxReader *reader)
{
  HybOnnxDocument *document = reader->document;
  gboolean         has_default = FALSE;

  for (guint i = 0; i < document->n_opsets; i++)
    {
      const HybOnnxOpset *opset = &document->opsets[i];

      if (opset->domain[0] != '\0')
        continue;
      has_default = TRUE;
      if (opset->version < 1 || opset->version > HYB_ONNX_NEWEST_OPSET)
        report_opset (reader, opset);
    }
  if (!has_default && document->n_opsets == 0)
    {
      HybFinding *finding = hyb_finding_new ("unknown-opset", HYB_SEVERITY_WARNING,
                                             "the file does not say which operator set it uses; "
                                             "version 1 is assumed");

      finding->hint = g_strdup ("ONNX Runtime refuses such a file; export it again");
      hyb_onnx_report (reader, finding, NULL, "opset_import");
    }
  if (document->ir_version > MAX_IR)
    {
      HybFinding *finding =
          hyb_finding_new ("unknown-opset", HYB_SEVERITY_WARNING,
                           "the file has version %" G_GINT64_FORMAT
                           " of the format; this program supports versions up to %u",
                           document->ir_version, MAX_IR);

      hyb_onnx_report (reader, finding, NULL, "ir_version");
    }
}

static void
set_facts (OnnxReader *reader)
{
  HybOnnxDocument *document = reader->document;
  HybModel        *model = reader->model;

  hyb_model_set_format (model, "onnx");
  if (document->producer_version[0] != '\0')
    hyb_model_set_version (model, document->producer_version);
  if (document->producer_name[0] != '\0')
    hyb_model_set_fact (model, "producer", NULL, document->producer_name);
  for (guint i = 0; i < document->n_opsets; i++)
    {
      g_autofree char *version = g_strdup_printf ("%" G_GINT64_FORMAT, document->opsets[i].version);

      hyb_model_set_fact (model, "opsets", domain_name (document->opsets[i].domain), version);
    }
  for (guint i = 0; i < document->n_functions; i++)
    {
      const HybOnnxFunction *function = &document->functions[i];
      g_autofree char       *name = g_strconcat (function->domain, "::", function->name, NULL);
      g_autofree char       *n_nodes = g_strdup_printf ("%u", function->n_nodes);

      hyb_model_set_fact (model, "functions", name, n_nodes);
    }
  for (guint i = 0; i < document->n_metadata; i++)
    hyb_model_set_fact (model, "metadata", document->metadata[i].key, document->metadata[i].value);
}

static void
collect_functions (OnnxReader *reader)
{
  for (guint i = 0; i < reader->document->n_functions; i++)
    {
      HybOnnxFunction *function = &reader->document->functions[i];

      g_hash_table_insert (reader->functions,
                           g_strconcat (function->domain, "::", function->name, ":",
                                        function->overload, NULL),
                           function);
    }
}

/* --- Reading --- */

static void
drop_bytes (gpointer bytes)
{
  if (bytes)
    g_bytes_unref (bytes);
}

/* Names of the graph's own inputs take precedence over names of parameters. */
static void
reserve_inputs (OnnxReader *reader)
{
  const HybOnnxGraph *graph = reader->document->graph;
  g_autoptr (GHashTable) fixed = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < graph->n_initializers; i++)
    g_hash_table_add (fixed, (gpointer) graph->initializers[i].name);
  for (guint i = 0; i < graph->n_inputs; i++)
    if (!g_hash_table_contains (fixed, graph->inputs[i].name))
      g_hash_table_add (reader->parameters, (gpointer) graph->inputs[i].name);
}

static HybGraph *
read_document (OnnxReader *reader)
{
  HybOnnxDocument *document = reader->document;
  OnnxScope        root;
  gboolean         is_read;

  hyb_onnx_scope_init (&root, reader, hyb_builder_new ());
  hyb_builder_set_legacy_shapes (root.builder, FALSE);
  hyb_builder_set_dialect (root.builder, &hyb_onnx_dialect);
  hyb_builder_keep_arena (root.builder, document->arena);
  root.n_opsets = document->n_opsets;
  root.opsets = document->opsets;
  reader->root = &root;
  reserve_inputs (reader);
  is_read = hyb_onnx_read_graph (&root, document->graph);
  hyb_onnx_scope_clear (&root);
  if (is_read)
    return hyb_builder_freeze (root.builder);
  hyb_builder_free (root.builder);
  return NULL;
}

static gboolean
read_graph (HybModel *model, GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (HybOnnxDocument) document = hyb_onnx_document_read (bytes, where, error);
  g_autoptr (HybGraph) graph = NULL;
  OnnxReader reader = { .model = model, .document = document, .where = where };

  if (!document)
    return FALSE;
  /* Graphs outlive the document but not its strings and bytes. */
  hyb_arena_take (document->arena, g_bytes_ref (bytes), (GDestroyNotify) g_bytes_unref);
  hyb_model_set_source (model, bytes);
  reader.functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader.parameters = g_hash_table_new (g_str_hash, g_str_equal);
  reader.external = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, drop_bytes);
  reader.reported = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader.repeated = hyb_onnx_repeated_new ();
  reader.dangling = g_hash_table_new (NULL, NULL);
  reader.rows = g_hash_table_new (g_str_hash, g_str_equal);
  set_facts (&reader);
  check_opsets (&reader);
  collect_functions (&reader);
  graph = read_document (&reader);
  if (graph)
    hyb_model_set_graph (model, graph);
  else
    g_propagate_error (error, reader.error);
  g_hash_table_unref (reader.functions);
  g_hash_table_unref (reader.parameters);
  g_hash_table_unref (reader.external);
  g_hash_table_unref (reader.reported);
  g_hash_table_unref (reader.repeated);
  g_hash_table_unref (reader.dangling);
  g_hash_table_unref (reader.rows);
  return graph != NULL;
}

/* --- Weights alone --- */

static HybTensorList *
read_weights (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  HybTensorList *list;

  if (!read_graph (model, bytes, where, error))
    return NULL;
  list = hyb_tensor_list_new ();
  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char *name = hyb_model_get_parameter_name (model, i);

      hyb_tensor_list_set (list, name, hyb_model_get_parameter (model, name));
    }
  return list;
}

/* --- Recognising --- */

static gboolean
read_varint (const guint8 *data, gsize length, gsize *at, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; *at < length && shift < 64; shift += 7)
    {
      guint8 byte = data[(*at)++];

      *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* The wire type that a field of ModelProto has; -1 for numbers that no version has. */
static int
wire_type (guint64 field)
{
  static const gint8 types[] = { -1, 0,  2,  2,  2,  0,  2, 2,  2,  -1, -1, -1, -1, -1,
                                 2,  -1, -1, -1, -1, -1, 2, -1, -1, -1, -1, 2,  2 };

  return field < G_N_ELEMENTS (types) ? types[field] : -1;
}

/* TRUE if the bytes are fields of a ModelProto one after the other, a graph among them.  A file that was cut is
 * recognised too: the last field may end beyond it. */
static gboolean
recognises (gconstpointer bytes, gsize length)
{
  const guint8 *data = bytes;
  gsize         at = 0;
  gboolean      has_graph = FALSE, has_version = FALSE;

  while (at < length)
    {
      guint64 tag, value;

      if (!read_varint (data, length, &at, &tag) || wire_type (tag >> 3) != (int) (tag & 7))
        return FALSE;
      has_graph |= tag >> 3 == 7;
      has_version |= tag >> 3 == 1 || tag >> 3 == 8;
      if (!read_varint (data, length, &at, &value))
        return FALSE;
      if ((tag & 7) != 2)
        continue;
      if (value > length - at)
        return has_graph && has_version;
      at += (gsize) value;
    }
  return has_graph && has_version;
}

const HybFormat hyb_format_onnx = {
  .id = "onnx",
  .patterns = (const char *[]){ "*.onnx", NULL },
  .recognises = recognises,
  .read_graph = read_graph,
  .read_weights = read_weights,
  .prepare = hyb_onnx_prepare,
  .carries_params = TRUE,
  .endings = (const char *[]){ ".onnx", NULL },
};
