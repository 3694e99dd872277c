/* report.c — adds findings of the reader, and those about operators: unknown ones, and nodes that their schema does not
 * allow.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"
#include "engine/onnx/schema.h"

#include <string.h>

const char *
hyb_onnx_node_name (const HybOnnxNode *node)
{
  if (node->name[0] != '\0')
    return node->name;
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i][0] != '\0')
      return node->outputs[i];
  return node->op_type;
}

HybFinding *
hyb_onnx_report (OnnxReader *reader, HybFinding *finding, const char *node, const char *path)
{
  finding->file = g_strdup (reader->where);
  finding->node = g_strdup (node);
  finding->path = g_strdup (path);
  hyb_model_add_finding (reader->model, finding);
  return finding;
}

/* --- Faults of many nodes --- */

#define MAX_LISTED 20

/* A finding about several nodes. */
typedef struct
{
  HybFinding *finding; /* owned by the model */
  char       *message; /* as it is for the first node */
  guint       n_nodes;
} Repeated;

static void
repeated_free (gpointer data)
{
  g_free (((Repeated *) data)->message);
  g_free (data);
}

GHashTable *
hyb_onnx_repeated_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, repeated_free);
}

static void
count_node (Repeated *repeated, const char *node)
{
  HybFinding *finding = repeated->finding;

  if (repeated->n_nodes == 1)
    hyb_finding_add_item (finding, finding->node, NULL, NULL);
  repeated->n_nodes++;
  if (repeated->n_nodes <= MAX_LISTED)
    hyb_finding_add_item (finding, node, NULL, NULL);
  g_free (finding->message);
  finding->message = repeated->n_nodes == 2
                         ? g_strdup_printf ("%s; another node does the same", repeated->message)
                         : g_strdup_printf ("%s; %u more nodes do the same", repeated->message,
                                            repeated->n_nodes - 1);
}

void
hyb_onnx_report_node (OnnxReader *reader, HybFinding *finding, const char *node, const char *path)
{
  g_autofree char *key =
      g_strconcat (hyb_severity_name (finding->severity), " ", finding->code, NULL);
  Repeated *repeated = g_hash_table_lookup (reader->repeated, key);

  if (repeated)
    {
      count_node (repeated, node);
      hyb_finding_free (finding);
      return;
    }
  repeated = g_new0 (Repeated, 1);
  repeated->finding = hyb_onnx_report (reader, finding, node, path);
  repeated->message = g_strdup (finding->message);
  repeated->n_nodes = 1;
  g_hash_table_insert (reader->repeated, g_steal_pointer (&key), repeated);
}

gboolean
hyb_onnx_report_once (OnnxReader *reader, const char *text)
{
  return g_hash_table_add (reader->reported, g_strdup (text));
}

/* Whether a domain has functions in the file, or is one that exporters use for functions alone. */
static gboolean
has_functions (const HybOnnxDocument *document, const char *domain)
{
  for (guint i = 0; i < document->n_functions; i++)
    if (strcmp (document->functions[i].domain, domain) == 0)
      return TRUE;
  return g_str_has_prefix (domain, "pkg.");
}

static HybFinding *
report_missing_function (const HybOnnxNode *node)
{
  HybFinding *finding =
      hyb_finding_new ("function-missing", HYB_SEVERITY_ERROR,
                       "the function %s of the domain “%s” is not in the file: the "
                       "model can be looked at but not run",
                       node->op_type, node->domain);

  finding->hint = g_strdup ("Export the model again, with its functions");
  return finding;
}

char *
hyb_onnx_dup_missing_hint (const char *name)
{
  static const char prefix[] = "p2o.pd_op."; /* Paddle2ONNX names values after Paddle's operators */
  const char       *op = name + strlen (prefix);

  if (!g_str_has_prefix (name, prefix) || op[0] == '\0')
    return g_strdup ("The export is incomplete; export the model again");
  return g_strdup_printf ("Paddle2ONNX left out Paddle’s operator “%.*s”, which computes it; build "
                          "the model without it, "
                          "such as SimpleRNN from SimpleRNNCell in a loop, and export it again",
                          (int) strcspn (op, "."), op);
}

/* A file of another producer may use the library that brings a domain along. */
static HybFinding *
report_domain (const HybOnnxNode *node)
{
  static const char extensions[] = "ONNX Runtime needs the library onnxruntime-extensions for it";
  static const struct
  {
    const char *domain, *hint;
  } known[] = { { "com.microsoft", "It is an operator of ONNX Runtime, which may run the model" },
                { "com.microsoft.extensions", extensions },
                { "ai.onnx.contrib", extensions } };
  const char *hint = "A runtime needs the library that defines it";
  HybFinding *finding =
      hyb_finding_new ("custom-domain", HYB_SEVERITY_WARNING,
                       "the operator %s of the domain “%s” is not known: the model "
                       "can be looked at but not run",
                       node->op_type, node->domain);

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].domain, node->domain) == 0)
      hint = known[i].hint;
  finding->hint = g_strdup (hint);
  return finding;
}

