/* diagnosis.c — reports findings of the doctor's rules, and writes shapes and element types as JSON.
 *
 * The lowest file of the doctor: all rules use it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include <string.h>

/* Limit of operands and users that are examined; no operator names more operands. */
#define MAX_OPERANDS 64

/* Where the node stands in its file.  In files of other formats the name finds it. */
static char *
find_path (const HybDiagnosis *diagnosis, const HybNode *node)
{
  return hyb_graph_get_dialect (diagnosis->graph) ? NULL
                                                  : g_strdup_printf ("$.nodes[%u]", node->origin);
}

HybFinding *
hyb_diagnosis_report (HybDiagnosis *diagnosis, const DiagnosisIssue *issue, const char *format, ...)
{
  const HybNode   *node = NULL;
  g_autofree char *message = NULL;
  HybFinding      *finding;
  va_list          list;

  va_start (list, format);
  message = g_strdup_vprintf (format, list);
  va_end (list);

  finding = hyb_finding_new (issue->code, issue->severity, "%s", message);
  finding->hint = g_strdup (issue->hint);
  finding->file = g_strdup (hyb_model_get_file (diagnosis->model));
  if (issue->node != HYB_NO_ID)
    {
      node = hyb_graph_get_node (diagnosis->graph, issue->node);
      finding->node = g_strdup (node->name);
      finding->line = node->line;
      finding->path = find_path (diagnosis, node);
    }
  hyb_model_add_finding (diagnosis->model, finding);
  return finding;
}

void
hyb_diagnosis_add_node (HybFinding *finding, const HybNode *node)
{
  if (!finding->items || finding->items->len < HYB_DIAGNOSIS_MAX_ITEMS)
    hyb_finding_add_item (finding, node->name, NULL, NULL);
}

const HybNode *
hyb_diagnosis_variable (const HybDiagnosis *diagnosis, guint index)
{
  return hyb_graph_get_node (diagnosis->graph, diagnosis->variables[index]);
}

char *
hyb_shape_to_json (const HybShape *shape)
{
  GString *text;

  if (shape->rank == HYB_UNKNOWN)
    return NULL;

  text = g_string_new ("[");
  for (int i = 0; i < shape->rank; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      if (shape->dim[i] == HYB_UNKNOWN)
        g_string_append (text, "null");
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->dim[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

char *
hyb_dtype_to_json (HybDType dtype)
{
  return dtype == HYB_DTYPE_UNKNOWN ? NULL : g_strdup_printf ("\"%s\"", hyb_dtype_name (dtype));
}

gboolean
hyb_diagnosis_is_flat_vector (const HybDiagnosis *diagnosis, HybNodeId variable)
{
  HybGraph        *graph = diagnosis->graph;
  guint            n;
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint i = 0; i < MIN (n, MAX_OPERANDS); i++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[i]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[i]);

      for (guint k = 0; k < MIN (node->n_inputs, MAX_OPERANDS); k++)
        if (inputs[k] == value && node->op->inputs)
          {
            g_autofree char *name = hyb_node_dup_input_name (node, k);

            if (strcmp (name, "parameters") == 0)
              return TRUE;
          }
    }
  return FALSE;
}
