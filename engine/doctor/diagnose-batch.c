/* diagnose-batch.c — the rule about a batch size that is written into the graph.
 *
 * batch.c finds and frees it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/doctor/batch.h"

void
hyb_diagnose_batch (HybDiagnosis *diagnosis)
{
  g_autoptr (HybFrozenBatch) frozen =
      diagnosis->is_wrong_pair ? NULL : hyb_batch_find (diagnosis->model);
  HybFinding *finding;

  if (!frozen)
    return;

  finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){
                                HYB_SEVERITY_WARNING, "frozen-batch",
                                g_array_index (frozen->nodes, HybNodeId, 0),
                                "The repair leaves the batch open in the nodes that are listed" },
                            "the graph accepts batches of %" G_GINT64_FORMAT
                            " only, because this size is written into shapes of nodes",
                            frozen->batch);
  finding->remedy = HYB_REMEDY_REPAIR;
  for (guint i = 0; i < frozen->nodes->len; i++)
    hyb_diagnosis_add_node (finding,
                            hyb_graph_get_node (diagnosis->graph,
                                                g_array_index (frozen->nodes, HybNodeId, i)));
}
