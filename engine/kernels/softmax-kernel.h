/* softmax-kernel.h — the loops of softmax.c: y[o,k,i] = exp (x[o,k,i]) / sum_k exp (x[o,k,i]).
 *
 * inner == 1: for each o, one contiguous row over k (rows.h).  Otherwise: for each o, for each block of BLOCK adjacent i,
 * for k, so that memory is read in order.  Short rows are transposed block by block.  Elements beyond the
 * length of a row are 0.  backward_row() and backward_block() compute the gradients in the same two orders.  each-real.h
 * compiles this file for float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/row-sums-kernel.h"

#define BLOCK 128

static void
NAME (softmax_row) (const SoftmaxCall *call, gint64 row)
{
  const REAL *x = (const REAL *) call->x + row * call->view->length;
  REAL       *y = (REAL *) call->to + row * call->view->length;
  REAL        scale = (REAL) call->view->scale;
  gint64      n = row_length (call, row);

  if (call->view->log)
    NAME (hyb_row_log_softmax) (n, x, scale, y);
  else if (n > 0)
    NAME (hyb_row_softmax) (n, x, scale, y);
  for (gint64 k = n; k < call->view->length; k++)
    y[k] = 0;
}

/* Sets the elements beyond the lengths of rows first … first + n - 1 to `filler`. */
static void
NAME (
    fill_past_lengths) (const SoftmaxCall *call, gint64 outer, gint64 first, gint64 n, REAL filler)
{
  gint64 length = call->view->length, step = call->view->inner;
  REAL  *y = (REAL *) call->to + outer * length * step + first;

  if (!call->view->row_lengths)
    return;

  for (gint64 i = 0; i < n; i++)
    for (gint64 k = row_length (call, outer * step + first + i); k < length; k++)
      y[k * step + i] = filler;
}

/* Computes rows first … first + n - 1 (indices of `inner`) of one outer index. */
static void
NAME (softmax_block) (const SoftmaxCall *call, gint64 outer, gint64 first, gint64 n)
{
  gint64      length = call->view->length, step = call->view->inner;
  const REAL *x = (const REAL *) call->x + outer * length * step + first;
  REAL       *y = (REAL *) call->to + outer * length * step + first;
  REAL        scale = (REAL) call->view->scale, maximum[BLOCK], factor[BLOCK], piece[BLOCK];
  double      sum[BLOCK];

  for (gint64 i = 0; i < n; i++)
    {
      maximum[i] = -(REAL) INFINITY;
      sum[i] = 0.0;
    }

  /* 1. y = scale · x, −∞ past the length of a row; the maximum of each row. */
  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      y[k * step + i] = x[k * step + i] * scale;
  NAME (fill_past_lengths) (call, outer, first, n, -(REAL) INFINITY);
  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      maximum[i] = y[k * step + i] > maximum[i] ? y[k * step + i] : maximum[i];

  /* 2. Exponentials of y − maximum, which are at most 1, and their sums.  log_softmax keeps the exponents. */
  for (gint64 k = 0; k < length; k++)
    {
      for (gint64 i = 0; i < n; i++)
        piece[i] = y[k * step + i] -= maximum[i];
      NAME (exponentials) (piece, n);
      for (gint64 i = 0; i < n; i++)
        sum[i] += (double) piece[i];
      if (!call->view->log)
        memcpy (y + k * step, piece, sizeof (REAL) * (gsize) n);
    }

  /* 3. Divide by the sums, or subtract their logarithms. */
  for (gint64 i = 0; i < n; i++)
    factor[i] = (REAL) (call->view->log ? log (sum[i]) : 1.0 / sum[i]);
  for (gint64 k = 0; k < length; k++)
    if (call->view->log)
      for (gint64 i = 0; i < n; i++)
        y[k * step + i] -= factor[i];
    else
      for (gint64 i = 0; i < n; i++)
        y[k * step + i] *= factor[i];
  NAME (fill_past_lengths) (call, outer, first, n, 0);
}

