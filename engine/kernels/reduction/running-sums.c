/* running-sums.c — running sums of lines: those that lie side by side by vectors, one alone and bytes by plain loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/running-sums.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/reduction/running-sums-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Line by line.  Sum is unsigned for integers, because signed overflow is undefined. */
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
LINES (float, double, f32)
LINES (double, double, f64)
LINES (gint8, guint8, i8)
LINES (guint8, guint8, u8)
LINES (gint32, guint32, i32)
LINES (gint64, guint64, i64)
#undef LINES

typedef void (*Loop) (const HybRunningSums *sums);

void
hyb_running_sums (const HybRunningSums *sums)
{
  static const Loop each_line[HYB_N_DTYPES] = {
    [HYB_F32] = each_line_f32, [HYB_F64] = each_line_f64, [HYB_U8] = each_line_u8,
    [HYB_I8] = each_line_i8,   [HYB_I32] = each_line_i32, [HYB_I64] = each_line_i64,
  };
  const Loop side_by_side[HYB_N_DTYPES] = {
    [HYB_F32] = HYB_SIMD_CHOOSE (lines_f32),
    [HYB_F64] = HYB_SIMD_CHOOSE (lines_f64),
    [HYB_I32] = HYB_SIMD_CHOOSE (lines_i32),
    [HYB_I64] = HYB_SIMD_CHOOSE (lines_i64),
  };

  if (sums->n_lines > 1 && side_by_side[sums->dtype])
    side_by_side[sums->dtype](sums);
  else
    each_line[sums->dtype](sums);
}
