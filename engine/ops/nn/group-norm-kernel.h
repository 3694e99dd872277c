/* group-norm-kernel.h — the loops of group-norm.c, for float and double.
 *
 * Data is (samples × groups, length): a row is one group of one sample, and its elements are
 * contiguous.  Sums are kept in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/row-sums-kernel.h"

static void
NAME (normalise_rows) (gint64 begin, gint64 end, gpointer data)
{
  const GroupNormArgs *args = data;
  gint64               n = args->length;

  for (gint64 row = begin; row < end; row++)
    {
      gint64      group = row % args->groups;
      const REAL *x = (const REAL *) args->x + row * n;
      REAL       *y = (REAL *) args->to + row * n;
      double      mean, squares = NAME (hyb_row_moments) (n, x, &mean);
      double      deviation = sqrt (squares / (double) n + args->eps);
      REAL        scale = (REAL) (1.0 / deviation) * ((const REAL *) args->gamma)[group];
      NAME (HybRowLine) line = { (REAL) mean, scale, ((const REAL *) args->beta)[group] };

      ((REAL *) args->mean)[row] = line.mean;
      ((REAL *) args->deviation)[row] = (REAL) deviation;
      NAME (hyb_row_line) (n, x, &line, y);
    }
}

/* With x̂ = (x − mean) / std: dgamma = Σ dy x̂, dbeta = Σ dy, and per row
 * dx = gamma / std · (dy − mean (dy) − x̂ · mean (dy x̂)). */
static void
NAME (backward_groups) (gint64 begin, gint64 end, gpointer data)
{
  const GroupNormArgs *args = data;
  gint64               n = args->length;

  for (gint64 group = begin; group < end; group++)
    {
      REAL   gamma = ((const REAL *) args->gamma)[group];
      double all_products = 0.0, all = 0.0;

      for (gint64 row = group; row < args->rows; row += args->groups)
        {
          const REAL *x = (const REAL *) args->x + row * n;
          const REAL *dy = (const REAL *) args->dy + row * n;
          REAL       *dx = (REAL *) args->to + row * n;
          REAL        mean = ((const REAL *) args->mean)[row];
          REAL        inverse = 1 / ((const REAL *) args->deviation)[row];
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

      ((REAL *) args->dgamma)[group] = (REAL) all_products;
      ((REAL *) args->dbeta)[group] = (REAL) all;
    }
}
