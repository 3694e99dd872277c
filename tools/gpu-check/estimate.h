/* estimate.h — the median of measurements, with an interval.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Fewer give no interval. */
#define CHECK_MIN_RUNS 20

/* A median with the ends of its interval, which holds the true one in 95 of 100 cases; seconds. */
typedef struct
{
  double median, low, high;
} CheckEstimate;

/* Sorts the seconds, which are of the type double; at least one. */
CheckEstimate check_estimate (GArray *seconds);
