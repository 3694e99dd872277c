/* time-limit.c — how the time for a measurement is divided between its phases.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure.h"

#include <math.h>

#define CLEAN_SHARE  0.7 /* least share of the time for warm-up and clean runs, if others follow */
#define WATCHED_COST 1.5 /* of a counted or traced run, in clean ones */

double
prof_measure_clean_limit (const ProfMeasureOptions *options,
                          const ProfSeries         *series,
                          guint                     n,
                          double                    seconds)
{
  double watched = 0;

  for (guint i = 0; i < n; i++)
    {
      const GArray *warm = series[i].warm;
      double one = warm->len > 0 ? g_array_index (warm, double, warm->len - 1) : series[i].first;
      guint  n_counted = options->counters ? MAX (series[i].inner, PROF_MIN_COUNTED) : 0;
      guint  n_traced = options->traced > 0 ? options->traced + 1 : 0;

      if (isfinite (one))
        watched += one * (n_counted + n_traced);
    }
  return seconds - MIN (WATCHED_COST * watched, (1 - CLEAN_SHARE) * seconds);
}
