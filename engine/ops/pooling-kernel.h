/* pooling-kernel.h — the loops of pooling.c, for float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

static inline REAL
NAME (power) (REAL x, gint64 p)
{
  return p == 1 ? x : p == 2 ? x * x : x * x * x;
}

static inline REAL
NAME (root) (REAL x, gint64 p)
{
  return p == 1 ? x : p == 2 ? (REAL) sqrt ((double) x) : (REAL) cbrt ((double) x);
}

/* An empty window leaves the lowest number for the maximum, and 0 otherwise. */
static REAL
NAME (pool_window) (const Work *work, const REAL *x, const Span *span)
{
  REAL maximum = REAL_LOWEST, sum = 0;

  for (gint64 i = span->low[0]; i < span->high[0]; i++)
    for (gint64 j = span->low[1]; j < span->high[1]; j++)
      {
        const REAL *row = x + (i * work->image[1] + j) * work->image[2] * work->step;

        if (work->type == POOL_MAX)
          for (gint64 k = span->low[2]; k < span->high[2]; k++)
            maximum = row[k * work->step] > maximum ? row[k * work->step] : maximum;
        else if (work->type == POOL_NORM)
          for (gint64 k = span->low[2]; k < span->high[2]; k++)
            sum += NAME (power) (row[k * work->step], work->p);
        else
          for (gint64 k = span->low[2]; k < span->high[2]; k++)
            sum += row[k * work->step];
      }

  if (work->type == POOL_MAX)
    return maximum;
  if (work->type == POOL_NORM)
    return NAME (root) (sum, work->p);
  if (work->type == POOL_AVERAGE)
    return span->divisor > 0 ? sum / (REAL) span->divisor : 0;
  return sum;
}

static void
NAME (pool_planes) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  gint64      positions = volume (work->map);

  for (gint64 plane = begin; plane < end; plane++)
    {
      const REAL *x = (const REAL *) work->x + plane_base (work, plane, volume (work->image));
      REAL       *y = (REAL *) work->to + plane_base (work, plane, positions);

      for (gint64 position = 0; position < positions; position++)
        {
          Span span = window_span (work, position);

          y[position * work->step] = NAME (pool_window) (work, x, &span);
        }
    }
}

/* The first of the largest cells in scan order; -1 if the window has none. */
static gint64
NAME (find_maximum) (const Work *work, const REAL *x, const Span *span)
{
  REAL   maximum = REAL_LOWEST;
  gint64 found = -1;

  for (gint64 i = span->low[0]; i < span->high[0]; i++)
    for (gint64 j = span->low[1]; j < span->high[1]; j++)
      for (gint64 k = span->low[2]; k < span->high[2]; k++)
        {
          gint64 at = ((i * work->image[1] + j) * work->image[2] + k) * work->step;

          if (x[at] > maximum)
            {
              maximum = x[at];
              found = at;
            }
        }

  return found;
}

/* d (Σ xᵖ)^(1/p) / dx = (x / y)^(p − 1); 0 where the norm has no slope. */
static inline REAL
NAME (norm_slope) (REAL x, REAL y, gint64 p)
{
  return p == 1 ? 1 : y == 0 ? 0 : p == 2 ? x / y : (x / y) * (x / y);
}

static void
NAME (spread_window) (const Work *work, const REAL *x, const Span *span, REAL y, REAL dy, REAL *dx)
{
  if (work->type == POOL_MAX)
    {
      gint64 at = NAME (find_maximum) (work, x, span);

      if (at >= 0)
        dx[at] += dy;
      return;
    }

  if (work->type == POOL_AVERAGE)
    dy /= (REAL) MAX (span->divisor, 1);

  for (gint64 i = span->low[0]; i < span->high[0]; i++)
    for (gint64 j = span->low[1]; j < span->high[1]; j++)
      for (gint64 k = span->low[2]; k < span->high[2]; k++)
        {
          gint64 at = ((i * work->image[1] + j) * work->image[2] + k) * work->step;

          dx[at] += work->type == POOL_NORM ? dy * NAME (norm_slope) (x[at], y, work->p) : dy;
        }
}

static void
NAME (spread_planes) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  gint64      cells = volume (work->image), positions = volume (work->map);

  for (gint64 plane = begin; plane < end; plane++)
    {
      gint64      base = plane_base (work, plane, cells);
      gint64      map_base = plane_base (work, plane, positions);
      const REAL *y = (const REAL *) work->y + map_base;
      const REAL *dy = (const REAL *) work->dy + map_base;
      REAL       *dx = (REAL *) work->to + base;

      for (gint64 i = 0; i < cells; i++)
        dx[i * work->step] = 0;

      for (gint64 position = 0; position < positions; position++)
        {
          Span   span = window_span (work, position);
          gint64 at = position * work->step;

          NAME (spread_window)
          (work, (const REAL *) work->x + base, &span, y[at], dy[at], dx);
        }
    }
}
