/* model-forms.c — the doctor, the converter and the proof for programs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/model-forms.h"

#include "engine/base/error.h"
#include "engine/doctor/diagnose.h"
#include "engine/variants/proof/prove.h"
#include "engine/variants/variant.h"

/* The types that inputs usually have, by value, as far as the model says them. */
static void
fill_types (HybModel *model, HybType *types)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      const HybType *type = hyb_model_get_input_type (model, node->name);

      if (type)
        types[node->first_output] = *type;
    }
}

GPtrArray *
hyb_model_check (HybModel *model)
{
  HybGraph *graph;

  g_return_val_if_fail (model, NULL);
  graph = hyb_model_get_graph (model);
  if (graph)
    {
      g_autofree HybType *types = hyb_diagnose_new_types (graph);

      fill_types (model, types);
      hyb_diagnose (model, types);
    }
  return hyb_model_get_findings (model);
}

/* Turns the result of a comparison into an error unless both models are equal. */
static gboolean
require_equal (const HybProof *proof, GError **error)
{
  const char *gap = proof->gaps && proof->gaps->len > 0 ? proof->gaps->pdata[0] : "";

  if (proof->ok)
    return TRUE;
  if (proof->verdict == HYB_PROOF_OPEN)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                         "Give inputs that reach it",
                         "no difference was found, but not everything was reached: %s", gap);
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, proof->worst_output, NULL,
                       "the models differ%s%s; the largest difference is %g, the tolerance %g",
                       proof->difference ? ": " : "", proof->difference ? proof->difference : "",
                       proof->max_abs, proof->tolerance);
}

HybModel *
hyb_model_convert (HybModel *model, const char *form, HybTensorList *inputs, GError **error)
{
  HybConvertOptions options = { .input = inputs };
  HybProveOptions   prove = { .input = inputs };
  g_autoptr (HybVariant) variant = NULL;
  g_auto (HybProof) proof = { 0 };

  g_return_val_if_fail (model && form, NULL);
  if (!hyb_form_from_name (form, &options.form))
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                    "Choose unrolled, foreach, while or fused", "there is no form “%s”", form);
      return NULL;
    }
  variant = hyb_variant_convert (model, &options, error);
  prove.variant = variant;
  if (!variant || !hyb_prove (model, variant->model, &prove, &proof, error) ||
      !require_equal (&proof, error))
    return NULL;
  return hyb_model_ref (variant->model);
}

gboolean
hyb_model_prove (HybModel *a, HybModel *b, HybTensorList *inputs, GError **error)
{
  HybProveOptions options = { .input = inputs };
  g_auto (HybProof) proof = { 0 };

  g_return_val_if_fail (a && b, FALSE);
  return hyb_prove (a, b, &options, &proof, error) && require_equal (&proof, error);
}
