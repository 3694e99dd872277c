/* clock.h — the clock of all measurements on the CPU.
 *
 * CLOCK_MONOTONIC through the vDSO: a reading takes about 30 ns, and the resolution is 1 ns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <time.h>

/* Nanoseconds since an arbitrary point in time. */
static inline guint64
prof_clock_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (guint64) now.tv_sec * G_GUINT64_CONSTANT (1000000000) + (guint64) now.tv_nsec;
}

/* The cost of one reading on this machine, in ns: the smallest of several averages, measured now. */
double prof_clock_cost (void);

/* The shortest sample worth taking, in ns: 100 times the cost of a reading. */
double prof_clock_min_sample_ns (void);
