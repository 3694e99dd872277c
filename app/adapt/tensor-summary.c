/* tensor-summary.c — sums up a tensor part by part.
 *
 * hyb_tensor_statistics() computes the statistics of a part; scope_statistics_merge() adds them up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/tensor-summary.h"

#include <math.h>

/* Elements of a part: few enough to stay in the cache, since statistics read them twice. */
#define PART ((gint64) 1 << 16)

/* Elements converted to double at a time. */
#define BLOCK 256

/* --- Searching --- */

/* The index of the first element from `from` on, before end, that is not finite; -1: none. */
static gint64
find_bad_before (const HybTensor *tensor, gint64 from, gint64 end)
{
  double values[BLOCK];
  gint64 n;

  for (gint64 i = from; i < end; i += n)
    {
      n = hyb_tensor_get_values (tensor, i, MIN (BLOCK, end - i), values);
      if (n < 1)
        break;
      for (gint64 k = 0; k < n; k++)
        if (!isfinite (values[k]))
          return i + k;
    }
  return -1;
}

gint64
scope_tensor_find_bad (const HybTensor *tensor, gint64 from, GCancellable *cancellable)
{
  gint64 size = hyb_tensor_get_size (tensor);

  for (gint64 i = MAX (from, 0); i < size; i += PART)
    {
      gint64 found = find_bad_before (tensor, i, MIN (i + PART, size));

      if (found >= 0)
        return found;
      if (g_cancellable_is_cancelled (cancellable))
        return -1;
    }
  return -1;
}

static gint64
find_value (const HybTensor *tensor, gint64 from, double value)
{
  gint64 size = hyb_tensor_get_size (tensor);

  for (gint64 i = from; i < size; i++)
    if (hyb_tensor_get_value (tensor, i) == value)
      return i;
  return -1;
}

/* --- Statistics --- */

