/* pooling-v1-kernel.h — the loops of pooling-v1.c, for float and double: for plane, output row,
 * output column, row and column of the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Maximum, sum or average of one window; cells of the padding are 0. */
static REAL
NAME (gather) (const PoolingArgs *args, const REAL *x, const gint64 begin[2], const gint64 end[2])
{
  REAL value = args->type == POOL_MAX ? REAL_LOWEST : 0;

  for (gint64 i = begin[0]; i < end[0]; i++)
    for (gint64 j = begin[1]; j < end[1]; j++)
      {
        REAL cell = is_inside (args, i, j) ? x[cell_index (args, i, j)] : 0;

        if (args->type != POOL_MAX)
          value += cell;
        else if (cell > value)
          value = cell;
      }
  return args->type == POOL_AVERAGE ? value * (REAL) args->share : value;
}

static void
NAME (pool) (gint64 first, gint64 last, gpointer data)
{
  const PoolingArgs *args = data;

  for (gint64 plane = first; plane < last; plane++)
    {
      const REAL *x = (const REAL *) args->x + plane * args->image[0] * args->image[1];
      REAL       *y = (REAL *) args->to + plane * args->map[0] * args->map[1];
      gint64      begin[2], end[2];

      for (gint64 h = 0; h < args->map[0]; h++)
        for (gint64 w = 0; w < args->map[1]; w++)
          {
            find_window (args, h, w, begin, end);
            *y++ = NAME (gather) (args, x, begin, end);
          }
    }
}

/* For the maximum, every cell that equals it gets the whole gradient of the window. */
static void
NAME (spread) (gint64 first, gint64 last, gpointer data)
{
  const PoolingArgs *args = data;
  REAL               share = args->type == POOL_AVERAGE ? (REAL) args->share : 1;

  for (gint64 plane = first; plane < last; plane++)
    {
      gint64      cells = args->image[0] * args->image[1];
      const REAL *x = (const REAL *) args->x + plane * cells;
      const REAL *y = (const REAL *) args->y + plane * args->map[0] * args->map[1];
      const REAL *dy = (const REAL *) args->dy + plane * args->map[0] * args->map[1];
      REAL       *dx = (REAL *) args->to + plane * cells;
      gint64      begin[2], end[2];

      memset (dx, 0, (gsize) cells * sizeof *dx);
      for (gint64 h = 0; h < args->map[0]; h++)
        for (gint64 w = 0; w < args->map[1]; w++, y++, dy++)
          {
            find_window (args, h, w, begin, end);
            for (gint64 i = begin[0]; i < end[0]; i++)
              for (gint64 j = begin[1]; j < end[1]; j++)
                if (is_inside (args, i, j) &&
                    (args->type != POOL_MAX || x[cell_index (args, i, j)] == *y))
                  dx[cell_index (args, i, j)] += *dy * share;
          }
    }
}
