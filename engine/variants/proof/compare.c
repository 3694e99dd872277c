/* compare.c — compares two arrays element by element.
 *
 * Start at tolerance_of().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/compare.h"

#include <float.h>
#include <math.h>

/* How much of the rounding of a run in float32 the same run in float64 may show. */
#define ROUNDING_IN_DOUBLE 1e-3

/* The largest finite magnitude of `n` elements. */
static double
largest (HybTensor *tensor, gint64 first, gint64 n)
{
  double most = 0;

  for (gint64 i = first; i < first + n; i++)
    {
      double value = fabs (hyb_tensor_get_value (tensor, i));

      if (isfinite (value))
        most = fmax (most, value);
    }
  return most;
}

static gint64
row_size (HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);

  return shape->rank > 0 ? MAX (shape->dim[shape->rank - 1], 1) : 1;
}

static double
difference_of (double x, double y)
{
  double difference = x == y || (isnan (x) && isnan (y)) ? 0 : fabs (x - y);

  return isfinite (difference) ? difference : INFINITY;
}

/* The rounding of the models' types that element i shows. */
static double
rounding_of (const HybComparison *comparison, gint64 i, double x, double y)
{
  double a, b;

  if (!comparison->own[0])
    return 0;
  a = difference_of (hyb_tensor_get_value (comparison->own[0], i), x);
  b = difference_of (hyb_tensor_get_value (comparison->own[1], i), y);
  return isfinite (a) && isfinite (b) ? ROUNDING_IN_DOUBLE * (a + b) : 0;
}

/* How much two elements may differ.  around: the largest magnitude that surrounds them. */
static double
tolerance_of (const HybComparison *comparison, gint64 i, double around)
{
  double x = hyb_tensor_get_value (comparison->a, i), y = hyb_tensor_get_value (comparison->b, i);

  return comparison->relative * fmax (fabs (x), fabs (y)) +
         comparison->absolute * (comparison->offset + around) + rounding_of (comparison, i, x, y);
}

/* By how much the difference of two elements is too large; 0 or less: it is not. */
static double
excess_of (const HybComparison *comparison, gint64 i, double around)
{
  double difference = difference_of (hyb_tensor_get_value (comparison->a, i),
                                     hyb_tensor_get_value (comparison->b, i));

  return isinf (difference) ? INFINITY : difference - tolerance_of (comparison, i, around);
}

static gboolean
has_same_type (const HybComparison *comparison)
{
  return hyb_shape_equal (hyb_tensor_get_shape (comparison->a),
                          hyb_tensor_get_shape (comparison->b)) &&
         (comparison->any_type ||
          hyb_tensor_get_dtype (comparison->a) == hyb_tensor_get_dtype (comparison->b));
}

/* The scale of what surrounds element i, which changes at the beginning of a row. */
static void
update_scale (const HybComparison *comparison, gint64 i, double *around)
{
  gint64 n = comparison->by_rows ? row_size (comparison->a) : hyb_tensor_get_size (comparison->a);

  if (i % MAX (n, 1) == 0)
    *around = largest (comparison->a, i, n);
}

gboolean
hyb_comparison_fits (const HybComparison *comparison)
{
  double around = 0;

  if (!has_same_type (comparison))
    return FALSE;
  for (gint64 i = 0; i < hyb_tensor_get_size (comparison->a); i++)
    {
      update_scale (comparison, i, &around);
      if (excess_of (comparison, i, around) > 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_comparison_same_finite (const HybComparison *comparison)
{
  if (!has_same_type (comparison))
    return FALSE;
  for (gint64 i = 0; i < hyb_tensor_get_size (comparison->a); i++)
    {
      double x = hyb_tensor_get_value (comparison->a, i);
      double y = hyb_tensor_get_value (comparison->b, i);

      if (isfinite (x) != isfinite (y) || isnan (x) != isnan (y) ||
          (isinf (x) && (x > 0) != (y > 0)))
        return FALSE;
    }
  return TRUE;
}

static void
record_worst (HybProof *proof, const HybComparison *comparison, gint64 index)
{
  g_free (proof->worst_output);
  proof->worst_output = g_strconcat (comparison->prefix, comparison->name, NULL);
  proof->worst_index = index;
}

/* (transfer full) */
static char *
describe_type (HybTensor *tensor)
{
  g_autofree char *shape = hyb_shape_to_string (hyb_tensor_get_shape (tensor));

  return g_strdup_printf ("%s %s", hyb_dtype_name (hyb_tensor_get_dtype (tensor)), shape);
}

static void
record_types (HybProof *proof, const HybComparison *comparison)
{
  g_autofree char *a = describe_type (comparison->a), *b = describe_type (comparison->b);

  g_free (proof->difference);
  proof->difference =
      g_strdup_printf ("%s%s is %s and %s", comparison->prefix, comparison->name, a, b);
  proof->verdict = HYB_PROOF_DIFFERENT;
  proof->max_abs = proof->max_rel = INFINITY;
  record_worst (proof, comparison, -1);
}

/* A difference that is too large is worse than any that is not. */
static void
record_difference (HybProof            *proof,
                   const HybComparison *comparison,
                   gint64               i,
                   gboolean             is_too_large)
{
  double scale = largest (comparison->a, 0, hyb_tensor_get_size (comparison->a));
  double difference = difference_of (hyb_tensor_get_value (comparison->a, i),
                                     hyb_tensor_get_value (comparison->b, i));

  if (difference > proof->max_abs || (is_too_large && proof->verdict != HYB_PROOF_DIFFERENT))
    {
      proof->max_abs = difference;
      record_worst (proof, comparison, i);
    }
  proof->max_rel = fmax (proof->max_rel, difference / fmax (scale, DBL_MIN * 1e10));
  if (is_too_large)
    proof->verdict = HYB_PROOF_DIFFERENT;
}

gint64
hyb_comparison_record (const HybComparison *comparison, HybProof *proof)
{
  gint64 n_compared = 0, worst = -1;
  double around = 0, most = 0, worst_excess = 0;
  gint64 largest_index = -1;

  if (!has_same_type (comparison))
    {
      record_types (proof, comparison);
      return 0;
    }
  for (gint64 i = 0; i < hyb_tensor_get_size (comparison->a); i++)
    {
      double x = hyb_tensor_get_value (comparison->a, i);
      double y = hyb_tensor_get_value (comparison->b, i);
      double difference = difference_of (x, y), excess;

      update_scale (comparison, i, &around);
      if (isnan (x) && isnan (y))
        {
          proof->n_not_numbers++;
          continue;
        }
      n_compared++;
      excess = excess_of (comparison, i, around);
      if (excess > worst_excess)
        {
          worst_excess = excess;
          worst = i;
        }
      if (difference > most)
        {
          most = difference;
          largest_index = i;
        }
    }
  if (worst >= 0)
    record_difference (proof, comparison, worst, TRUE);
  else if (largest_index >= 0)
    record_difference (proof, comparison, largest_index, FALSE);
  return n_compared;
}
