/* clock.c — measures the cost of a clock reading.
 *
 * The smallest of several batches counts, because a batch can be interrupted but not sped up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock.h"

#define N_BATCHES  7
#define N_READINGS 2000

double
prof_clock_cost (void)
{
  double smallest = G_MAXDOUBLE;

  for (guint batch = 0; batch < N_BATCHES; batch++)
    {
      guint64 begin = prof_clock_now ();
      guint64 end = begin;

      for (guint i = 0; i < N_READINGS; i++)
        end = prof_clock_now ();
      smallest = MIN (smallest, (double) (end - begin) / N_READINGS);
    }
  return smallest;
}

double
prof_clock_min_sample_ns (void)
{
  return 100 * prof_clock_cost ();
}
