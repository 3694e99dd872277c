/* other-parameters.c — reaches cases with other parameters that no input reaches with the stored ones.
 *
 * A loop that stops when its state has settled may stop early for all inputs, and with larger weights it does not.  Both
 * models are functions of their parameters, too, so that a comparison with others is as good.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/other-parameters.h"

#include "engine/variants/proof/compare.h"

#include <string.h>

static gboolean
is_same (HybTensor *a, HybTensor *b)
{
  return a == b ||
         (hyb_tensor_get_dtype (a) == hyb_tensor_get_dtype (b) &&
          hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)) &&
          memcmp (hyb_tensor_get_data (a), hyb_tensor_get_data (b), hyb_tensor_get_bytes (a)) == 0);
}

static HybTensor *
scale (HybTensor *tensor, double factor)
{
  HybTensor *copy = hyb_tensor_copy (tensor);

  for (gint64 i = 0; copy && i < hyb_tensor_get_size (copy); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (copy), hyb_tensor_get_dtype (copy), (gsize) i,
                          factor * hyb_tensor_get_value (tensor, i));
  return copy;
}

/* The values with the parameters that both models have, scaled.  NULL if a has none, or one that b does not have.
 * (transfer full) */
static HybTensorList *
with_parameters (HybModel *a, HybModel *b, HybTensorList *values, double factor)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  guint n = 0;

  for (guint i = 0; i < hyb_tensor_list_n (values); i++)
    hyb_tensor_list_set (list, hyb_tensor_list_get (values, i)->name,
                         hyb_tensor_list_get (values, i)->tensor);
  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *tensor = hyb_model_get_parameter (a, name);
      HybTensor  *other = hyb_model_get_parameter (b, name);
      g_autoptr (HybTensor) scaled = NULL;

      if (!hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)))
        continue;
      if (!other || !is_same (tensor, other))
        return NULL;
      scaled = scale (tensor, factor);
      if (!scaled)
        return NULL;
      hyb_tensor_list_set (list, name, scaled);
      n++;
    }
  return n > 0 ? g_steal_pointer (&list) : NULL;
}

static gboolean
agree (const HybProofSide *a, const HybProofSide *b, double tolerance)
{
  for (guint i = 0; i < a->n_heads; i++)
    {
      HybArrayComparison comparison = { .a = a->outputs->pdata[i],
                                        .b = b->outputs->pdata[i],
                                        .relative = tolerance,
                                        .absolute = tolerance };

      if (!hyb_comparison_fits (&comparison))
        return FALSE;
    }
  return TRUE;
}

guint
hyb_proof_try_parameters (HybProofSide *a, HybProofSide *b, HybTensorList *values, double tolerance)
{
  static const double factors[] = { 1.5, 0.5, 2, 0.25, 3, -1, 0 };
  guint               n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (factors) &&
                    (hyb_coverage_has_gaps (a->coverage) || hyb_coverage_has_gaps (b->coverage));
       i++)
    {
      g_autoptr (HybTensorList) list = with_parameters (a->model, b->model, values, factors[i]);
      g_autoptr (GBytes) in_a = hyb_coverage_save (a->coverage);
      g_autoptr (GBytes) in_b = hyb_coverage_save (b->coverage);

      if (!list)
        return n;
      if (hyb_proof_side_run_covered (a, list, NULL) &&
          hyb_proof_side_run_covered (b, list, NULL) && agree (a, b, tolerance))
        {
          n++;
          continue;
        }
      hyb_coverage_restore (a->coverage, in_a);
      hyb_coverage_restore (b->coverage, in_b);
    }
  return n;
}
