/* pooling-kernel.h — the loops of pooling.c, for float and double.
 *
 * A slice is a range of planes.  Up to CHUNK neighbouring windows of one output row are processed
 * together: for plane, row, tap, the innermost loop runs over the windows whose cell at that tap
 * lies inside the image, and so has no branches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define CHUNK 64

/* Running results of the windows of a row. */
typedef struct
{
  REAL   value[CHUNK]; /* sum or maximum */
  gint64 at[CHUNK];    /* index of the maximum in the image; −1 if there is none */
} NAME (WindowResults);

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

/* Adds one tap to the windows [low, high): their cells start at x[from], `stride` apart. */
static inline __attribute__ ((always_inline)) void
NAME (gather_tap_by) (const PoolingArgs *args,
                      const REAL        *x,
                      gint64             from,
                      gint64             stride,
                      gint64             low,
                      gint64             high,
                      NAME (WindowResults) * to)
{
  if (args->type == POOL_MAX && !args->dy)
    for (gint64 k = low; k < high; k++)
      to->value[k] =
          x[from + (k - low) * stride] > to->value[k] ? x[from + (k - low) * stride] : to->value[k];
  else if (args->type == POOL_MAX)
    for (gint64 k = low; k < high; k++)
      {
        gboolean larger = x[from + (k - low) * stride] > to->value[k];

        to->at[k] = larger ? from + (k - low) * stride : to->at[k];
        to->value[k] = larger ? x[from + (k - low) * stride] : to->value[k];
      }
  else if (args->type == POOL_NORM)
    for (gint64 k = low; k < high; k++)
      to->value[k] += NAME (power) (x[from + (k - low) * stride], args->p);
  else
    for (gint64 k = low; k < high; k++)
      to->value[k] += x[from + (k - low) * stride];
}

/* Constant strides let the compiler vectorise. */
static void
NAME (gather_tap) (const PoolingArgs *args,
                   const REAL        *x,
                   gint64             from,
                   gint64             stride,
                   gint64             low,
                   gint64             high,
                   NAME (WindowResults) * to)
{
  if (stride == 1)
    NAME (gather_tap_by) (args, x, from, 1, low, high, to);
  else if (stride == 2)
    NAME (gather_tap_by) (args, x, from, 2, low, high, to);
  else
    NAME (gather_tap_by) (args, x, from, stride, low, high, to);
}

/* Gathers all taps of the windows of a row. */
static void
NAME (gather) (const PoolingArgs *args, const REAL *x, const Row *row, NAME (WindowResults) * to)
{
  for (gint64 k = 0; k < row->n; k++)
    {
      to->value[k] = args->type == POOL_MAX ? REAL_LOWEST : 0;
      to->at[k] = -1;
    }

  for (gint64 i = row->low[0]; i < row->high[0]; i++)
    for (gint64 j = row->low[1]; j < row->high[1]; j++)
      for (gint64 tap = 0; tap < args->kernel[2]; tap++)
        {
          gint64 low, high, column;

          tap_range (args, row, tap, &low, &high);
          column = (row->first + low) * args->stride[2] + tap - args->pad[2];
          if (low < high)
            NAME (gather_tap)
          (args, x, ((i * args->image[1] + j) * args->image[2] + column) * args->step,
           args->stride[2] * args->step, low, high, to);
        }
}

/* Turns the gathered value of window k of a row into the output.  An empty window gives
 * REAL_LOWEST for the maximum and 0 otherwise. */
static REAL
NAME (finish) (const PoolingArgs *args, const Row *row, gint64 k, REAL value)
{
  gint64 divisor;

  if (args->type == POOL_NORM)
    return NAME (root) (value, args->p);
  if (args->type != POOL_AVERAGE)
    return value;

  divisor = row->divisor * last_divisor (args, row->first + k);
  return divisor > 0 ? value / (REAL) divisor : 0;
}

#define SUMS 16

/* The sum of n cells that follow each other, in SUMS partial sums, so that it can be vectorised. */
static REAL
NAME (sum_cells) (const REAL *x, gint64 n)
{
  REAL   sum[SUMS] = { 0 }, all = 0;
  gint64 i = 0;

  for (; i + SUMS <= n; i += SUMS)
    for (int k = 0; k < SUMS; k++)
      sum[k] += x[i + k];
  for (; i < n; i++)
    sum[i % SUMS] += x[i];
  for (int k = 0; k < SUMS; k++)
    all += sum[k];
  return all;
}

#undef SUMS

/* n windows of 2 × 2 over two rows of the image; the order is that of gather(), so that NaN and
 * zeros of either sign give the same bytes. */
static void
NAME (halve_row) (gint64 n, const REAL *top, const REAL *bottom, REAL *y)
{
  HYB_INDEPENDENT
  for (gint64 k = 0; k < n; k++)
    {
      REAL a = top[2 * k], b = top[2 * k + 1], c = bottom[2 * k], d = bottom[2 * k + 1];
      REAL best = a > REAL_LOWEST ? a : REAL_LOWEST;

      best = b > best ? b : best;
      best = c > best ? c : best;
      y[k] = d > best ? d : best;
    }
}

static void
NAME (halve) (const PoolingArgs *args, const REAL *x, REAL *y)
{
  gint64 width = args->image[2], n = args->map[2];

  for (gint64 d = 0; d < args->map[0]; d++)
    for (gint64 h = 0; h < args->map[1]; h++, y += n)
      {
        const REAL *top = x + (d * args->image[1] + 2 * h) * width;

        NAME (halve_row) (n, top, top + width, y);
      }
}