/* Computes rows first … first + n - 1, which are short, side by side: they are transposed, so that the loops run over
 * rows. */
static void
NAME (softmax_short_rows) (const SoftmaxCall *call, gint64 first, gint64 n)
{
  gint64         length = call->view->length;
  const REAL    *x = (const REAL *) call->x + first * length;
  REAL          *y = (REAL *) call->to + first * length, tile[SHORT_ROW * BLOCK];
  HybSoftmaxView view = { 1, length, n, call->view->scale, call->view->log, NULL, 0 };
  SoftmaxCall    beside = { .view = &view, .x = tile, .to = tile };

  NAME (transpose) (length, n, x, tile);
  if (!NAME (softmax_lines) (&beside, 0))
    NAME (softmax_block) (&beside, 0, 0, n);
  NAME (transpose) (n, length, tile, y);
}

static void
NAME (softmax_slice) (gint64 begin, gint64 end, gpointer data)
{
  const SoftmaxCall *call = data;

  if (has_short_rows (call->view, sizeof (REAL) == sizeof (float) ? SHORT_ROW : SHORT_ROW_F64))
    {
      for (gint64 first = begin; first < end; first += BLOCK)
        NAME (softmax_short_rows) (call, first, MIN (BLOCK, end - first));
      return;
    }
  for (gint64 outer = begin; outer < end; outer++)
    if (call->view->inner == 1)
      NAME (softmax_row) (call, outer);
    else if (!NAME (softmax_lines) (call, outer))
      for (gint64 first = 0; first < call->view->inner; first += BLOCK)
        NAME (softmax_block) (call, outer, first, MIN (BLOCK, call->view->inner - first));
}

/* softmax: dx = y · (dy − Σ y ∘ dy) · scale.  log_softmax: dx = (dy − eʸ · Σ dy) · scale. */
static void
NAME (backward_row) (const SoftmaxCall *call, gint64 row)
{
  gint64      n = call->view->length;
  const REAL *y = (const REAL *) call->y + row * n;
  const REAL *dy = (const REAL *) call->dy + row * n;
  REAL       *dx = (REAL *) call->to + row * n;
  REAL        scale = (REAL) call->view->scale, piece[BLOCK];
  REAL sum = (REAL) (call->view->log ? NAME (hyb_row_sum) (n, dy) : NAME (row_product) (y, dy, n));

  if (!call->view->log)
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
NAME (backward_block) (const SoftmaxCall *call, gint64 outer, gint64 first, gint64 n)
{
  gint64      length = call->view->length, step = call->view->inner;
  gint64      base = outer * length * step + first;
  const REAL *y = (const REAL *) call->y + base;
  const REAL *dy = (const REAL *) call->dy + base;
  REAL       *dx = (REAL *) call->to + base;
  REAL        scale = (REAL) call->view->scale, piece[BLOCK];
  double      sum[BLOCK] = { 0.0 };

  /* 1. Per column i, over the axis: s = Σ dy for log softmax, else s = Σ y · dy; in double, since
   * the axis may be long. */
  for (gint64 k = 0; k < length; k++)
    if (call->view->log)
      for (gint64 i = 0; i < n; i++)
        sum[i] += (double) dy[k * step + i];
    else
      for (gint64 i = 0; i < n; i++)
        sum[i] += (double) y[k * step + i] * (double) dy[k * step + i];

  for (gint64 k = 0; k < length; k++)
    {
      /* 2. dx = (dy − eʸ · s) · scale for log softmax, else y · (dy − s) · scale.  piece is y, or
       * eʸ. */
      gint64 at = k * step;

      memcpy (piece, y + at, sizeof (REAL) * (gsize) n);
      if (call->view->log)
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
  const SoftmaxCall *call = data;

  for (gint64 outer = begin; outer < end; outer++)
    if (call->view->inner == 1)
      NAME (backward_row) (call, outer);
    else
      for (gint64 first = 0; first < call->view->inner; first += BLOCK)
        NAME (backward_block) (call, outer, first, MIN (BLOCK, call->view->inner - first));
}

#undef BLOCK
