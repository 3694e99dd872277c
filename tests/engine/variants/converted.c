/* converted.c — converts models in tests, with proofs, and counts what is in them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/variants/converted.h"

#include "engine/variants/proof/prove.h"

#include <string.h>

HybVariant *
converted_new (HybModel *model, HybForm form, HybTensorList *input)
{
  HybConvertOptions options = { .form = form, .input = input };
  g_autoptr (GError) error = NULL;
  HybVariant     *variant = hyb_variant_convert (model, &options, &error);
  HybProveOptions proving = { .input = input, .variant = variant };
  g_auto (HybProof) proof = { 0 };

  g_assert_no_error (error);
  if (!variant)
    return NULL;
  g_assert_true (hyb_prove (model, variant->model, &proving, &proof, &error));
  g_assert_no_error (error);
  g_assert_true (proof.ok);
  g_assert_true (proof.gradients);
  return variant;
}

guint
converted_count_nodes (HybModel *model, const char *type)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += strcmp (hyb_graph_get_node (graph, id)->type, type) == 0;
  return n;
}
