/* softmax-kernel.h — the loops of softmax.c, for float and double.
 *
 * Rows that lie in a piece (inner is 1) are taken one by one; otherwise BLOCK
 * neighbouring rows go together, so that memory is read in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/row-sums-kernel.h"

#define BLOCK 128

/* Σ exp (y), y left as it is. */
static double
NAME (sum_of_exponentials) (const REAL *y, gint64 n)
{
  REAL   piece[BLOCK];
  double sum = 0.0;

  for (gint64 first = 0; first < n; first += BLOCK)
    {
      gint64 m = MIN (BLOCK, n - first);

      memcpy (piece, y + first, sizeof (REAL) * (gsize) m);
      NAME (exponentials) (piece, m);
      sum += NAME (hyb_row_sum) (m, piece);
    }

  return sum;
}

/* x − maximum − log Σ exp (x − maximum), x being scaled already. */
static void
NAME (log_softmax_row) (const REAL *x, gint64 n, REAL scale, REAL *y)
{
  REAL maximum, shift;

  for (gint64 k = 0; k < n; k++)
    y[k] = x[k] * scale;
  maximum = NAME (row_maximum) (y, n);
  for (gint64 k = 0; k < n; k++)
    y[k] -= maximum;
  shift = (REAL) log (NAME (sum_of_exponentials) (y, n));
  for (gint64 k = 0; k < n; k++)
    y[k] -= shift;
}

static void
NAME (softmax_row) (const Work *work, gint64 row)
{
  const REAL *x = (const REAL *) work->x + row * work->view->length;
  REAL       *y = (REAL *) work->to + row * work->view->length;
  REAL        scale = (REAL) work->view->scale;
  gint64      n = row_length (work, row);

  if (work->view->log)
    NAME (log_softmax_row) (x, n, scale, y);
  else if (n > 0)
    NAME (hyb_row_softmax) (n, x, scale, y);
  for (gint64 k = n; k < work->view->length; k++)
    y[k] = 0;
}

/* What lies past the lengths of rows first … first + n - 1 becomes `filler`. */
static void
NAME (fill_past_lengths) (const Work *work, gint64 outer, gint64 first, gint64 n, REAL filler)
{
  gint64 length = work->view->length, step = work->view->inner;
  REAL  *y = (REAL *) work->to + outer * length * step + first;

  if (!work->view->row_lengths)
    return;

  for (gint64 i = 0; i < n; i++)
    for (gint64 k = row_length (work, outer * step + first + i); k < length; k++)
      y[k * step + i] = filler;
}

/* Rows first … first + n - 1 of one outer index. */
static void
NAME (softmax_block) (const Work *work, gint64 outer, gint64 first, gint64 n)
{
  gint64      length = work->view->length, step = work->view->inner;
  const REAL *x = (const REAL *) work->x + outer * length * step + first;
  REAL       *y = (REAL *) work->to + outer * length * step + first;
  REAL        scale = (REAL) work->view->scale, maximum[BLOCK], factor[BLOCK], piece[BLOCK];
  double      sum[BLOCK];

  for (gint64 i = 0; i < n; i++)
    {
      maximum[i] = -(REAL) INFINITY;
      sum[i] = 0.0;
    }

  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      y[k * step + i] = x[k * step + i] * scale;
  NAME (fill_past_lengths) (work, outer, first, n, -(REAL) INFINITY);
  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      maximum[i] = y[k * step + i] > maximum[i] ? y[k * step + i] : maximum[i];

  for (gint64 k = 0; k < length; k++)
    {
      for (gint64 i = 0; i < n; i++)
        piece[i] = y[k * step + i] -= maximum[i];
      NAME (exponentials) (piece, n);
      for (gint64 i = 0; i < n; i++)
        sum[i] += (double) piece[i];
      if (!work->view->log)
        memcpy (y + k * step, piece, sizeof (REAL) * (gsize) n);
    }

  for (gint64 i = 0; i < n; i++)
    factor[i] = (REAL) (work->view->log ? log (sum[i]) : 1.0 / sum[i]);
  for (gint64 k = 0; k < length; k++)
    if (work->view->log)
      for (gint64 i = 0; i < n; i++)
        y[k * step + i] -= factor[i];
    else
      for (gint64 i = 0; i < n; i++)
        y[k * step + i] *= factor[i];
  NAME (fill_past_lengths) (work, outer, first, n, 0);
}

