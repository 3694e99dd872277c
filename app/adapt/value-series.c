/* value-series.c — what one output of an operator gave, run after run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/value-series.h"

#include <math.h>

ScopeValueSeries *
scope_value_series_new (guint most)
{
  ScopeValueSeries *series = g_new0 (ScopeValueSeries, 1);

  series->most = most;
  series->each = 1;
  if (most > 0)
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

/* The bin of a value between the two bounds. */
static guint
bin_of (const HybStatistics *bounds, double value)
{
  double share = (value - bounds->minimum) / (bounds->maximum - bounds->minimum);

  /* Bounds as far apart as double goes give no share at all. */
  return share > 0 ? MIN ((guint) (share * SCOPE_VALUE_BINS), SCOPE_VALUE_BINS - 1) : 0;
}

/* Numbers that are counted together. */
#define BLOCK 256

static void
measure (const HybTensor *tensor, const ScopeStepPath *step, ScopeValueStep *found)
{
  gint64 n = hyb_tensor_get_size (tensor), n_read;
  double values[BLOCK];

  *found = (ScopeValueStep){ .first = *step, .last = *step };
  hyb_tensor_statistics (tensor, &found->statistics);
  found->n_finite = (double) (n - found->statistics.n_nan - found->statistics.n_infinite);
  if (!(found->statistics.maximum > found->statistics.minimum))
    return;
  for (gint64 i = 0; (n_read = hyb_tensor_get_values (tensor, i, BLOCK, values)) > 0; i += n_read)
    for (gint64 k = 0; k < n_read; k++)
      if (isfinite (values[k]))
        found->bins[bin_of (&found->statistics, values[k])]++;
}

/* --- Several as one --- */

/* Counts of from in the bins of to, whose bounds are wider. */
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

/* Squares of the distances from another mean than its own. */
static double
squares_around (const ScopeValueStep *step, double mean)
{
  double away = step->statistics.mean - mean;

  return step->n_finite == 0
             ? 0
             : step->n_finite *
                   (step->statistics.deviation * step->statistics.deviation + away * away);
}

/* a and, right behind it, b. */
static ScopeValueStep
join (const ScopeValueStep *a, const ScopeValueStep *b)
{
  const HybStatistics *x = &a->statistics, *y = &b->statistics;
  ScopeValueStep       both = { .first = a->first, .last = b->last };
  HybStatistics       *sum = &both.statistics;

  both.n_finite = a->n_finite + b->n_finite;
  *sum = a->n_finite > 0 ? *x : *y;
  sum->n_nan = x->n_nan + y->n_nan;
  sum->n_infinite = x->n_infinite + y->n_infinite;
  if (a->n_finite > 0 && b->n_finite > 0)
    {
      sum->minimum = MIN (x->minimum, y->minimum);
      sum->maximum = MAX (x->maximum, y->maximum);
      sum->mean = (x->mean * a->n_finite + y->mean * b->n_finite) / both.n_finite;
      sum->deviation =
          sqrt ((squares_around (a, sum->mean) + squares_around (b, sum->mean)) / both.n_finite);
    }
  add_bins (a, &both);
  add_bins (b, &both);
  return both;
}

static void
halve (ScopeValueSeries *series)
{
  ScopeValueStep *steps = (ScopeValueStep *) (gpointer) series->steps->data;

  for (guint i = 0; i < series->steps->len / 2; i++)
    steps[i] = join (&steps[2 * i], &steps[2 * i + 1]);
  g_array_set_size (series->steps, series->steps->len / 2);
  series->each *= 2;
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
  if (series->steps->len > 0 && series->in_last < series->each)
    {
      ScopeValueStep *last = &g_array_index (series->steps, ScopeValueStep, series->steps->len - 1);

      *last = join (last, &series->latest);
      series->in_last++;
      return;
    }
  if (series->steps->len == series->most)
    halve (series);
  g_array_append_val (series->steps, series->latest);
  series->in_last = 1;
}

/* --- Looking --- */

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
