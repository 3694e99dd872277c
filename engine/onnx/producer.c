/* producer.c — faults of exporters that a node shows by itself: it is valid, and its numbers are not those of the program
 * that was exported.
 *
 * A rule says to which nodes it applies, what is wrong and what to do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

#include <string.h>

typedef struct
{
  const char *producer; /* producer_name of the file */
  const char *op_type;
  gboolean (*applies) (const HybOnnxNode *node);
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

/* The call that a node was translated from names its weights; weight_hr is that of a projection. */
static gboolean
has_projection (const HybOnnxNode *node)
{
  const char *call =
      hyb_onnx_entry_find (node->metadata, node->n_metadata, "pkg.torch.onnx.fx_node");

  return call && strstr (call, "_weight_hr_");
}

static const Rule rules[] = {
  { "pytorch",
    "GRU",
    resets_before,
    "it resets the state before the product, and PyTorch’s GRU after it: the numbers are not those "
    "of the exported module",
    "Set linear_before_reset to 1, or export with onnxscript 0.7 or later" },
  { "pytorch",
    "LSTM",
    has_projection,
    "the module has a projection (proj_size), and ONNX’s LSTM has none: the projection is missing "
    "from the file",
    "Export the module without proj_size, or write its cell as a loop" },
};

void
hyb_onnx_check_producer (OnnxScope *scope, const HybOnnxNode *node, const char *path)
{
  const char *producer = scope->reader->document->producer_name;

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      HybFinding *finding;

      if (node->domain[0] != '\0' || g_strcmp0 (producer, rules[i].producer) != 0 ||
          strcmp (node->op_type, rules[i].op_type) != 0 || !rules[i].applies (node))
        continue;
      finding = hyb_finding_new ("producer-fault",
                                 HYB_SEVERITY_WARNING,
                                 "%s from %s %s: %s",
                                 node->op_type,
                                 producer,
                                 scope->reader->document->producer_version,
                                 rules[i].fact);
      finding->hint = g_strdup (rules[i].remedy);
      hyb_onnx_report (scope->reader, finding, hyb_onnx_node_name (node), path);
    }
}
