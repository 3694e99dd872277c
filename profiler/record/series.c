/* series.c — what was measured of one subject: memory, and which samples make the estimate.
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

double *
prof_series_dup_undisturbed (const ProfSeries *series, guint *n, ProfDisturbance *disturbance)
{
  const ProfSampleFacts *facts = series->clean_facts->len == series->clean->len
                                     ? (gconstpointer) series->clean_facts->data
                                     : NULL;
  g_autofree guint      *index = g_new (guint, MAX (series->clean->len, 1));
  double                *kept = g_new (double, MAX (series->clean->len, 1));

  *n = prof_select_undisturbed (&facts, 1, series->clean->len, index, disturbance);
  for (guint i = 0; i < *n; i++)
    kept[i] = g_array_index (series->clean, double, index[i]);
  return kept;
}

ProfPairs *
prof_series_pairs (const ProfSeries *a, const ProfSeries *b)
{
  return prof_pairs_undisturbed (&(ProfPairs){ .a = (gconstpointer) a->clean->data,
                                               .b = (gconstpointer) b->clean->data,
                                               .build = (gconstpointer) b->build->data,
                                               .n = MIN (a->clean->len, b->clean->len) },
                                 (gconstpointer) a->clean_facts->data,
                                 (gconstpointer) b->clean_facts->data);
}
