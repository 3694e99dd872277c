/* series.c — the measurements of one subject: memory, and the selection of samples.
 *
 * prof_measure() fills series (measure.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/series.h"

#include <math.h>

void
prof_series_init (ProfSeries *series)
{
  *series = (ProfSeries){
    .first = NAN,
    .warm = g_array_new (FALSE, FALSE, sizeof (double)),
    .clean = g_array_new (FALSE, FALSE, sizeof (double)),
    .clean_facts = g_array_new (FALSE, FALSE, sizeof (ProfSampleFacts)),
    .traced_facts = g_array_new (FALSE, FALSE, sizeof (ProfSampleFacts)),
    .build = g_array_new (FALSE, FALSE, sizeof (guint)),
    .device = g_array_new (FALSE, FALSE, sizeof (double)),
    .traced = g_array_new (FALSE, FALSE, sizeof (double)),
    .cut_seconds = NAN,
    .copy_rate = NAN,
    .clock_rate = NAN,
    .inner = 1,
    .exact = PROF_NO_RUN,
  };
}

void
prof_series_clear (ProfSeries *series)
{
  g_clear_pointer (&series->warm, g_array_unref);
  g_clear_pointer (&series->clean, g_array_unref);
  g_clear_pointer (&series->clean_facts, g_array_unref);
  g_clear_pointer (&series->traced_facts, g_array_unref);
  g_clear_pointer (&series->build, g_array_unref);
  g_clear_pointer (&series->traced, g_array_unref);
  g_clear_pointer (&series->device, g_array_unref);
  g_clear_pointer (&series->recorder, prof_recorder_free);
  g_clear_pointer (&series->device_trace, g_free);
  g_clear_pointer (&series->device_problem, g_free);
}

/* Facts about the clean samples; NULL: not known. */
static const ProfSampleFacts *
find_clean_facts (const ProfSeries *series)
{
  return series->clean_facts->len == series->clean->len ? (gconstpointer) series->clean_facts->data
                                                        : NULL;
}

double *
prof_series_dup_undisturbed (const ProfSeries *series, guint *n, ProfDisturbance *disturbance)
{
  const ProfSampleFacts *facts = find_clean_facts (series);
  g_autofree guint      *index = g_new (guint, MAX (series->clean->len, 1));
  double                *kept = g_new (double, MAX (series->clean->len, 1));

  *n = prof_select_undisturbed (&facts, 1, series->clean->len, index, disturbance);
  for (guint i = 0; i < *n; i++)
    kept[i] = g_array_index (series->clean, double, index[i]);
  return kept;
}

ProfComparison *
prof_series_compare (const ProfSeries *series, guint n)
{
  g_autofree ProfRuns *runs = g_new (ProfRuns, n);

  for (guint i = 0; i < n; i++)
    runs[i] = (ProfRuns){ .seconds = (gconstpointer) series[i].clean->data,
                          .facts = find_clean_facts (&series[i]),
                          .build = (gconstpointer) series[i].build->data,
                          .n = MIN (series[i].clean->len, series[i].build->len) };
  return prof_comparison_new (runs, n, TRUE);
}
