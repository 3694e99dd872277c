/* leaky-relu-kernel.h — the loops of leaky-relu.c, for float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

static inline REAL
NAME (slope_of_channel) (const Work *work, gint64 index)
{
  return ((const REAL *) work->gamma)[index / work->channels.inner % work->channels.channels];
}

static inline REAL
NAME (gelu) (REAL x)
{
  return (REAL) 0.5 * x * (1 + erf (x * (REAL) M_SQRT1_2));
}

/* d/dx ½ x (1 + erf (x/√2)) = ½ (1 + erf (x/√2)) + x φ(x). */
static inline REAL
NAME (gelu_slope) (REAL x)
{
  REAL density = exp (-x * x / 2) * (REAL) (M_SQRT1_2 * M_2_SQRTPI / 2);

  return (REAL) 0.5 * (1 + erf (x * (REAL) M_SQRT1_2)) + x * density;
}

/* The slopes of rrelu: drawn while training, their mean otherwise. */
static void
NAME (draw_slopes) (const Work *work, gint64 begin, gint64 end)
{
  REAL  *mask = work->mask;
  double low = work->params->lower_bound, high = work->params->upper_bound;

  for (gint64 i = begin; i < end; i++)
    mask[i] = work->training
                  ? (REAL) (low + (high - low) * hyb_random_uniform (work->seed, (guint64) i))
                  : (REAL) ((low + high) / 2);
}

static void
NAME (leaky_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  const REAL *x = work->x;
  REAL       *y = work->to;
  const REAL *mask = work->mask;
  REAL        slope = (REAL) work->params->slope;

  if (work->mask)
    NAME (draw_slopes) (work, begin, end);

  switch ((LeakyKind) work->params->act_type)
    {
    case LEAKY:
      for (gint64 i = begin; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : slope * x[i];
      break;
    case RRELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : mask[i] * x[i];
      break;
    case PRELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : NAME (slope_of_channel) (work, i) * x[i];
      break;
    case ELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : slope * expm1 (x[i]);
      break;
    case SELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = (REAL) SELU_LAMBDA * (x[i] > 0 ? x[i] : (REAL) SELU_ALPHA * expm1 (x[i]));
      break;
    case GELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = NAME (gelu) (x[i]);
      break;
    }
}

/* At 0 the slope of the negative side holds. */
static void
NAME (backward_slice) (gint64 begin, gint64 end, gpointer data)
{
  const Work *work = data;
  const REAL *x = work->x;
  const REAL *y = work->y;
  const REAL *dy = work->dy;
  const REAL *mask = work->mask;
  REAL       *dx = work->to;
  REAL        slope = (REAL) work->params->slope;

  switch ((LeakyKind) work->params->act_type)
    {
    case LEAKY:
      for (gint64 i = begin; i < end; i++)
        dx[i] = x[i] > 0 ? dy[i] : slope * dy[i];
      break;
    case RRELU:
      for (gint64 i = begin; i < end; i++)
        dx[i] = x[i] > 0 ? dy[i] : mask[i] * dy[i];
      break;
    case PRELU:
      for (gint64 i = begin; i < end; i++)
        dx[i] = x[i] > 0 ? dy[i] : NAME (slope_of_channel) (work, i) * dy[i];
      break;
    case ELU:
      for (gint64 i = begin; i < end; i++)
        dx[i] = x[i] > 0 ? dy[i] : slope * exp (x[i]) * dy[i];
      break;
    case SELU:
      for (gint64 i = begin; i < end; i++)
        dx[i] = (REAL) SELU_LAMBDA * (x[i] > 0 ? 1 : (REAL) SELU_ALPHA + y[i]) * dy[i];
      break;
    case GELU:
      for (gint64 i = begin; i < end; i++)
        dx[i] = NAME (gelu_slope) (x[i]) * dy[i];
      break;
    }
}

static void
NAME (gamma_sums) (const Work *work, gint64 size)
{
  const REAL *x = work->x;
  const REAL *dy = work->dy;
  REAL       *sums = work->to;
  gint64      inner = work->channels.inner, channels = work->channels.channels;

  for (gint64 channel = 0; channel < channels; channel++)
    {
      double sum = 0.0;

      for (gint64 row = channel; row < size / MAX (inner, 1); row += channels)
        for (gint64 i = row * inner; i < (row + 1) * inner; i++)
          if (!(x[i] > 0))
            sum += (double) dy[i] * (double) x[i];
      sums[channel] = (REAL) sum;
    }
}
