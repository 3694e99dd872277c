/* diagnose-layout.c — the rule about parameters whose axes are in the order of another program.
 *
 * layout.c finds them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"
#include "engine/doctor/layout.h"

static HybFinding *
report (HybDiagnosis *diagnosis, const HybLayoutFix *fix)
{
  HybNodeId   id = hyb_graph_find_variable (diagnosis->graph, fix->name);
  HybFinding *finding;

  if (fix->is_permuted)
    finding =
        hyb_diagnosis_report (diagnosis,
                              &(DiagnosisIssue){
                                  HYB_SEVERITY_ERROR, "transposed", id,
                                  _ ("All fit when their axes are exchanged: Keras and TensorFlow "
                                     "store dense "
                                     "weights as (in, out) and filters with channels last") },
                              _ ("weights have their axes in another order than the graph needs"));
  else
    finding = hyb_diagnosis_report (
        diagnosis,
        &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "extra-axis", id,
                           _ ("All fit when axes of length one are removed or "
                              "added, which changes no value") },
        _ ("arrays have more or fewer axes of length one than the graph needs"));
  finding->remedy = HYB_REMEDY_REPAIR;
  return finding;
}

void
hyb_diagnose_layouts (HybDiagnosis *diagnosis)
{
  g_autoptr (GArray) fixes = hyb_layout_find (diagnosis->model);
  HybFinding *findings[2] = { NULL };
  guint       next = 0;

  /* Fixes are in the order of the variables. */
  for (guint i = 0; i < diagnosis->n_variables && next < fixes->len; i++)
    {
      const HybLayoutFix *fix = &g_array_index (fixes, HybLayoutFix, next);
      HybFinding        **finding = &findings[fix->is_permuted ? 1 : 0];
      g_autofree char    *expected = NULL, *got = NULL;

      if (hyb_diagnosis_variable (diagnosis, i)->name != fix->name)
        continue;
      expected = hyb_shape_to_json (&fix->shape);
      got = hyb_shape_to_json (&diagnosis->shapes[i]);
      if (!*finding)
        *finding = report (diagnosis, fix);
      hyb_finding_add_item (*finding, fix->name, expected, got);
      diagnosis->shapes[i] = fix->shape;
      next++;
    }
}
