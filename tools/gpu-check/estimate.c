/* estimate.c — by the ranks of the sorted times, so that nothing is assumed of their distribution.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/estimate.h"

#include <math.h>

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

CheckEstimate
check_estimate (GArray *seconds)
{
  const double *x = (const double *) (gpointer) seconds->data;
  int           n = (int) seconds->len, reach = (int) ceil (0.98 * sqrt (n));

  g_array_sort (seconds, compare);
  return (CheckEstimate){ (x[(n - 1) / 2] + x[n / 2]) / 2, x[MAX ((n - 1) / 2 - reach, 0)],
                          x[MIN (n / 2 + reach, n - 1)] };
}