static void
NAME (pool_planes) (gint64 begin, gint64 end, gpointer data)
{
  const PoolingArgs *args = data;
  NAME (WindowResults) results;
  Row row;

  for (gint64 plane = begin; plane < end; plane++)
    {
      const REAL *x = (const REAL *) args->x + plane_base (args, plane, hyb_volume (args->image));
      REAL       *y = (REAL *) args->to + plane_base (args, plane, hyb_volume (args->map));

      if (is_halving (args))
        {
          NAME (halve) (args, x, y);
          continue;
        }
      if (is_mean (args))
        {
          *y = NAME (sum_cells) (x, hyb_volume (args->image)) / (REAL) hyb_volume (args->image);
          continue;
        }
      for (gboolean more = first_row (args, &row, CHUNK); more; more = next_row (args, &row, CHUNK))
        {
          NAME (gather) (args, x, &row, &results);
          for (gint64 k = 0; k < row.n; k++)
            y[(row.start + k) * args->step] = NAME (finish) (args, &row, k, results.value[k]);
        }
    }
}

/* d (Σ xᵖ)^(1/p) / dx = (x / y)^(p − 1); 0 at y = 0, where it is undefined. */
static inline REAL
NAME (norm_slope) (REAL x, REAL y, gint64 p)
{
  return p == 1 ? 1 : y == 0 ? 0 : p == 2 ? x / y : (x / y) * (x / y);
}

/* Adds the gradients of a row of windows to the cells under them; not for the maximum. */
static void
NAME (spread_row) (const PoolingArgs *args,
                   const REAL        *x,
                   const REAL        *y,
                   const REAL        *dy,
                   const Row         *row,
                   REAL              *dx)
{
  for (gint64 i = row->low[0]; i < row->high[0]; i++)
    for (gint64 j = row->low[1]; j < row->high[1]; j++)
      for (gint64 tap = 0; tap < args->kernel[2]; tap++)
        {
          gint64 low, high;

          tap_range (args, row, tap, &low, &high);
          for (gint64 k = low; k < high; k++)
            {
              gint64 column = (row->first + k) * args->stride[2] + tap - args->pad[2];
              gint64 cell = ((i * args->image[1] + j) * args->image[2] + column) * args->step;
              gint64 window = (row->start + k) * args->step;
              REAL   share = dy[window];

              if (args->type == POOL_AVERAGE)
                share /= (REAL) MAX (row->divisor * last_divisor (args, row->first + k), 1);
              else if (args->type == POOL_NORM)
                share *= NAME (norm_slope) (x[cell], y[window], args->p);
              dx[cell] += share;
            }
        }
}

/* Gradient of n windows of 2 × 2 over two rows of the image: goes to the first maximum of each
 * window, or nowhere if no cell is above REAL_LOWEST (NaN, −∞). */
static void
NAME (spread_halving_row) (gint64      n,
                           const REAL *top,
                           const REAL *bottom,
                           const REAL *dy,
                           REAL       *dx_top,
                           REAL       *dx_bottom)
{
  HYB_INDEPENDENT
  for (gint64 k = 0; k < n; k++)
    {
      REAL a = top[2 * k], b = top[2 * k + 1], c = bottom[2 * k], d = bottom[2 * k + 1];
      REAL from_a = a > REAL_LOWEST ? a : REAL_LOWEST;
      REAL from_b = b > from_a ? b : from_a;
      REAL from_c = c > from_b ? c : from_b;
      REAL in_d = d > from_c ? dy[k] : 0, rest = d > from_c ? 0 : dy[k];
      REAL in_c = c > from_b ? rest : 0;
      REAL in_b, in_a;

      rest = c > from_b ? 0 : rest;
      in_b = b > from_a ? rest : 0;
      rest = b > from_a ? 0 : rest;
      in_a = a > REAL_LOWEST ? rest : 0;
      dx_top[2 * k] = in_a;
      dx_top[2 * k + 1] = in_b;
      dx_bottom[2 * k] = in_c;
      dx_bottom[2 * k + 1] = in_d;
    }
}

static void
NAME (spread_halving) (const PoolingArgs *args, const REAL *x, const REAL *dy, REAL *dx)
{
  gint64 width = args->image[2], n = args->map[2];

  for (gint64 d = 0; d < args->map[0]; d++)
    for (gint64 h = 0; h < args->map[1]; h++, dy += n)
      {
        gint64 at = (d * args->image[1] + 2 * h) * width;

        NAME (spread_halving_row) (n, x + at, x + at + width, dy, dx + at, dx + at + width);
      }
}

static void
NAME (spread_planes) (gint64 begin, gint64 end, gpointer data)
{
  const PoolingArgs *args = data;
  NAME (WindowResults) results;
  Row row;

  for (gint64 plane = begin; plane < end; plane++)
    {
      gint64      base = plane_base (args, plane, hyb_volume (args->image));
      gint64      map_base = plane_base (args, plane, hyb_volume (args->map));
      const REAL *x = (const REAL *) args->x + base;
      const REAL *dy = (const REAL *) args->dy + map_base;
      REAL       *dx = (REAL *) args->to + base;

      for (gint64 i = 0; i < hyb_volume (args->image); i++)
        dx[i * args->step] = 0;
      if (is_halving (args))
        {
          NAME (spread_halving) (args, x, dy, dx);
          continue;
        }

      for (gboolean more = first_row (args, &row, CHUNK); more; more = next_row (args, &row, CHUNK))
        if (args->type == POOL_MAX)
          {
            NAME (gather) (args, x, &row, &results);
            for (gint64 k = 0; k < row.n; k++)
              if (results.at[k] >= 0)
                dx[results.at[k]] += dy[(row.start + k) * args->step];
          }
        else
          NAME (spread_row) (args, x, (const REAL *) args->y + map_base, dy, &row, dx);
    }
}

#undef CHUNK