static void
NAME (softmax_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;

  for (gint64 outer = begin; outer < end; outer++)
    if (work->view->inner == 1)
      NAME (softmax_row) (work, outer);
    else
      for (gint64 first = 0; first < work->view->inner; first += BLOCK)
        NAME (softmax_block) (work, outer, first, MIN (BLOCK, work->view->inner - first));
}

/* softmax: dx = y · (dy − Σ y ∘ dy) · scale.  log_softmax: dx = (dy − eʸ · Σ dy) · scale. */
static void
NAME (backward_row) (const Work *work, gint64 row)
{
  gint64      n = work->view->length;
  const REAL *y = (const REAL *) work->y + row * n;
  const REAL *dy = (const REAL *) work->dy + row * n;
  REAL       *dx = (REAL *) work->to + row * n;
  REAL        scale = (REAL) work->view->scale, piece[BLOCK];
  REAL sum = (REAL) (work->view->log ? NAME (hyb_row_sum) (n, dy) : NAME (row_product) (y, dy, n));

  if (!work->view->log)
    {
      for (gint64 k = 0; k < n; k++)
        dx[k] = y[k] * (dy[k] - sum) * scale;
      return;
    }

  for (gint64 first = 0; first < n; first += BLOCK)
    {
      gint64 m = MIN (BLOCK, n - first);

      memcpy (piece, y + first, sizeof (REAL) * (gsize) m);
      NAME (exponentials) (piece, m);
      for (gint64 k = 0; k < m; k++)
        dx[first + k] = (dy[first + k] - piece[k] * sum) * scale;
    }
}

static void
NAME (backward_block) (const Work *work, gint64 outer, gint64 first, gint64 n)
{
  gint64      length = work->view->length, step = work->view->inner;
  gint64      base = outer * length * step + first;
  const REAL *y = (const REAL *) work->y + base;
  const REAL *dy = (const REAL *) work->dy + base;
  REAL       *dx = (REAL *) work->to + base;
  REAL        scale = (REAL) work->view->scale, piece[BLOCK];
  double      sum[BLOCK] = { 0.0 };

  for (gint64 k = 0; k < length; k++)
    if (work->view->log)
      for (gint64 i = 0; i < n; i++)
        sum[i] += (double) dy[k * step + i];
    else
      for (gint64 i = 0; i < n; i++)
        sum[i] += (double) y[k * step + i] * (double) dy[k * step + i];

  for (gint64 k = 0; k < length; k++)
    {
      gint64 at = k * step;

      memcpy (piece, y + at, sizeof (REAL) * (gsize) n);
      if (work->view->log)
        {
          NAME (exponentials) (piece, n);
          for (gint64 i = 0; i < n; i++)
            dx[at + i] = (dy[at + i] - piece[i] * (REAL) sum[i]) * scale;
        }
      else
        for (gint64 i = 0; i < n; i++)
          dx[at + i] = piece[i] * (dy[at + i] - (REAL) sum[i]) * scale;
    }
}

static void
NAME (backward_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;

  for (gint64 outer = begin; outer < end; outer++)
    if (work->view->inner == 1)
      NAME (backward_row) (work, outer);
    else
      for (gint64 first = 0; first < work->view->inner; first += BLOCK)
        NAME (backward_block) (work, outer, first, MIN (BLOCK, work->view->inner - first));
}

#undef BLOCK
