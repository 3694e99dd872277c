/* elementwise-simple-kernel.h — the loops of elementwise-simple.c for one instruction set, of which the compiler makes
 * vectors.  All instruction sets give the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integers are computed as Value. */
#define LOOP(id, T, suffix, Value, formula) \
  UNARY_LOOP_AS (TARGET, SIMD (id##_##suffix), T, Value, formula)

#define ROW(id, text, formula, integer)                                                    \
  LOOP (id, float, f32, float, formula)                                                    \
  LOOP (id, double, f64, double, formula)                                                  \
  LOOP (id, guint8, u8, gint64, integer)                                                   \
  LOOP (id, gint8, i8, gint64, integer)                                                    \
  LOOP (id, gint32, i32, gint64, integer)                                                  \
  LOOP (id, gint64, i64, gint64, integer)                                                  \
  static const HybParallelFunc SIMD (id##_loops)[HYB_N_DTYPES] = {                         \
    [HYB_F32] = SIMD (id##_f32), [HYB_F64] = SIMD (id##_f64), [HYB_U8] = SIMD (id##_u8),   \
    [HYB_I8] = SIMD (id##_i8),   [HYB_I32] = SIMD (id##_i32), [HYB_I64] = SIMD (id##_i64), \
  };
SIGN_ROWS (ROW)
SMOOTH_ROWS (ROW)
#undef ROW

/* Limits doubles.  NaN stays. */
static TARGET void
SIMD (clip_doubles) (gint64 n, const double *x, double low, double high, double *y)
{
  HYB_INDEPENDENT
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] > high ? high : x[i] < low ? low : x[i];
}

#undef LOOP
