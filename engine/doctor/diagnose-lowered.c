/* diagnose-lowered.c — types of graphs of other formats: contradictions, dimensions that are declared open but fixed
 * inside, and declared shapes that differ from the inferred ones.
 *
 * All of it comes from lowering the graph; see lower/infer-lowered.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/base/translate.h"
#include "engine/doctor/diagnosis.h"
#include "engine/lower/infer-lowered.h"

#include <string.h>

/* Findings of one kind that are listed one by one. */
#define MAX_LISTED 20
#define MAX_NOTES  5 /* on nodes that are not computed */

static gboolean
is_unsupported (const GError *error)
{
  return g_error_matches (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED);
}

static const char *
find_code (const GError *error)
{
  return is_unsupported (error)                                      ? "not-computed"
         : g_error_matches (error, HYB_OP_ERROR, HYB_OP_ERROR_DTYPE) ? "wrong-dtype"
                                                                     : "shape-conflict";
}

static void
report_fault (HybDiagnosis *diagnosis, const HybLoweringFault *fault)
{
  HybSeverity severity = is_unsupported (fault->error) ? HYB_SEVERITY_NOTE : HYB_SEVERITY_ERROR;

  hyb_diagnosis_report (diagnosis,
                        &(DiagnosisIssue){ severity, find_code (fault->error), fault->node, NULL },
                        "%s", fault->error->message);
}

/* Each once, though a body may be lowered several times; of nodes that are not computed the first ones. */
static void
report_faults (HybDiagnosis *diagnosis, const GArray *faults)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint n_notes = 0, n_errors = 0;

  for (guint i = 0; i < faults->len; i++)
    {
      const HybLoweringFault *fault = &g_array_index (faults, HybLoweringFault, i);
      guint                  *n = is_unsupported (fault->error) ? &n_notes : &n_errors;

      if (!g_hash_table_add (seen, fault->error->message) || ++*n > MAX_LISTED)
        continue;
      if (n == &n_errors || n_notes <= MAX_NOTES)
        report_fault (diagnosis, fault);
    }
  if (n_notes > MAX_NOTES)
    hyb_diagnosis_report (diagnosis,
                          &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "not-computed", HYB_NO_ID, NULL },
                          _ ("%u more nodes are not computed"), n_notes - MAX_NOTES);
}

/* The first node that refuses sizes which the file declares possible. */
static void
report_frozen (HybDiagnosis *diagnosis, const HybLoweredFacts *facts)
{
  const HybLoweringFault *fault = NULL;

  for (guint i = 0; i < facts->frozen->len && !fault; i++)
    if (!is_unsupported (g_array_index (facts->frozen, HybLoweringFault, i).error))
      fault = &g_array_index (facts->frozen, HybLoweringFault, i);
  if (!fault)
    return;
  if (facts->is_limit)
    hyb_diagnosis_report (
        diagnosis, &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "limited-dimension", fault->node, NULL },
        _ ("dimensions are declared open, but the graph only accepts %s: with larger ones "
           "%s"),
        facts->accepted, fault->error->message);
  else
    hyb_diagnosis_report (
        diagnosis,
        &(DiagnosisIssue){ HYB_SEVERITY_WARNING, "frozen-dimension", fault->node,
                           _ ("Export the model with this dimension dynamic, or declare it "
                              "with the size that works") },
        _ ("dimensions are declared open, but the graph only accepts %s: with other sizes %s"),
        facts->accepted, fault->error->message);
}

/* TRUE if two known numbers differ, or the ranks. */
static gboolean
contradicts (const HybType *declared, const HybType *inferred)
{
  if (declared->dtype != HYB_DTYPE_UNKNOWN && inferred->dtype != HYB_DTYPE_UNKNOWN &&
      declared->dtype != inferred->dtype)
    return TRUE;
  if (declared->shape.rank < 0 || inferred->shape.rank < 0)
    return FALSE;
  if (declared->shape.rank != inferred->shape.rank)
    return TRUE;
  for (int i = 0; i < declared->shape.rank; i++)
    if (declared->shape.dim[i] >= 0 && inferred->shape.dim[i] >= 0 &&
        declared->shape.dim[i] != inferred->shape.dim[i])
      return TRUE;
  return FALSE;
}

static void
check_declared (HybDiagnosis *diagnosis, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (diagnosis->graph, id);

  for (guint i = 0; node->op->declared_type && i < node->n_outputs; i++)
    {
      const HybType *inferred = &diagnosis->types[node->first_output + i];
      HybType        declared;

      if (node->op->declared_type (node->params, i, &declared) && contradicts (&declared, inferred))
        {
          g_autofree char *name =
              hyb_graph_dup_value_name (diagnosis->graph, node->first_output + i);
          g_autofree char *says = hyb_type_to_string (&declared);
          g_autofree char *is = hyb_type_to_string (inferred);

          hyb_diagnosis_report (diagnosis,
                                &(DiagnosisIssue){
                                    HYB_SEVERITY_WARNING, "declared-shape", id,
                                    _ ("The declaration is stale or the export is wrong; "
                                       "runtimes may refuse the file") },
                                _ ("the file declares “%s” as %s, but it is %s"), name, says, is);
        }
    }
}

void
hyb_diagnose_lowered (HybDiagnosis *diagnosis)
{
  g_auto (HybLoweredFacts) facts = { 0 };

  hyb_lowered_infer (diagnosis->graph, diagnosis->types, &facts);
  report_faults (diagnosis, facts.faults);
  if (facts.frozen)
    report_frozen (diagnosis, &facts);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (diagnosis->graph); id++)
    check_declared (diagnosis, id);
}
