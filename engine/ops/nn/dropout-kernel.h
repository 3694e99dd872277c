/* dropout-kernel.h — the loops of dropout.c, for float and double: drawing the mask, and
 * multiplying by a mask of the same shape (slices) or a broadcast one (rows).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements [begin, end) of the mask: 1 / (1 − p) with probability 1 − p, else 0. */
static void
NAME (draw_slice) (gint64 begin, gint64 end, gpointer data)
{
  const DropoutArgs *args = data;
  REAL              *mask = args->to;
  REAL               kept = (REAL) (1.0 / (1.0 - args->p));
  float              numbers[256];

  for (gint64 first = begin; first < end; first += (gint64) G_N_ELEMENTS (numbers))
    {
      gint64 n = MIN ((gint64) G_N_ELEMENTS (numbers), end - first);

      if (args->p > 0)
        hyb_random_uniform_fill (args->seed, (guint64) first, numbers, (gsize) n);
      for (gint64 i = 0; i < n; i++)
        mask[first + i] = args->p <= 0 ? 1 : (double) numbers[i] < 1.0 - args->p ? kept : 0;
    }
}

static void
NAME (multiply_slice) (gint64 begin, gint64 end, gpointer data)
{
  const DropoutArgs *args = data;
  const REAL        *x = args->x;
  const REAL        *mask = args->mask;
  REAL              *to = args->to;

  for (gint64 i = begin; i < end; i++)
    to[i] = x[i] * mask[i];
}

static void
NAME (multiply_row) (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const DropoutArgs *args = data;
  const REAL        *x = (const REAL *) args->x + offset[0];
  const REAL        *mask = (const REAL *) args->mask + offset[1];
  REAL              *to = (REAL *) args->to + offset[0];

  for (gint64 i = 0; i < length; i++)
    to[i * stride[0]] = x[i * stride[0]] * mask[i * stride[1]];
}
