/* clock.h — the one clock of all measurements on the CPU.
 *
 * CLOCK_MONOTONIC through the vDSO: about 30 ns a reading, steps of 1 ns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <time.h>

static inline guint64
prof_clock_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (guint64) now.tv_sec * G_GUINT64_CONSTANT (1000000000) + (guint64) now.tv_nsec;
}

/* What one reading costs here, in ns: the smallest of several averages. */
double prof_clock_cost (void);

/* A sample shorter than this says more about the clock than about the work. */
double prof_clock_min_sample_ns (void);
