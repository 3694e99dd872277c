/* softmax-kernel.h — the loops of softmax.c, for float and double.
 *
 * Rows that lie in a piece (inner is 1) are taken one by one; otherwise BLOCK
 * neighbouring rows go together, so that memory is read in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define BLOCK 32

/* Subtracting the maximum keeps exp() finite and cancels out in the quotient. */
static void
NAME (softmax_row) (const Work *work, gint64 row)
{
  const REAL *x = (const REAL *) work->x + row * work->view->length;
  REAL       *y = (REAL *) work->to + row * work->view->length;
  REAL        scale = (REAL) work->view->scale, maximum = -(REAL) INFINITY, shift;
  gint64      n = row_length (work, row);
  double      sum = 0.0;

  for (gint64 k = 0; k < n; k++)
    maximum = x[k] * scale > maximum ? x[k] * scale : maximum;

  if (work->view->log)
    {
      for (gint64 k = 0; k < n; k++)
        sum += exp ((double) (x[k] * scale - maximum));
      shift = maximum + (REAL) log (sum);
      for (gint64 k = 0; k < n; k++)
        y[k] = x[k] * scale - shift;
    }
  else
    {
      for (gint64 k = 0; k < n; k++)
        y[k] = x[k] * scale - maximum;
      NAME (exponentials) (y, n);
      for (gint64 k = 0; k < n; k++)
        sum += (double) y[k];
      shift = (REAL) (1.0 / sum);
      for (gint64 k = 0; k < n; k++)
        y[k] *= shift;
    }

  for (gint64 k = n; k < work->view->length; k++)
    y[k] = 0;
}

/* Rows first … first + n - 1 of one outer index. */
static void
NAME (softmax_block) (const Work *work, gint64 outer, gint64 first, gint64 n)
{
  gint64      length = work->view->length, step = work->view->inner;
  const REAL *x = (const REAL *) work->x + outer * length * step + first;
  REAL       *y = (REAL *) work->to + outer * length * step + first;
  REAL        scale = (REAL) work->view->scale, maximum[BLOCK];
  double      sum[BLOCK];
  gint64      valid[BLOCK];

  for (gint64 i = 0; i < n; i++)
    {
      maximum[i] = -(REAL) INFINITY;
      sum[i] = 0.0;
      valid[i] = row_length (work, outer * step + first + i);
    }

  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      if (k < valid[i] && x[k * step + i] * scale > maximum[i])
        maximum[i] = x[k * step + i] * scale;

  for (gint64 k = 0; k < length; k++)
    {
      for (gint64 i = 0; i < n; i++)
        y[k * step + i] = k < valid[i] ? x[k * step + i] * scale - maximum[i] : 0;
      if (work->view->log)
        for (gint64 i = 0; i < n; i++)
          sum[i] += exp ((double) y[k * step + i]);
      else
        {
          NAME (exponentials) (y + k * step, n);
          for (gint64 i = 0; i < n; i++)
            sum[i] += k < valid[i] ? (double) y[k * step + i] : 0.0;
        }
    }

  for (gint64 i = 0; i < n; i++)
    sum[i] = work->view->log ? log (sum[i]) : 1.0 / sum[i];
  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      {
        REAL *at = y + k * step + i;

        if (work->view->log)
          *at -= (REAL) sum[i];
        else
          *at = k < valid[i] ? *at * (REAL) sum[i] : 0;
      }
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

/* softmax: dx = (y ∘ dy − y · Σ (y ∘ dy)) · scale.  log_softmax: dx = (dy − eʸ · Σ dy) · scale. */
static void
NAME (backward_block) (const Work *work, gint64 outer, gint64 first, gint64 n)
{
  gint64      length = work->view->length, step = work->view->inner;
  gint64      base = outer * length * step + first;
  const REAL *y = (const REAL *) work->y + base;
  const REAL *dy = (const REAL *) work->dy + base;
  REAL       *dx = (REAL *) work->to + base;
  REAL        scale = (REAL) work->view->scale;
  double      sum[BLOCK] = { 0.0 };

  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      sum[i] += work->view->log ? (double) dy[k * step + i]
                                : (double) (y[k * step + i] * dy[k * step + i]);

  for (gint64 k = 0; k < length; k++)
    for (gint64 i = 0; i < n; i++)
      {
        gint64 at = k * step + i;

        if (work->view->log)
          dx[at] = (dy[at] - (REAL) (exp ((double) y[at]) * sum[i])) * scale;
        else
          dx[at] = y[at] * (dy[at] - (REAL) sum[i]) * scale;
      }
}

static void
NAME (backward_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;

  for (gint64 outer = begin; outer < end; outer++)
    for (gint64 first = 0; first < work->view->inner; first += BLOCK)
      NAME (backward_block) (work, outer, first, MIN (BLOCK, work->view->inner - first));
}

#undef BLOCK
