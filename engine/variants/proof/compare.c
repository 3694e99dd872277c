/* compare.c — compares two arrays element by element.
 *
 * Start at tolerance_of().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/compare.h"

#include <float.h>
#include <math.h>

/* Elements that are read at a time. */
#define BLOCK 256

/* Reads n elements as doubles; NaN if the array ends before. */
static void
read_values (const HybTensor *tensor, gint64 first, gint64 n, double *values)
{
  for (gint64 i = hyb_tensor_get_values (tensor, first, n, values); i < n; i++)
    values[i] = NAN;
}

/* The largest finite magnitude of `n` elements. */
static double
largest (const HybTensor *tensor, gint64 first, gint64 n)
{
  double most = 0, values[BLOCK];

  for (gint64 done = 0; done < n; done += BLOCK)
    {
      gint64 n_read = MIN (n - done, BLOCK);

      read_values (tensor, first + done, n_read, values);
      for (gint64 i = 0; i < n_read; i++)
        if (isfinite (values[i]))
          most = MAX (most, fabs (values[i]));
    }
  return most;
}

static gint64
row_size (HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);

  return shape->rank > 0 ? MAX (shape->dim[shape->rank - 1], 1) : 1;
}

/* --- One element of both arrays --- */

typedef struct
{
  const HybArrayComparison *comparison;
  double                    x, y;
  double                    own[2]; /* with other rounding, where that is compared */
  double                    around; /* the largest magnitude that surrounds it */
} Pair;

static double
difference_of (double x, double y)
{
  double difference = x == y || (isnan (x) && isnan (y)) ? 0 : fabs (x - y);

  return isfinite (difference) ? difference : INFINITY;
}

/* The rounding that the elements show. */
static double
rounding_of (const Pair *pair)
{
  double a, b;

  if (!pair->comparison->own[0])
    return 0;
  a = difference_of (pair->own[0], pair->x);
  b = difference_of (pair->own[1], pair->y);
  return isfinite (a) && isfinite (b) ? pair->comparison->rounding * (a + b) : 0;
}

/* How much the elements may differ. */
static double
tolerance_of (const Pair *pair)
{
  const HybArrayComparison *comparison = pair->comparison;

  return comparison->relative * MAX (fabs (pair->x), fabs (pair->y)) +
         comparison->absolute * (comparison->offset + pair->around) + rounding_of (pair);
}

/* By how much the difference is too large; 0 or less: it is not. */
static double
excess_of (const Pair *pair)
{
  double difference = difference_of (pair->x, pair->y);

  return isinf (difference) ? INFINITY : difference - tolerance_of (pair);
}

/* --- All elements, one after the other --- */

typedef struct
{
  const HybArrayComparison *comparison;
  gint64                    size;
  gint64                    index;   /* of the next element */
  gint64                    end;     /* of the elements that were read, up to BLOCK of them */
  gint64                    row_end; /* of the row that around is of */
  double                    around;
  double                    x[BLOCK], y[BLOCK], own[2][BLOCK];
} Walk;

static void
walk_begin (Walk *walk, const HybArrayComparison *comparison)
{
  walk->comparison = comparison;
  walk->size = hyb_tensor_get_size (comparison->a);
  walk->index = walk->end = walk->row_end = 0;
}

static void
read_block (Walk *walk)
{
  const HybArrayComparison *comparison = walk->comparison;
  gint64                    n = MIN (walk->size - walk->index, BLOCK);

  read_values (comparison->a, walk->index, n, walk->x);
  read_values (comparison->b, walk->index, n, walk->y);
  for (guint i = 0; i < 2 && comparison->own[0]; i++)
    read_values (comparison->own[i], walk->index, n, walk->own[i]);
  walk->end = walk->index + n;
}

/* The scale around an element changes at the beginning of a row. */
static void
enter_row (Walk *walk)
{
  gint64 n = walk->comparison->by_rows ? row_size (walk->comparison->a) : walk->size;

  walk->around = largest (walk->comparison->a, walk->index, n);
  walk->row_end = walk->index + n;
}

/* FALSE after the last element. */
static inline gboolean
walk_next (Walk *walk, Pair *pair)
{
  gint64 at;

  if (walk->index >= walk->size)
    return FALSE;
  if (walk->index == walk->end)
    read_block (walk);
  if (walk->index == walk->row_end)
    enter_row (walk);
  at = walk->index++ % BLOCK;
  *pair = (Pair){ walk->comparison, walk->x[at], walk->y[at], { 0, 0 }, walk->around };
  for (guint i = 0; i < 2 && walk->comparison->own[0]; i++)
    pair->own[i] = walk->own[i][at];
  return TRUE;
}

static gboolean
has_same_type (const HybArrayComparison *comparison)
{
  return hyb_shape_equal (hyb_tensor_get_shape (comparison->a),
                          hyb_tensor_get_shape (comparison->b)) &&
         (comparison->any_type ||
          hyb_tensor_get_dtype (comparison->a) == hyb_tensor_get_dtype (comparison->b));
}

gboolean
hyb_comparison_fits (const HybArrayComparison *comparison)
{
  Walk walk;
  Pair pair;

  if (!has_same_type (comparison))
    return FALSE;
  walk_begin (&walk, comparison);
  while (walk_next (&walk, &pair))
    if (excess_of (&pair) > 0)
      return FALSE;
  return TRUE;
}

gboolean
hyb_comparison_same_finite (const HybArrayComparison *comparison)
{
  Walk walk;
  Pair pair;

  if (!has_same_type (comparison))
    return FALSE;
  walk_begin (&walk, comparison);
  while (walk_next (&walk, &pair))
    if (isfinite (pair.x) != isfinite (pair.y) || isnan (pair.x) != isnan (pair.y) ||
        (isinf (pair.x) && (pair.x > 0) != (pair.y > 0)))
      return FALSE;
  return TRUE;
}

static void
record_worst (HybProof *proof, const HybArrayComparison *comparison, gint64 index)
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
record_types (HybProof *proof, const HybArrayComparison *comparison)
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
record_difference (HybProof                 *proof,
                   const HybArrayComparison *comparison,
                   gint64                    i,
                   gboolean                  is_too_large)
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
hyb_comparison_record (const HybArrayComparison *comparison, HybProof *proof)
{
  gint64 n_compared = 0, worst = -1;
  double most = 0, worst_excess = 0;
  gint64 largest_index = -1;
  Walk   walk;
  Pair   pair;

  if (!has_same_type (comparison))
    {
      record_types (proof, comparison);
      return 0;
    }
  walk_begin (&walk, comparison);
  while (walk_next (&walk, &pair))
    {
      double difference = difference_of (pair.x, pair.y), excess;

      if (isnan (pair.x) && isnan (pair.y))
        {
          proof->n_not_numbers++;
          continue;
        }
      n_compared++;
      excess = excess_of (&pair);
      /* Two maxima: an element beyond its tolerance is the one to report, even where a larger
       * difference is tolerated elsewhere. */
      if (excess > worst_excess)
        {
          worst_excess = excess;
          worst = walk.index - 1;
        }
      if (difference > most)
        {
          most = difference;
          largest_index = walk.index - 1;
        }
    }
  if (worst >= 0)
    record_difference (proof, comparison, worst, TRUE);
  else if (largest_index >= 0)
    record_difference (proof, comparison, largest_index, FALSE);
  return n_compared;
}
