/* layer-norm-kernel.h — the loops of layer-norm.c, for float and double.  Sums are in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Index of the first element of a row; the others follow `inner` apart. */
static inline gint64
NAME (row_base) (const Work *work, gint64 row)
{
  return row / work->inner * work->length * work->inner + row % work->inner;
}

static void
NAME (normalise_rows) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  const REAL *gamma = work->gamma;
  const REAL *beta = work->beta;
  gint64      n = work->length, step = work->inner;

  for (gint64 row = begin; row < end; row++)
    {
      const REAL *x = (const REAL *) work->x + NAME (row_base) (work, row);
      REAL       *y = (REAL *) work->to + NAME (row_base) (work, row);
      double      sum = 0.0, squares = 0.0, deviation;
      REAL        mean, inverse;

      for (gint64 k = 0; k < n; k++)
        sum += (double) x[k * step];
      sum /= (double) n;
      for (gint64 k = 0; k < n; k++)
        squares += ((double) x[k * step] - sum) * ((double) x[k * step] - sum);

      deviation = sqrt (squares / (double) n + work->eps);
      mean = (REAL) sum;
      inverse = (REAL) (1.0 / deviation);
      ((REAL *) work->mean)[row] = mean;
      ((REAL *) work->deviation)[row] = (REAL) deviation;
      for (gint64 k = 0; k < n; k++)
        y[k * step] = (x[k * step] - mean) * inverse * gamma[k] + beta[k];
    }
}

/* With x̂ = (x − mean) / std and g = dy · gamma:
 * dx = (g − mean (g) − x̂ · mean (g x̂)) / std. */
static void
NAME (backward_rows) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  const REAL *gamma = work->gamma;
  gint64      n = work->length, step = work->inner;

  for (gint64 row = begin; row < end; row++)
    {
      gint64      base = NAME (row_base) (work, row);
      const REAL *x = (const REAL *) work->x + base;
      const REAL *dy = (const REAL *) work->dy + base;
      REAL       *dx = (REAL *) work->to + base;
      REAL        mean = ((const REAL *) work->mean)[row];
      REAL        inverse = 1 / ((const REAL *) work->deviation)[row];
      double      sum = 0.0, product = 0.0;
      REAL        mean_g, mean_product;

      for (gint64 k = 0; k < n; k++)
        {
          double g = (double) (dy[k * step] * gamma[k]);

          sum += g;
          product += g * (double) ((x[k * step] - mean) * inverse);
        }
      mean_g = (REAL) (sum / (double) n);
      mean_product = (REAL) (product / (double) n);

      for (gint64 k = 0; k < n; k++)
        dx[k * step] =
            (dy[k * step] * gamma[k] - mean_g - (x[k * step] - mean) * inverse * mean_product) *
            inverse;
    }
}

/* dgamma = Σ dy x̂ and dbeta = Σ dy over all rows, for a part of the axis; row after
 * row, so that memory is read in order. */
static void
NAME (parameter_sums) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  REAL       *dgamma = work->dgamma;
  REAL       *dbeta = work->dbeta;
  double      product[64], sum[64];

  for (gint64 first = begin; first < end; first += 64)
    {
      gint64 last = MIN (first + 64, end);

      memset (product, 0, sizeof product);
      memset (sum, 0, sizeof sum);
      for (gint64 row = 0; row < work->outer * work->inner; row++)
        {
          gint64      base = NAME (row_base) (work, row);
          const REAL *x = (const REAL *) work->x + base;
          const REAL *dy = (const REAL *) work->dy + base;
          REAL        mean = ((const REAL *) work->mean)[row];
          REAL        inverse = 1 / ((const REAL *) work->deviation)[row];

          for (gint64 k = first; k < last; k++)
            {
              gint64 at = k * work->inner;

              product[k - first] += (double) (dy[at] * ((x[at] - mean) * inverse));
              sum[k - first] += (double) dy[at];
            }
        }

      for (gint64 k = first; k < last; k++)
        {
          dgamma[k] = (REAL) product[k - first];
          dbeta[k] = (REAL) sum[k - first];
        }
    }
}
