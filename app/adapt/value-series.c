/* value-series.c — statistics of one output of an operator, run after run.
 *
 * Start at scope_value_series_add().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/value-series.h"

#include "app/adapt/tensor-summary.h"

#include <math.h>

ScopeValueSeries *
scope_value_series_new (guint max_steps)
{
  ScopeValueSeries *series = g_new0 (ScopeValueSeries, 1);

  series->max_steps = max_steps;
  series->runs_per_step = 1;
  if (max_steps > 0)
    series->steps = g_array_new (FALSE, FALSE, sizeof (ScopeValueStep));
  return series;
}

void
scope_value_series_free (ScopeValueSeries *series)
{
  g_clear_pointer (&series->steps, g_array_unref);
  g_free (series);
}

/* --- One run --- */

/* The bin of a value between minimum and maximum. */
static guint
bin_of (const HybStatistics *bounds, double value)
{
  double share = (value - bounds->minimum) / (bounds->maximum - bounds->minimum);

  /* share is NaN if maximum - minimum overflows. */
  return share > 0 ? MIN ((guint) (share * SCOPE_VALUE_BINS), SCOPE_VALUE_BINS - 1) : 0;
}

/* Elements converted to double at a time. */
#define BLOCK 256

/* Computes statistics and histogram of one run. */
static void
measure (const HybTensor *tensor, const ScopeStepPath *step, ScopeValueStep *result)
{
  gint64 n = hyb_tensor_get_size (tensor), n_read;
  double values[BLOCK];

  *result = (ScopeValueStep){ .first = *step, .last = *step };
  hyb_tensor_statistics (tensor, &result->statistics);
  result->n_finite = (double) (n - result->statistics.n_nan - result->statistics.n_infinite);
  if (!(result->statistics.maximum > result->statistics.minimum))
    return;
  for (gint64 i = 0; (n_read = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n_read)
    for (gint64 k = 0; k < n_read; k++)
      if (isfinite (values[k]))
        result->bins[bin_of (&result->statistics, values[k])]++;
}

/* --- Merging --- */

/* Adds the histogram of from to the bins of to, which has wider bounds.  A bin is added where its
 * middle lies. */
static void
add_bins (const ScopeValueStep *from, ScopeValueStep *to)
{
  double low = from->statistics.minimum, width = from->statistics.maximum - low;

  if (!(to->statistics.maximum > to->statistics.minimum) || from->n_finite == 0)
    return;
  if (!(width > 0))
    to->bins[bin_of (&to->statistics, low)] += (float) from->n_finite;
  for (guint i = 0; width > 0 && i < SCOPE_VALUE_BINS; i++)
    to->bins[bin_of (&to->statistics, low + (i + 0.5) * width / SCOPE_VALUE_BINS)] += from->bins[i];
}

/* The statistics of a and the step that follows it, b, together. */
static ScopeValueStep
merge (const ScopeValueStep *a, const ScopeValueStep *b)
{
  ScopeValueStep merged = { .first = a->first,
                            .last = b->last,
                            .statistics = a->statistics,
                            .n_finite = a->n_finite + b->n_finite };

  scope_statistics_merge (&merged.statistics, a->n_finite, &b->statistics, b->n_finite);
  add_bins (a, &merged);
  add_bins (b, &merged);
  return merged;
}

/* Merges pairs, which halves the number of steps. */
static void
merge_pairs (ScopeValueSeries *series)
{
  ScopeValueStep *steps = (ScopeValueStep *) (gpointer) series->steps->data;

  for (guint i = 0; i < series->steps->len / 2; i++)
    steps[i] = merge (&steps[2 * i], &steps[2 * i + 1]);
  g_array_set_size (series->steps, series->steps->len / 2);
  series->runs_per_step *= 2;
}

void
scope_value_series_add (ScopeValueSeries    *series,
                        const ScopeStepPath *step,
                        const HybTensor     *tensor)
{
  measure (tensor, step, &series->latest);
  series->shape = *hyb_tensor_get_shape (tensor);
  series->n_runs++;
  if (!series->steps)
    return;
  if (series->steps->len > 0 && series->n_runs_in_last < series->runs_per_step)
    {
      ScopeValueStep *last = &g_array_index (series->steps, ScopeValueStep, series->steps->len - 1);

      *last = merge (last, &series->latest);
      series->n_runs_in_last++;
      return;
    }
  if (series->steps->len == series->max_steps)
    merge_pairs (series);
  g_array_append_val (series->steps, series->latest);
  series->n_runs_in_last = 1;
}

/* --- Access --- */

const ScopeValueStep *
scope_value_series_find (const ScopeValueSeries *series, const ScopeStepPath *step, guint *index)
{
  for (guint i = series->steps ? series->steps->len : 0; i-- > 0;)
    {
      const ScopeValueStep *found = &g_array_index (series->steps, ScopeValueStep, i);

      if (scope_step_path_compare (&found->first, step) > 0 ||
          scope_step_path_compare (&found->last, step) < 0)
        continue;
      if (index)
        *index = i;
      return found;
    }
  return NULL;
}

char *
scope_value_step_name (const ScopeValueStep *step)
{
  g_autofree char *first = scope_step_path_to_string (&step->first);
  g_autofree char *last = scope_step_path_to_string (&step->last);

  return g_strcmp0 (first, last) == 0 ? g_steal_pointer (&first)
                                      : g_strconcat (first, " – ", last, NULL);
}
