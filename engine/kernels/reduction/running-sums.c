/* running-sums.c — running sums of lines: those that lie side by side by vectors, fewer than fill one and bytes by plain loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/running-sums.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

/* Adds `length` elements of one line to *total in double, one by one. */
G_GNUC_NO_INLINE static void
add_in_double (const HybRunningSums *lines, const float *x, float *y, gint64 length, double *total)
{
  for (gint64 k = 0; k < length; k++)
    {
      double before = *total;

      *total += (double) x[k * lines->step];
      y[k * lines->step] = (float) (lines->is_exclusive ? before : *total);
    }
}

/* Adds at most HYB_RUNNING_FLOATS elements of one line to *total: as floats, or in double if that overflows. */
static inline void
add_strip_f32 (const HybRunningSums *lines, const float *x, float *y, gint64 length, double *total)
{
  const gint64 step = lines->step;
  float        base = (float) *total, part = 0, sum = 0, old;

  for (gint64 k = 0; k < length; k++)
    part += x[k * step];
  if (!isfinite (base) || !isfinite (part))
    {
      add_in_double (lines, x, y, length, total);
      return;
    }
  for (gint64 k = 0; k < length; k++)
    {
      old = sum;
      sum += x[k * step];
      y[k * step] = base + (lines->is_exclusive ? old : sum);
    }
  *total += (double) part;
}

#define SIMD_KERNEL "engine/kernels/reduction/running-sums-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Floats line by line, in the same order as side by side. */
static void
each_line_f32 (const HybRunningSums *sums)
{
  for (gint64 i = 0; i < sums->n_lines; i++)
    {
      double total = 0;

      for (gint64 k = 0; k < sums->length; k += HYB_RUNNING_FLOATS)
        add_strip_f32 (sums, (const float *) sums->x + i + k * sums->step,
                       (float *) sums->y + i + k * sums->step,
                       MIN (HYB_RUNNING_FLOATS, sums->length - k), &total);
    }
}

/* Others line by line.  Sum is unsigned for integers, because signed overflow is undefined. */
#define LINES(T, Sum, suffix)                                   \
  static void each_line_##suffix (const HybRunningSums *sums)   \
  {                                                             \
    gboolean exclusive = sums->is_exclusive;                    \
                                                                \
    for (gint64 i = 0; i < sums->n_lines; i++)                  \
      {                                                         \
        const T *x = (const T *) sums->x + i;                   \
        T       *y = (T *) sums->y + i;                         \
        Sum      sum = 0;                                       \
                                                                \
        for (gint64 k = 0; k < sums->length && exclusive; k++)  \
          {                                                     \
            T value = x[k * sums->step];                        \
                                                                \
            y[k * sums->step] = (T) sum;                        \
            sum += (Sum) value;                                 \
          }                                                     \
        for (gint64 k = 0; k < sums->length && !exclusive; k++) \
          {                                                     \
            sum += (Sum) x[k * sums->step];                     \
            y[k * sums->step] = (T) sum;                        \
          }                                                     \
      }                                                         \
  }
LINES (double, double, f64)
LINES (gint8, guint8, i8)
LINES (guint8, guint8, u8)
LINES (gint32, guint32, i32)
LINES (gint64, guint64, i64)
#undef LINES

typedef void (*Loop) (const HybRunningSums *sums);

/* Returns the loop for lines that lie side by side and fill a vector at least; NULL for bytes. */
static Loop
find_loop (HybSimdLevel level, HybDType dtype)
{
#define TYPES(level)                                                                             \
  {                                                                                              \
    [HYB_F32] = lines_f32_##level, [HYB_F64] = lines_f64_##level, [HYB_I32] = lines_i32_##level, \
    [HYB_I64] = lines_i64_##level                                                                \
  }
  static const Loop loops[][HYB_N_DTYPES] = {
    [HYB_SIMD_PLAIN] = TYPES (plain),
#ifdef __x86_64__
    [HYB_SIMD_AVX2] = TYPES (avx2),
    [HYB_SIMD_AVX512] = TYPES (avx512),
#endif
  };
#undef TYPES

  return loops[level][dtype];
}

/* n lines from `first` on. */
static HybRunningSums
some_lines (const HybRunningSums *sums, gint64 first, gint64 n)
{
  HybRunningSums some = *sums;
  gint64         skip = first * (gint64) hyb_dtype_size (sums->dtype);

  some.n_lines = n;
  some.x = (const char *) some.x + skip;
  some.y = (char *) some.y + skip;
  return some;
}

void
hyb_running_sums (const HybRunningSums *sums)
{
  static const Loop each_line[HYB_N_DTYPES] = {
    [HYB_F32] = each_line_f32, [HYB_F64] = each_line_f64, [HYB_U8] = each_line_u8,
    [HYB_I8] = each_line_i8,   [HYB_I32] = each_line_i32, [HYB_I64] = each_line_i64,
  };
  gint64         size = (gint64) hyb_dtype_size (sums->dtype), bytes = sums->n_lines * size;
  gint64         vector = 16, n_side_by_side = sums->n_lines;
  HybSimdLevel   level = HYB_SIMD_PLAIN;
  HybRunningSums some;

  for (; level < hyb_simd_level () && bytes >= 2 * vector; level++)
    vector *= 2;
  if (bytes < vector || !find_loop (level, sums->dtype))
    n_side_by_side = 0;
  /* The last vector overlaps the one before, which may not have been written then. */
  else if (sums->x == sums->y)
    n_side_by_side -= n_side_by_side % (vector / size);

  if (n_side_by_side > 0)
    {
      some = some_lines (sums, 0, n_side_by_side);
      find_loop (level, sums->dtype) (&some);
    }
  if (n_side_by_side == sums->n_lines)
    return;
  some = some_lines (sums, n_side_by_side, sums->n_lines - n_side_by_side);
  each_line[sums->dtype](&some);
}
