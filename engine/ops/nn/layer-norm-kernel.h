/* layer-norm-kernel.h — the loops of layer-norm.c, for float and double.
 *
 * Data is (outer, length, inner), normalised along `length`: a row has `length` elements, `inner`
 * apart.  The case inner = 1 has loops of its own, which vectorise.  Sums are kept in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/row-sums-kernel.h"

/* Index of the first element of a row. */
static inline gint64
NAME (row_base) (const LayerNormArgs *args, gint64 row)
{
  return row / args->inner * args->length * args->inner + row % args->inner;
}

static void
NAME (row_statistics) (const REAL *x, gint64 n, gint64 step, double *mean, double *squares)
{
  double sum = 0.0, rest = 0.0;

  if (step == 1)
    {
      *squares = NAME (hyb_row_moments) (n, x, mean);
      return;
    }

  for (gint64 k = 0; k < n; k++)
    sum += (double) x[k * step];
  *mean = sum / (double) n;
  for (gint64 k = 0; k < n; k++)
    rest += ((double) x[k * step] - *mean) * ((double) x[k * step] - *mean);
  *squares = rest;
}

static void
NAME (normalise_rows) (gint64 begin, gint64 end, gpointer data)
{
  const LayerNormArgs *args = data;
  const REAL          *gamma = args->gamma;
  const REAL          *beta = args->beta;
  gint64               n = args->length, step = args->inner;

  for (gint64 row = begin; row < end; row++)
    {
      const REAL *x = (const REAL *) args->x + NAME (row_base) (args, row);
      REAL       *y = (REAL *) args->to + NAME (row_base) (args, row);
      double      exact, squares, deviation;
      REAL        mean, inverse;

      NAME (row_statistics) (x, n, step, &exact, &squares);
      deviation = sqrt (squares / (double) n + args->eps);
      mean = (REAL) exact;
      inverse = (REAL) (1.0 / deviation);
      ((REAL *) args->mean)[row] = mean;
      ((REAL *) args->deviation)[row] = (REAL) deviation;

      if (step == 1)
        {
          NAME (HybNormalisation) with = { mean, inverse, gamma, beta };

          NAME (hyb_row_normalise) (n, x, &with, y);
        }
      else
        for (gint64 k = 0; k < n; k++)
          y[k * step] = (x[k * step] - mean) * inverse * gamma[k] + beta[k];
    }
}

/* With x̂ = (x − mean) / std and g = dy · gamma (held in dx until the last step):
 * dx = (g − mean (g) − x̂ · mean (g x̂)) / std. */
static void
NAME (backward_rows) (gint64 begin, gint64 end, gpointer data)
{
  const LayerNormArgs *args = data;
  const REAL          *gamma = args->gamma;
  gint64               n = args->length, step = args->inner;

  for (gint64 row = begin; row < end; row++)
    {
      gint64      base = NAME (row_base) (args, row);
      const REAL *x = (const REAL *) args->x + base;
      const REAL *dy = (const REAL *) args->dy + base;
      REAL       *dx = (REAL *) args->to + base;
      REAL        mean = ((const REAL *) args->mean)[row];
      REAL        inverse = 1 / ((const REAL *) args->deviation)[row];
      double      sum = 0.0, product = 0.0;
      REAL        mean_g, slope;

      for (gint64 k = 0; k < n; k++)
        dx[k * step] = dy[k * step] * gamma[k];
      if (step == 1)
        {
          sum = NAME (hyb_row_sum) (n, dx);
          product = NAME (row_centred_product) (x, mean, dx, n);
        }
      else
        for (gint64 k = 0; k < n; k++)
          {
            sum += (double) dx[k * step];
            product += (double) dx[k * step] * (double) (x[k * step] - mean);
          }
      mean_g = (REAL) (sum / (double) n);
      slope = (REAL) (product / (double) n) * inverse * inverse;

      if (step == 1)
        for (gint64 k = 0; k < n; k++)
          dx[k] = (dx[k] - mean_g - (x[k] - mean) * slope) * inverse;
      else
        for (gint64 k = 0; k < n; k++)
          dx[k * step] = (dx[k * step] - mean_g - (x[k * step] - mean) * slope) * inverse;
    }
}

/* Adds dy x̂ to `product` and dy to `sum` for n elements of one row, `step` apart. */
static inline void
NAME (add_row) (const REAL *x,
                const REAL *dy,
                REAL        mean,
                REAL        inverse,
                gint64      n,
                gint64      step,
                double     *product,
                double     *sum)
{
  for (gint64 k = 0; k < n; k++)
    {
      product[k] += (double) (dy[k * step] * ((x[k * step] - mean) * inverse));
      sum[k] += (double) dy[k * step];
    }
}

/* dgamma = Σ dy x̂ and dbeta = Σ dy over all rows, for elements [begin, end) of the axis.  The
 * outer loop goes over rows, so that memory is read in order. */
static void
NAME (parameter_sums) (gint64 begin, gint64 end, gpointer data)
{
  const LayerNormArgs *args = data;
  double               product[256], sum[256];

  for (gint64 first = begin; first < end; first += 256)
    {
      gint64 n = MIN (256, end - first);

      memset (product, 0, sizeof product);
      memset (sum, 0, sizeof sum);
      for (gint64 row = 0; row < args->outer * args->inner; row++)
        {
          gint64      base = NAME (row_base) (args, row) + first * args->inner;
          const REAL *x = (const REAL *) args->x + base;
          const REAL *dy = (const REAL *) args->dy + base;
          REAL        mean = ((const REAL *) args->mean)[row];
          REAL        inverse = 1 / ((const REAL *) args->deviation)[row];

          if (args->inner == 1)
            NAME (add_row) (x, dy, mean, inverse, n, 1, product, sum);
          else
            NAME (add_row) (x, dy, mean, inverse, n, args->inner, product, sum);
        }

      for (gint64 k = 0; k < n; k++)
        {
          ((REAL *) args->dgamma)[first + k] = (REAL) product[k];
          ((REAL *) args->dbeta)[first + k] = (REAL) sum[k];
        }
    }
}
