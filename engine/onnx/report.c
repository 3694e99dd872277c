/* report.c — findings of the reader: operators that this program does not have.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

static HybFinding *
new_finding (const OnnxScope *scope, const HybOnnxNode *node, gint64 opset)
{
  gint64      other = hyb_onnx_op_find_version (node->domain, node->op_type, opset);
  const char *near = hyb_onnx_op_suggest (node->domain, node->op_type);
  HybFinding *finding;

  if (node->domain[0] != '\0')
    {
      finding = hyb_finding_new ("custom-domain",
                                 HYB_SEVERITY_WARNING,
                                 "the operator %s of the domain “%s” is not known: the model can be "
                                 "looked at but not run",
                                 node->op_type,
                                 node->domain);
      finding->hint = g_strdup ("A runtime needs the library that defines it");
    }
  else if (other > 0)
    {
      finding = hyb_finding_new ("opset-stamp",
                                 HYB_SEVERITY_ERROR,
                                 "the file says that it uses operator set %" G_GINT64_FORMAT
                                 ", which has no operator %s; version %" G_GINT64_FORMAT " has",
                                 opset,
                                 node->op_type,
                                 other);
      finding->hint = g_strdup ("The stamp may be wrong; export again with an operator set that fits");
    }
  else
    {
      finding = hyb_finding_new ("unknown-operator",
                                 HYB_SEVERITY_ERROR,
                                 "there is no operator “%s” in ai.onnx: the model can be looked at but "
                                 "not run",
                                 node->op_type);
      finding->hint = near ? g_strdup_printf ("Did you mean “%s”?", near)
                           : g_strdup ("If it is a function, its definition is missing from the file");
    }
  return finding;
}

void
hyb_onnx_report_operator (OnnxScope         *scope,
                          const HybOnnxNode *node,
                          gint64             opset,
                          const char        *path)
{
  g_autofree char *key = g_strconcat (node->domain, "::", node->op_type, NULL);

  if (hyb_onnx_report_once (scope->reader, key))
    hyb_onnx_report (scope->reader,
                     new_finding (scope, node, opset),
                     hyb_onnx_node_name (node),
                     path);
}
