/* diagnose-quantised.c — rules about models that compute on integers: the quantised parts, and
 * deviations of MXNet's int8 run from the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/analysis/quantised-facts.h"
#include "engine/base/translate.h"

/* The layers, with the ranges of their results. */
static void
report_layers (HybDiagnosis *diagnosis, const HybQuantisedFacts *facts)
{
  g_autofree char *text = hyb_quantised_facts_to_string (facts);
  HybFinding      *finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){
                                HYB_SEVERITY_NOTE, "quantised",
                                g_array_index (facts->quantised, HybQuantisedLayer, 0).node, NULL },
                            _ ("the model is quantised: %s"), text);

  if (finding)
    finding->remedy = HYB_REMEDY_FLOAT;
  for (guint i = 0; finding && i < MIN (facts->quantised->len, HYB_DIAGNOSIS_MAX_ITEMS); i++)
    {
      const HybQuantisedLayer *layer = &g_array_index (facts->quantised, HybQuantisedLayer, i);
      char                     low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
      g_autofree char         *range =
          layer->is_calibrated
                      ? g_strdup_printf ("[%s, %s]",
                                         g_ascii_formatd (low, sizeof low, "%.6g", layer->low + 0.0),
                                         g_ascii_formatd (high, sizeof high, "%.6g", layer->high))
                      : NULL;

      hyb_finding_add_item (finding, hyb_graph_get_node (diagnosis->graph, layer->node)->name, NULL,
                            range);
    }
}

static void
report_floats (HybDiagnosis *diagnosis, const HybQuantisedFacts *facts)
{
  HybFinding *finding;

  if (facts->floats->len == 0)
    return;
  finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "float-layer",
                                               g_array_index (facts->floats, HybNodeId, 0), NULL },
                            _ ("layers that stayed float in a quantised model"));
  for (guint i = 0; finding && i < facts->floats->len; i++)
    hyb_diagnosis_add_node (finding,
                            hyb_graph_get_node (diagnosis->graph,
                                                g_array_index (facts->floats, HybNodeId, i)));
}

/* A calibrated sum whose input is int8 while its result is uint8. */
static gboolean
is_cut_sum (const HybDiagnosis *diagnosis, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (diagnosis->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (diagnosis->graph, id);

  /* The input that is added comes before the limits of two ranges. */
  return hyb_params_get_bool (node->op->params, node->params, "with_sum") && node->n_inputs > 5 &&
         diagnosis->types[node->first_output].dtype == HYB_U8 &&
         diagnosis->types[inputs[node->n_inputs - 5]].dtype == HYB_I8;
}

static void
report_cut_sums (HybDiagnosis *diagnosis, const HybQuantisedFacts *facts)
{
  HybFinding *finding = NULL;

  for (guint i = 0; i < facts->quantised->len; i++)
    {
      HybNodeId id = g_array_index (facts->quantised, HybQuantisedLayer, i).node;

      if (!is_cut_sum (diagnosis, id))
        continue;
      if (!finding)
        finding = hyb_diagnosis_report (
            diagnosis,
            &(DiagnosisIssue){
                HYB_SEVERITY_WARNING, "quantised-sum-cut", id,
                _ ("Exclude these layers from quantisation, or calibrate for int8") },
            _ ("sums of int8 with a uint8 result: MXNet cuts them at 127 of 255 levels, so numbers "
               "in the upper half of their range are lost"));
      hyb_diagnosis_add_node (finding, hyb_graph_get_node (diagnosis->graph, id));
    }
}

void
hyb_diagnose_quantised (HybDiagnosis *diagnosis)
{
  g_autoptr (HybQuantisedFacts) facts = hyb_quantised_facts_new (diagnosis->graph);

  if (!facts)
    return;
  report_layers (diagnosis, facts);
  report_floats (diagnosis, facts);
  report_cut_sums (diagnosis, facts);
}
