/* diagnose-batch.c — the rule about a batch size that is written into the graph.
 *
 * batch.c finds and frees it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"
#include "engine/doctor/batch.h"

void
hyb_diagnose_batch (HybDiagnosis *diagnosis)
{
  g_autoptr (HybFrozenBatch) frozen =
      diagnosis->is_wrong_pair ? NULL : hyb_batch_find (diagnosis->model);
  g_autofree char *batch = NULL;
  HybFinding      *finding;

  if (!frozen)
    return;
  batch = g_strdup_printf ("%" G_GINT64_FORMAT, frozen->batch);

  finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){ HYB_SEVERITY_WARNING, "frozen-batch",
                                               g_array_index (frozen->nodes, HybNodeId, 0),
                                               _ ("The repair leaves the batch open in the nodes "
                                                  "that are listed") },
                            _ ("the graph accepts batches of %s only, because this size is written "
                               "into shapes of nodes"),
                            batch);
  finding->remedy = HYB_REMEDY_REPAIR;
  for (guint i = 0; i < frozen->nodes->len; i++)
    hyb_diagnosis_add_node (finding,
                            hyb_graph_get_node (diagnosis->graph,
                                                g_array_index (frozen->nodes, HybNodeId, i)));
}