static HybFinding *
report_stamp (const HybOnnxNode *node, gint64 opset, gint64 other)
{
  HybFinding *finding =
      hyb_finding_new ("opset-stamp", HYB_SEVERITY_ERROR,
                       "the file says that it uses operator set %" G_GINT64_FORMAT
                       ", which has no operator %s; version %" G_GINT64_FORMAT " has",
                       opset, node->op_type, other);

  finding->hint = g_strdup ("The stamp may be wrong; export again with an operator set that fits");
  return finding;
}

/* ONNX Runtime has operators in versions in which ONNX has them not, or withdrew them: its optimiser writes such files. */
static HybFinding *
report_runtime_only (const HybOnnxNode *node, gint64 opset, gint64 other)
{
  HybFinding *finding =
      hyb_finding_new ("opset-stamp", HYB_SEVERITY_WARNING,
                       "operator set %" G_GINT64_FORMAT " of ONNX has no operator %s; version "
                       "%" G_GINT64_FORMAT " has",
                       opset, node->op_type, other);

  finding->hint = g_strdup ("It is computed here, and by ONNX Runtime, all the same; for other "
                            "programs export again with a newer operator set");
  return finding;
}

static HybFinding *
report_unknown (const HybOnnxNode *node)
{
  const char *near = hyb_onnx_schema_suggest (node->domain, node->op_type);
  HybFinding *finding = hyb_finding_new ("unknown-operator", HYB_SEVERITY_ERROR,
                                         "there is no operator “%s” in ai.onnx: the model can be "
                                         "looked at but not run",
                                         node->op_type);

  /* Programs write files: a name that is like another one is more often another function than a slip. */
  finding->hint = near ? g_strdup_printf ("The nearest name is “%s”, which need not compute the "
                                          "same; if “%s” is a "
                                          "function, its definition is missing from the file",
                                          near, node->op_type)
                       : g_strdup ("If it is a function, its definition is missing from the file");
  return finding;
}

/* A node of another form than the schema has.  If another version of the operator has that form, the stamp may be wrong. */
static HybFinding *
report_form (const HybOnnxNode *node, gint64 opset, const HybOnnxSchema *schema)
{
  const char      *code, *ignored;
  g_autofree char *text = hyb_onnx_schema_check (schema, node, &code);
  HybFinding      *finding;

  if (!text)
    return NULL;
  for (gint64 other = MIN (opset - 1, HYB_ONNX_NEWEST_OPSET); other > 0; other--)
    {
      const HybOnnxSchema *older = hyb_onnx_schema_find (node->domain, node->op_type, other);
      g_autofree char     *refusal =
          older && older != schema ? hyb_onnx_schema_check (older, node, &ignored) : g_strdup ("");

      if (refusal)
        continue;
      finding = hyb_finding_new ("opset-stamp", HYB_SEVERITY_ERROR,
                                 "the file says that it uses operator set %" G_GINT64_FORMAT
                                 ", but this node has a form of version %" G_GINT64_FORMAT ": %s",
                                 opset, other, text);
      finding->hint = g_strdup ("The stamp is wrong; export again, or set the version that fits");
      return finding;
    }
  /* Runtimes read a node with too few inputs or outputs, and fail only if it runs. */
  return hyb_finding_new (code,
                          strcmp (code, "bad-node") == 0 ? HYB_SEVERITY_WARNING
                                                         : HYB_SEVERITY_ERROR,
                          "%s", text);
}

/* An operator of ONNX without a row: nothing is wrong with the file. */
static HybFinding *
report_not_computed (const HybOnnxNode *node)
{
  HybFinding *finding =
      hyb_finding_new ("not-computed", HYB_SEVERITY_NOTE,
                       "this program does not compute the operator %s", node->op_type);

  finding->hint = g_strdup ("The model can be looked at, and outputs that do not need it can be "
                            "computed; ONNX Runtime may run all of it");
  return finding;
}

gboolean
hyb_onnx_check_operator (OnnxScope *scope, const HybOnnxUse *use, const char *path)
{
  const HybOnnxNode   *node = use->node;
  const HybOnnxSchema *schema = use->schema;
  gint64               opset = use->opset;
  g_autofree char     *key = NULL;
  gint64 other = schema ? 0 : hyb_onnx_schema_find_version (node->domain, node->op_type, opset);
  HybFinding *finding = schema                    ? report_form (node, opset, schema)
                        : other > 0 && use->row   ? report_runtime_only (node, opset, other)
                        : other > 0               ? report_stamp (node, opset, other)
                        : use->row                ? NULL
                        : node->domain[0] == '\0' ? report_unknown (node)
                        : has_functions (scope->reader->document, node->domain)
                            ? report_missing_function (node)
                            : report_domain (node);
  gboolean    is_right = !finding || !schema || finding->severity != HYB_SEVERITY_ERROR;

  if (!finding && !use->row)
    finding = report_not_computed (node);
  if (!finding)
    return TRUE;

  key = g_strconcat (node->domain, "::", node->op_type, NULL);
  if (hyb_onnx_report_once (scope->reader, key))
    hyb_onnx_report (scope->reader, finding, hyb_onnx_node_name (node), path);
  else
    hyb_finding_free (finding);
  return is_right;
}
