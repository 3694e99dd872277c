/* producer.c — faults of exporters that a node shows by itself: it is valid, and its numbers are not those of the program
 * that was exported; or its schema allows it, and its specification does not.
 *
 * A rule says to which nodes it applies, what is wrong and what to do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

#include <string.h>

typedef struct
{
  const char *producer; /* producer_name of the file; NULL: any */
  const char *op_type;
  gint64      since; /* the version of the operator set from which it is a fault */
  gboolean (*applies) (const HybOnnxNode *node);
  const char *code;
  const char *fact;
  const char *remedy;
} Rule;

static gint64
get_int (const HybOnnxNode *node, const char *name, gint64 fallback)
{
  for (guint i = 0; i < node->n_attributes; i++)
    if (node->attributes[i].kind == HYB_ONNX_ATTRIBUTE_INT &&
        strcmp (node->attributes[i].name, name) == 0)
      return node->attributes[i].i;
  return fallback;
}

/* --- PyTorch --- */

static gboolean
resets_before (const HybOnnxNode *node)
{
  return get_int (node, "linear_before_reset", 0) == 0;
}

/* The call that a node was translated from names its weights; weight_hr belongs to a projection. */
static gboolean
has_projection (const HybOnnxNode *node)
{
  const char *call =
      hyb_onnx_entry_find (node->metadata, node->n_metadata, "pkg.torch.onnx.fx_node");

  return call && strstr (call, "_weight_hr_");
}

/* --- MXNet, which writes forms of version 13 and stamps the newest version --- */

static gboolean
splits_without_sizes (const HybOnnxNode *node)
{
  return (node->n_inputs < 2 || node->inputs[1][0] == '\0') &&
         get_int (node, "num_outputs", 0) == 0;
}

static const Rule rules[] = {
  { NULL, "Split", 18, splits_without_sizes, "opset-stamp",
    "this node has a form of version 13: from version 18 on, Split needs the input split or the "
    "attribute num_outputs, and ONNX Runtime refuses it without",
    "The stamp is wrong: set the version to 13, or convert the file to version 17" },
  { "pytorch", "GRU", 1, resets_before, "producer-fault",
    "it resets the state before the product, and PyTorch’s GRU after it: the results differ from "
    "the exported module",
    "Set linear_before_reset to 1, or export with onnxscript 0.7 or later" },
  { "pytorch", "LSTM", 1, has_projection, "producer-fault",
    "the module has a projection (proj_size), and ONNX’s LSTM has none: the projection is missing "
    "from the file",
    "Export the module without proj_size, or write its cell as a loop" },
};

static void
report (OnnxScope *scope, const Rule *rule, const HybOnnxNode *node, const char *path)
{
  const HybOnnxDocument *document = scope->reader->document;
  HybFinding            *finding =
      rule->producer
                     ? hyb_finding_new (rule->code, HYB_SEVERITY_WARNING, "%s from %s %s: %s", node->op_type,
                                        document->producer_name, document->producer_version, rule->fact)
                     : hyb_finding_new (rule->code, HYB_SEVERITY_WARNING, "%s", rule->fact);

  finding->hint = g_strdup (rule->remedy);
  hyb_onnx_report (scope->reader, finding, hyb_onnx_node_name (node), path);
}

void
hyb_onnx_check_producer (OnnxScope *scope, const HybOnnxUse *use, const char *path)
{
  const HybOnnxNode *node = use->node;
  const char        *producer = scope->reader->document->producer_name;

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      const Rule *rule = &rules[i];

      if (node->domain[0] != '\0' || use->opset < rule->since ||
          (rule->producer && g_strcmp0 (producer, rule->producer) != 0) ||
          strcmp (node->op_type, rule->op_type) != 0 || !rule->applies (node))
        continue;
      /* A fault of the stamp concerns all its nodes. */
      if (rule->producer || hyb_onnx_report_once (scope->reader, rule->fact))
        report (scope, rule, node, path);
    }
}
