/* row-sums-kernel.h — sums of products over a contiguous row: sum = sum_i x[i] y[i].
 *
 * Kernels that each-real.h compiles include this file; plain sums are in rows.h.  LANES partial
 * sums run in parallel, because one alone would wait for the latency of each addition; they are
 * combined in a fixed order, so that a row always gives the same sum.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LANES 8

static inline double
NAME (add_lanes) (const double lane[LANES])
{
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* Σ x ∘ y */
static inline double
NAME (row_product) (const REAL *x, const REAL *y, gint64 n)
{
  double lane[LANES] = { 0.0 };
  gint64 whole = n - n % LANES;

  for (gint64 i = 0; i < whole; i += LANES)
    for (int k = 0; k < LANES; k++)
      lane[k] += (double) x[i + k] * (double) y[i + k];
  for (gint64 i = whole; i < n; i++)
    lane[i - whole] += (double) x[i] * (double) y[i];

  return NAME (add_lanes) (lane);
}

/* Σ y ∘ (x − mean) */
static inline double
NAME (row_centred_product) (const REAL *x, REAL mean, const REAL *y, gint64 n)
{
  double lane[LANES] = { 0.0 };
  gint64 whole = n - n % LANES;

  for (gint64 i = 0; i < whole; i += LANES)
    for (int k = 0; k < LANES; k++)
      lane[k] += (double) (x[i + k] - mean) * (double) y[i + k];
  for (gint64 i = whole; i < n; i++)
    lane[i - whole] += (double) (x[i] - mean) * (double) y[i];

  return NAME (add_lanes) (lane);
}

#undef LANES
