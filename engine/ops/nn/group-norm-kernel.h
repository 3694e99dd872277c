/* group-norm-kernel.h — the loops of group-norm.c, for float and double.  Sums are in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/row-sums-kernel.h"

static void
NAME (normalise_rows) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  gint64      n = work->length;

  for (gint64 row = begin; row < end; row++)
    {
      const REAL *x = (const REAL *) work->x + row * n;
      REAL       *y = (REAL *) work->to + row * n;
      double      exact = NAME (hyb_row_sum) (n, x) / (double) n;
      double      squares = NAME (hyb_row_squares) (n, x, exact), deviation;
      REAL        mean = (REAL) exact, scale;
      REAL        shift = ((const REAL *) work->beta)[row % work->groups];

      deviation = sqrt (squares / (double) n + work->eps);
      scale = (REAL) (1.0 / deviation) * ((const REAL *) work->gamma)[row % work->groups];
      ((REAL *) work->mean)[row] = mean;
      ((REAL *) work->deviation)[row] = (REAL) deviation;
      for (gint64 k = 0; k < n; k++)
        y[k] = (x[k] - mean) * scale + shift;
    }
}

/* With x̂ = (x − mean) / std: dgamma = Σ dy x̂, dbeta = Σ dy, and per row
 * dx = gamma / std · (dy − mean (dy) − x̂ · mean (dy x̂)). */
static void
NAME (backward_groups) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  gint64      n = work->length;

  for (gint64 group = begin; group < end; group++)
    {
      REAL   gamma = ((const REAL *) work->gamma)[group];
      double all_products = 0.0, all = 0.0;

      for (gint64 row = group; row < work->rows; row += work->groups)
        {
          const REAL *x = (const REAL *) work->x + row * n;
          const REAL *dy = (const REAL *) work->dy + row * n;
          REAL       *dx = (REAL *) work->to + row * n;
          REAL        mean = ((const REAL *) work->mean)[row];
          REAL        inverse = 1 / ((const REAL *) work->deviation)[row];
          double      sum = NAME (hyb_row_sum) (n, dy);
          double      product = NAME (row_centred_product) (x, mean, dy, n) * (double) inverse;
          REAL        mean_dy, mean_product;

          mean_dy = (REAL) (sum / (double) n);
          mean_product = (REAL) (product / (double) n);
          all += sum;
          all_products += product;

          for (gint64 k = 0; k < n; k++)
            dx[k] = gamma * inverse * (dy[k] - mean_dy - (x[k] - mean) * inverse * mean_product);
        }

      ((REAL *) work->dgamma)[group] = (REAL) all_products;
      ((REAL *) work->dbeta)[group] = (REAL) all;
    }
}
