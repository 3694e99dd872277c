/* vector-integers-kernel.h — the loops of vector-integers.c for one instruction set, which the compiler vectorises.
 *
 * SIMD (conversions) has a loop for each pair of types where C defines all results.  The narrow_…() functions convert floats
 * to integers and return 0 if each number lies within a limit, so that the results are defined.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define MAP(from, From, to, To)                                                             \
  static TARGET void SIMD (from##_to_##to) (gint64 n, gconstpointer input, gpointer output) \
  {                                                                                         \
    const From *x = input;                                                                  \
    To         *y = output;                                                                 \
                                                                                            \
    HYB_INDEPENDENT                                                                         \
    for (gint64 i = 0; i < n; i++)                                                          \
      y[i] = (To) x[i];                                                                     \
  }
#define TEST(from, From)                                                                    \
  static TARGET void SIMD (from##_to_bool) (gint64 n, gconstpointer input, gpointer output) \
  {                                                                                         \
    const From *x = input;                                                                  \
    guint8     *y = output;                                                                 \
                                                                                            \
    HYB_INDEPENDENT                                                                         \
    for (gint64 i = 0; i < n; i++)                                                          \
      y[i] = x[i] != 0;                                                                     \
  }
#define NARROW(from, From, to, To, Whole, absolute)                                   \
  static TARGET gint32 SIMD (narrow_##from##_to_##to) (gint64 n, gconstpointer input, \
                                                       gpointer output)               \
  {                                                                                   \
    const From *x = input;                                                            \
    To         *y = output;                                                           \
    const From  limit = sizeof (Whole) == 8 ? (From) 0x1p63 : (From) 0x1p31;          \
    gint32      outside = 0;                                                          \
                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                    \
      outside |= !(absolute (x[i]) < limit);                                          \
    if (outside)                                                                      \
      return outside;                                                                 \
    HYB_INDEPENDENT                                                                   \
    for (gint64 i = 0; i < n; i++)                                                    \
      y[i] = (To) (Whole) x[i];                                                       \
    return 0;                                                                         \
  }

/* Signed integers are widened with their sign; narrower integers are the low bits of wider ones. */
MAP (u8, guint8, i32, gint32)
MAP (u8, guint8, i64, gint64)
MAP (u8, guint8, f32, float)
MAP (u8, guint8, f64, double)
TEST (u8, guint8)
MAP (i8, gint8, i32, gint32)
MAP (i8, gint8, i64, gint64)
MAP (i8, gint8, f32, float)
MAP (i8, gint8, f64, double)
MAP (i32, gint32, u8, guint8)
MAP (i32, gint32, i64, gint64)
MAP (i32, gint32, f32, float)
MAP (i32, gint32, f64, double)
TEST (i32, gint32)
MAP (i64, gint64, u8, guint8)
MAP (i64, gint64, i32, gint32)
MAP (i64, gint64, f32, float)
MAP (i64, gint64, f64, double)
TEST (i64, gint64)
MAP (f32, float, f64, double)
TEST (f32, float)
MAP (f64, double, f32, float)
TEST (f64, double)

NARROW (f32, float, u8, guint8, gint32, fabsf)
NARROW (f32, float, i32, gint32, gint32, fabsf)
NARROW (f32, float, i64, gint64, gint64, fabsf)
NARROW (f64, double, u8, guint8, gint32, fabs)
NARROW (f64, double, i32, gint32, gint32, fabs)
NARROW (f64, double, i64, gint64, gint64, fabs)

#undef MAP
#undef TEST
#undef NARROW

/* A bool is 0 or 1. */
static const ConvertFunc SIMD (conversions)[HYB_N_DTYPES][HYB_N_DTYPES] = {
  [HYB_U8] = { [HYB_I32] = SIMD (u8_to_i32),
               [HYB_I64] = SIMD (u8_to_i64),
               [HYB_F32] = SIMD (u8_to_f32),
               [HYB_F64] = SIMD (u8_to_f64),
               [HYB_BOOL] = SIMD (u8_to_bool) },
  [HYB_BOOL] = { [HYB_I32] = SIMD (u8_to_i32),
                 [HYB_I64] = SIMD (u8_to_i64),
                 [HYB_F32] = SIMD (u8_to_f32),
                 [HYB_F64] = SIMD (u8_to_f64) },
  [HYB_I8] = { [HYB_I32] = SIMD (i8_to_i32),
               [HYB_I64] = SIMD (i8_to_i64),
               [HYB_F32] = SIMD (i8_to_f32),
               [HYB_F64] = SIMD (i8_to_f64),
               [HYB_BOOL] = SIMD (u8_to_bool) },
  [HYB_I32] = { [HYB_U8] = SIMD (i32_to_u8),
                [HYB_I8] = SIMD (i32_to_u8),
                [HYB_I64] = SIMD (i32_to_i64),
                [HYB_F32] = SIMD (i32_to_f32),
                [HYB_F64] = SIMD (i32_to_f64),
                [HYB_BOOL] = SIMD (i32_to_bool) },
  [HYB_I64] = { [HYB_U8] = SIMD (i64_to_u8),
                [HYB_I8] = SIMD (i64_to_u8),
                [HYB_I32] = SIMD (i64_to_i32),
                [HYB_F32] = SIMD (i64_to_f32),
                [HYB_F64] = SIMD (i64_to_f64),
                [HYB_BOOL] = SIMD (i64_to_bool) },
  [HYB_F32] = { [HYB_F64] = SIMD (f32_to_f64), [HYB_BOOL] = SIMD (f32_to_bool) },
  [HYB_F64] = { [HYB_F32] = SIMD (f64_to_f32), [HYB_BOOL] = SIMD (f64_to_bool) },
};

static const NarrowFunc SIMD (narrowings)[HYB_N_DTYPES][HYB_N_DTYPES] = {
  [HYB_F32] = { [HYB_U8] = SIMD (narrow_f32_to_u8),
                [HYB_I8] = SIMD (narrow_f32_to_u8),
                [HYB_I32] = SIMD (narrow_f32_to_i32),
                [HYB_I64] = SIMD (narrow_f32_to_i64) },
  [HYB_F64] = { [HYB_U8] = SIMD (narrow_f64_to_u8),
                [HYB_I8] = SIMD (narrow_f64_to_u8),
                [HYB_I32] = SIMD (narrow_f64_to_i32),
                [HYB_I64] = SIMD (narrow_f64_to_i64) },
};
