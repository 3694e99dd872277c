/* vector-integers-kernel.h — the loops of vector-integers.c for one instruction set, which the compiler vectorises.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define MAP(name, From, To)                                             \
  static TARGET void SIMD (map_##name) (gint64 n, const From *x, To *y) \
  {                                                                     \
    for (gint64 i = 0; i < n; i++)                                      \
      y[i] = (To) x[i];                                                 \
  }

MAP (f32_to_i64, float, gint64)
MAP (f32_to_i32, float, gint32)
MAP (i64_to_f32, gint64, float)
MAP (u8_to_f32, guint8, float)
MAP (i8_to_f32, gint8, float)

#undef MAP
