/* leaky-relu-kernel.h — the loops of leaky-relu.c, for float and double.  All work on elements
 * [begin, end) in order, except gamma_sums, which reduces for one slope after the other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

static inline REAL
NAME (slope_at) (const LeakyArgs *args, gint64 index)
{
  return ((const REAL *) args->gamma)[index / args->slopes.inner % args->slopes.slopes];
}

/* y = scale (x > 0 ? x : slope (exp x − 1)); y may be x. */
static void
NAME (elu) (gint64 n, const REAL *x, REAL *y, REAL scale, REAL slope)
{
  REAL part[256];

  for (gint64 begin = 0; begin < n; begin += G_N_ELEMENTS (part))
    {
      gint64 count = MIN (n - begin, (gint64) G_N_ELEMENTS (part));

      NAME (expm1_of) ((gsize) count, x + begin, part);
      for (gint64 i = 0; i < count; i++)
        part[i] *= slope;
      for (gint64 i = 0; i < count; i++)
        {
          REAL curve = part[i];

          part[i] = x[begin + i] > 0 ? x[begin + i] : curve;
        }
      for (gint64 i = 0; i < count; i++)
        y[begin + i] = scale * part[i];
    }
}

/* d/dx ½ x (1 + erf (x/√2)) = ½ (1 + erf (x/√2)) + x φ(x). */
static inline REAL
NAME (gelu_slope) (REAL x)
{
  REAL density = exp (-x * x / 2) * (REAL) (M_SQRT1_2 * M_2_SQRTPI / 2);

  return (REAL) 0.5 * (1 + erf (x * (REAL) M_SQRT1_2)) + x * density;
}

/* Slopes of rrelu: uniform in [lower_bound, upper_bound) while training, else the mean of both. */
static void
NAME (draw_slopes) (const LeakyArgs *args, gint64 begin, gint64 end)
{
  REAL  *mask = args->mask;
  double low = args->params->lower_bound, high = args->params->upper_bound;

  for (gint64 i = begin; i < end; i++)
    mask[i] = args->training
                  ? (REAL) (low + (high - low) * hyb_random_uniform (args->seed, (guint64) i))
                  : (REAL) ((low + high) / 2);
}

static void
NAME (leaky_slice) (gint64 begin, gint64 end, gpointer data)
{
  const LeakyArgs *args = data;
  const REAL      *x = args->x;
  REAL            *y = args->to;
  const REAL      *mask = args->mask;
  REAL             slope = (REAL) args->params->slope;

  if (args->mask)
    NAME (draw_slopes) (args, begin, end);

  switch ((LeakyKind) args->params->act_type)
    {
    case LEAKY:
      NAME (leaky) ((gsize) (end - begin), x + begin, slope, y + begin);
      break;
    case RRELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : mask[i] * x[i];
      break;
    case PRELU:
      for (gint64 i = begin; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : NAME (slope_at) (args, i) * x[i];
      break;
    case ELU:
      NAME (elu) (end - begin, x + begin, y + begin, 1, slope);
      break;
    case SELU:
      NAME (elu) (end - begin, x + begin, y + begin, (REAL) SELU_LAMBDA, (REAL) SELU_ALPHA);
      break;
    case GELU:
      NAME (gelu) ((gsize) (end - begin), x + begin, y + begin);
      break;
    }
}

/* At x = 0 the slope of the negative side is used. */
static void
NAME (backward_slice) (gint64 begin, gint64 end, gpointer data)
{
  const LeakyArgs *args = data;
  const REAL      *x = args->x;
  const REAL      *y = args->y;
  const REAL      *dy = args->dy;
  const REAL      *mask = args->mask;
  REAL            *dx = args->to;
  REAL             slope = (REAL) args->params->slope;

  switch ((LeakyKind) args->params->act_type)
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
        dx[i] = x[i] > 0 ? dy[i] : NAME (slope_at) (args, i) * dy[i];
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

/* dgamma[slope] = Σ dy · x over the elements with that slope where x ≤ 0. */
static void
NAME (gamma_sums) (const LeakyArgs *args, gint64 size)
{
  const REAL *x = args->x;
  const REAL *dy = args->dy;
  REAL       *sums = args->to;
  gint64      inner = args->slopes.inner, slopes = args->slopes.slopes;

  for (gint64 slope = 0; slope < slopes; slope++)
    {
      double sum = 0.0;

      for (gint64 row = slope; row < size / MAX (inner, 1); row += slopes)
        for (gint64 i = row * inner; i < (row + 1) * inner; i++)
          if (!(x[i] > 0))
            sum += (double) dy[i] * (double) x[i];
      sums[slope] = (REAL) sum;
    }
}
