/* quantise-linear-kernel.h — the loops of quantise-linear.c for one instruction set, which the compiler vectorises.
 *
 * Numbers are limited before they are rounded, so that adding and subtracting ROUNDING rounds them to the nearest integer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last bit of a float near this number is 1. */
#define ROUNDING 0x1.8p23f
/* Elements whose rounded numbers are kept, to be narrowed in a loop of their own. */
#define PIECE 256

/* number[i] = round (x[i] / scale) + zero within [low, high]; NaN gives low.  Strides are constants where this is inlined. */
INLINE void
SIMD (round_piece) (const HybLinearRow *row,
                    const gint64       *stride,
                    const float        *x,
                    const float        *limit,
                    gint32             *number)
{
  HYB_INDEPENDENT
  for (gint64 i = 0; i < row->n; i++)
    {
      float zero = row->zero[i * stride[1]];
      float low = limit[0] - zero, high = limit[1] - zero;
      float value = x[i] / row->scale[i * stride[0]];

      value = value > low ? value : low;
      value = value < high ? value : high;
      number[i] = (gint32) ((value + ROUNDING) - ROUNDING + zero);
    }
}

#define QUANTISE(T, suffix, lowest, highest)                                                  \
  static TARGET void SIMD (quantise_##suffix) (const HybLinearRow *whole, gconstpointer from, \
                                               gpointer to)                                   \
  {                                                                                           \
    static const float limit[] = { lowest, highest };                                         \
    gint32             number[PIECE];                                                         \
                                                                                              \
    for (gint64 at = 0; at < whole->n; at += PIECE)                                           \
      {                                                                                       \
        HybLinearRow row = *whole;                                                            \
        T           *y = (T *) to + at;                                                       \
                                                                                              \
        row.n = MIN (PIECE, whole->n - at);                                                   \
        row.scale += at * row.scale_stride;                                                   \
        row.zero += at * row.zero_stride;                                                     \
        if (row.scale_stride == 0 && row.zero_stride == 0)                                    \
          SIMD (round_piece)                                                                  \
        (&row, (const gint64[]){ 0, 0 }, (const float *) from + at, limit, number);           \
        else SIMD (round_piece) (&row, (const gint64[]){ row.scale_stride, row.zero_stride }, \
                                 (const float *) from + at, limit, number);                   \
        for (gint64 i = 0; i < row.n; i++)                                                    \
          y[i] = (T) number[i];                                                               \
      }                                                                                       \
  }

#define DEQUANTISE(T, suffix)                                                                 \
  static TARGET void SIMD (dequantise_##suffix) (const HybLinearRow *row, gconstpointer from, \
                                                 gpointer to)                                 \
  {                                                                                           \
    const T     *x = from;                                                                    \
    float       *y = to;                                                                      \
    const float *scale = row->scale, *zero = row->zero;                                       \
    gint64       scale_stride = row->scale_stride, zero_stride = row->zero_stride;            \
    float        one_scale = scale[0], one_zero = zero[0];                                    \
                                                                                              \
    if (scale_stride == 0 && zero_stride == 0)                                                \
      {                                                                                       \
        HYB_INDEPENDENT                                                                       \
        for (gint64 i = 0; i < row->n; i++)                                                   \
          y[i] = ((float) x[i] - one_zero) * one_scale;                                       \
      }                                                                                       \
    else                                                                                      \
      {                                                                                       \
        HYB_INDEPENDENT                                                                       \
        for (gint64 i = 0; i < row->n; i++)                                                   \
          y[i] = ((float) x[i] - zero[i * zero_stride]) * scale[i * scale_stride];            \
      }                                                                                       \
  }

/* Four pairs of vectors, because each comparison waits for the one before. */
static TARGET void
SIMD (limits) (gint64 n, const float *x, float *limits)
{
  Floats low[4] = { { 0 } }, high[4] = { { 0 } };
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    HYB_UNROLL (4)
  for (int v = 0; v < 4; v++)
    {
      Floats value = simd_load (x + i + v * LANES);

      low[v] = simd_min (value, low[v]);
      high[v] = simd_max (value, high[v]);
    }
  for (; i < n; i += LANES)
    {
      Floats value = i + LANES <= n ? simd_load (x + i) : simd_load_part (x + i, n - i);

      low[0] = simd_min (value, low[0]);
      high[0] = simd_max (value, high[0]);
    }
  low[0] = simd_min (simd_min (low[0], low[1]), simd_min (low[2], low[3]));
  high[0] = simd_max (simd_max (high[0], high[1]), simd_max (high[2], high[3]));
  limits[0] = -simd_lane_max (-low[0]);
  limits[1] = simd_lane_max (high[0]);
}

QUANTISE (gint8, i8, -128, 127)
QUANTISE (guint8, u8, 0, 255)
DEQUANTISE (gint8, i8)
DEQUANTISE (guint8, u8)

#undef QUANTISE
#undef DEQUANTISE
#undef ROUNDING
#undef PIECE