static gint64
count_zeros (const HybTensor *tensor)
{
  double values[BLOCK];
  gint64 n, n_zeros = 0;

  for (gint64 i = 0; (n = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n)
    for (gint64 k = 0; k < n; k++)
      n_zeros += values[k] == 0;
  return n_zeros;
}

/* Sum of squared deviations from another mean: n (σ² + (own mean - mean)²). */
static double
squares_around (const HybStatistics *part, double n, double mean)
{
  double offset = part->mean - mean;

  return n * (part->deviation * part->deviation + offset * offset);
}

void
scope_statistics_merge (HybStatistics *sum, double n_before, const HybStatistics *part, double n)
{
  HybStatistics merged = *sum;

  if (n_before == 0)
    merged = *part;
  else if (n > 0)
    {
      merged.minimum = MIN (sum->minimum, part->minimum);
      merged.maximum = MAX (sum->maximum, part->maximum);
      merged.mean = sum->mean + (part->mean - sum->mean) * (n / (n_before + n));
      merged.deviation = sqrt (
          (squares_around (sum, n_before, merged.mean) + squares_around (part, n, merged.mean)) /
          (n_before + n));
    }
  merged.n_nan = sum->n_nan + part->n_nan;
  merged.n_infinite = sum->n_infinite + part->n_infinite;
  *sum = merged;
}

/* Adds the elements of a part, which begins at an index.  n_finite: (inout) of the parts before. */
static void
add_part (ScopeSummary *summary, HybTensor *part, gint64 begin, double *n_finite)
{
  const HybStatistics before = summary->statistics;
  HybStatistics       own;
  gint64              n_bad;

  hyb_tensor_statistics (part, &own);
  n_bad = own.n_nan + own.n_infinite;
  summary->n_zeros += count_zeros (part);
  if (n_bad > 0 && summary->first_bad < 0)
    summary->first_bad = begin + scope_tensor_find_bad (part, 0, NULL);
  /* Each is also false for NaN, and true for the first finite part. */
  if (own.minimum <= own.maximum && !(before.minimum <= own.minimum))
    summary->smallest = begin + find_value (part, 0, own.minimum);
  if (own.minimum <= own.maximum && !(before.maximum >= own.maximum))
    summary->largest = begin + find_value (part, 0, own.maximum);
  scope_statistics_merge (&summary->statistics, *n_finite, &own,
                          (double) (hyb_tensor_get_size (part) - n_bad));
  *n_finite += (double) (hyb_tensor_get_size (part) - n_bad);
}

gboolean
scope_summary_compute (ScopeSummary *summary, HybTensor *tensor, GCancellable *cancellable)
{
  HybDType dtype = hyb_tensor_get_dtype (tensor);
  double   n_finite = 0;

  *summary = (ScopeSummary){ .statistics = { NAN, NAN, NAN, NAN, 0, 0 },
                             .size = hyb_tensor_get_size (tensor),
                             .smallest = -1,
                             .largest = -1,
                             .first_bad = -1 };
  for (gint64 i = 0; i < summary->size; i += PART)
    {
      HybType type = { hyb_shape_1d (MIN (PART, summary->size - i)), dtype };
      g_autoptr (HybTensor) part =
          hyb_tensor_new_view (tensor, &type, (gsize) i * hyb_dtype_size (dtype));

      add_part (summary, part, i, &n_finite);
      if (g_cancellable_is_cancelled (cancellable))
        return FALSE;
    }
  return TRUE;
}

double
scope_summary_scale (const HybStatistics *statistics)
{
  double largest = MAX (fabs (statistics->minimum), fabs (statistics->maximum));
  double typical = fabs (statistics->mean) + 3 * statistics->deviation;

  return typical > 0 ? MIN (largest, typical) : largest;
}

/* --- Histogram --- */

gboolean
scope_summary_count (ScopeSummary *summary, HybTensor *tensor, GCancellable *cancellable)
{
  double low = summary->statistics.minimum, width = summary->statistics.maximum - low;
  double values[BLOCK];
  gint64 n;

  for (guint bin = 0; bin < SCOPE_SUMMARY_BINS; bin++)
    summary->bins[bin] = 0;
  if (!(width > 0))
    return TRUE;
  for (gint64 i = 0; (n = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n)
    {
      if (i % PART == 0 && g_cancellable_is_cancelled (cancellable))
        return FALSE;
      for (gint64 k = 0; k < n; k++)
        if (isfinite (values[k]))
          {
            double share = (values[k] - low) / width; /* 0 if width overflows */

            summary->bins[MIN ((guint) (share * SCOPE_SUMMARY_BINS), SCOPE_SUMMARY_BINS - 1)]++;
          }
    }
  return TRUE;
}

/* --- Differences --- */

static double
distance (double a, double b)
{
  if (a == b || (isnan (a) && isnan (b)))
    return 0;
  return isnan (a) || isnan (b) ? INFINITY : fabs (a - b);
}

gboolean
scope_difference_compute (ScopeDifference *difference,
                          const HybTensor *a,
                          const HybTensor *b,
                          GCancellable    *cancellable)
{
  double values[2][BLOCK], sum = 0;
  gint64 n, n_finite = 0;

  *difference = (ScopeDifference){ .where = -1 };
  for (gint64 i = 0; (n = hyb_tensor_get_values (a, i, BLOCK, values[0])) > 0; i += n)
    {
      n = MIN (n, hyb_tensor_get_values (b, i, n, values[1]));
      if (n < 1)
        break;
      if (i % PART == 0 && g_cancellable_is_cancelled (cancellable))
        return FALSE;
      for (gint64 k = 0; k < n; k++)
        {
          double apart = distance (values[0][k], values[1][k]);

          difference->n_different += apart > 0;
          if (apart > difference->largest)
            {
              difference->largest = apart;
              difference->where = i + k;
            }
          if (isfinite (apart))
            {
              sum += apart;
              n_finite++;
            }
        }
    }
  difference->mean = n_finite > 0 ? sum / (double) n_finite : NAN;
  return TRUE;
}
