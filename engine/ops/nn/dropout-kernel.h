/* dropout-kernel.h — the loops of dropout.c, for float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements [begin, end) of the mask: 1 / (1 − p) with probability 1 − p, else 0. */
static void
NAME (draw_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  REAL       *mask = work->to;
  REAL        kept = (REAL) (1.0 / (1.0 - work->p));
  float       numbers[256];

  for (gint64 first = begin; first < end; first += (gint64) G_N_ELEMENTS (numbers))
    {
      gint64 n = MIN ((gint64) G_N_ELEMENTS (numbers), end - first);

      if (work->p > 0)
        hyb_random_uniform_fill (work->seed, (guint64) first, numbers, (gsize) n);
      for (gint64 i = 0; i < n; i++)
        mask[first + i] = work->p <= 0 ? 1 : (double) numbers[i] < 1.0 - work->p ? kept : 0;
    }
}

static void
NAME (multiply_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  const REAL *x = work->x;
  const REAL *mask = work->mask;
  REAL       *to = work->to;

  for (gint64 i = begin; i < end; i++)
    to[i] = x[i] * mask[i];
}

static void
NAME (multiply_row) (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const Work *work = data;
  const REAL *x = (const REAL *) work->x + offset[0];
  const REAL *mask = (const REAL *) work->mask + offset[1];
  REAL       *to = (REAL *) work->to + offset[0];

  for (gint64 i = 0; i < length; i++)
    to[i * stride[0]] = x[i * stride[0]] * mask[i * stride[1]];
}
