/* pooling-v1-kernel.h — the loops of pooling-v1.c, for float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The largest or the sum of one window; cells of the padding are 0. */
static REAL
NAME (gather) (const Work *work, const REAL *x, const gint64 begin[2], const gint64 end[2])
{
  REAL value = work->type == POOL_MAX ? REAL_LOWEST : 0;

  for (gint64 i = begin[0]; i < end[0]; i++)
    for (gint64 j = begin[1]; j < end[1]; j++)
      {
        REAL cell = is_real (work, i, j) ? x[place (work, i, j)] : 0;

        if (work->type != POOL_MAX)
          value += cell;
        else if (cell > value)
          value = cell;
      }
  return work->type == POOL_AVERAGE ? value * (REAL) work->share : value;
}

static void
NAME (pool) (gint64 first, gint64 last, gpointer data)
{
  const Work *work = data;

  for (gint64 plane = first; plane < last; plane++)
    {
      const REAL *x = (const REAL *) work->x + plane * work->image[0] * work->image[1];
      REAL       *y = (REAL *) work->to + plane * work->map[0] * work->map[1];
      gint64      begin[2], end[2];

      for (gint64 h = 0; h < work->map[0]; h++)
        for (gint64 w = 0; w < work->map[1]; w++)
          {
            find_window (work, h, w, begin, end);
            *y++ = NAME (gather) (work, x, begin, end);
          }
    }
}

/* Every cell that equals the largest of a window gets what flows into it. */
static void
NAME (spread) (gint64 first, gint64 last, gpointer data)
{
  const Work *work = data;
  REAL        share = work->type == POOL_AVERAGE ? (REAL) work->share : 1;

  for (gint64 plane = first; plane < last; plane++)
    {
      gint64      cells = work->image[0] * work->image[1];
      const REAL *x = (const REAL *) work->x + plane * cells;
      const REAL *y = (const REAL *) work->y + plane * work->map[0] * work->map[1];
      const REAL *dy = (const REAL *) work->dy + plane * work->map[0] * work->map[1];
      REAL       *dx = (REAL *) work->to + plane * cells;
      gint64      begin[2], end[2];

      memset (dx, 0, (gsize) cells * sizeof *dx);
      for (gint64 h = 0; h < work->map[0]; h++)
        for (gint64 w = 0; w < work->map[1]; w++, y++, dy++)
          {
            find_window (work, h, w, begin, end);
            for (gint64 i = begin[0]; i < end[0]; i++)
              for (gint64 j = begin[1]; j < end[1]; j++)
                if (is_real (work, i, j) && (work->type != POOL_MAX || x[place (work, i, j)] == *y))
                  dx[place (work, i, j)] += *dy * share;
          }
    }
}
