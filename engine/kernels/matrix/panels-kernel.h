/* panels-kernel.h — the inner loops of panels.c for one instruction set; see each-simd.h.
 *
 * multiply_R: Y[R,32] = sum_k X[R,k] panel[k,32]; for k, for each of R rows, for each vector of
 * the panel's row.  R runs from 1 to the number of rows whose sums fit the registers.
 *
 * COLUMNS (X, argument) expands to X (vector, argument) for each vector of a panel's row; ROWS_ALL
 * (X) expands to X (rows) for each R.  Every sum is a variable of its own, named by row and
 * vector, because compilers do not keep arrays in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#if LANES == 16
#define COLUMNS(X, argument) X (0, argument) X (1, argument)
#define ROWS_ALL(X)          X (1) X (2) X (3) X (4) X (5) X (6) X (7) X (8) X (9) X (10) X (11) X (12)
#define MAX_KERNEL_ROWS      12
#elif LANES == 8
#define COLUMNS(X, argument) X (0, argument) X (1, argument) X (2, argument) X (3, argument)
#define ROWS_ALL(X)          X (1) X (2) X (3)
#define MAX_KERNEL_ROWS      3
#else
#define COLUMNS(X, argument) \
  X (0, argument)            \
  X (1, argument)            \
  X (2, argument) X (3, argument) X (4, argument) X (5, argument) X (6, argument) X (7, argument)
#define ROWS_ALL(X)     X (1)
#define MAX_KERNEL_ROWS 1
#endif

#define KERNEL(rows) SIMD (multiply_##rows)

#define ROWS_1(X)  X (0)
#define ROWS_2(X)  ROWS_1 (X) X (1)
#define ROWS_3(X)  ROWS_2 (X) X (2)
#define ROWS_4(X)  ROWS_3 (X) X (3)
#define ROWS_5(X)  ROWS_4 (X) X (4)
#define ROWS_6(X)  ROWS_5 (X) X (5)
#define ROWS_7(X)  ROWS_6 (X) X (6)
#define ROWS_8(X)  ROWS_7 (X) X (7)
#define ROWS_9(X)  ROWS_8 (X) X (8)
#define ROWS_10(X) ROWS_9 (X) X (9)
#define ROWS_11(X) ROWS_10 (X) X (10)
#define ROWS_12(X) ROWS_11 (X) X (11)

#define LOAD_WEIGHTS(v, unused) Floats w##v = simd_load (panel + (v) *LANES);

#define DECLARE_SUM(v, row) Floats sum##row##v = { 0 };
#define DECLARE_ROW(row)    COLUMNS (DECLARE_SUM, row)

#define ADD_PRODUCT(v, row) sum##row##v = simd_multiply_add (spread##row, w##v, sum##row##v);
#define ADD_ROW(row)                              \
  Floats spread##row = simd_fill (x[(row) *ldx]); \
  COLUMNS (ADD_PRODUCT, row)

#define ADD_BIAS(v, row) sum##row##v += simd_load (bias + (v) *LANES);
#define ADD_OLD(v, row)  sum##row##v += simd_load (y + (row) *ldy + (v) *LANES);
#define WRITE(v, row)    simd_store (y + (row) *ldy + (v) *LANES, sum##row##v);
#define BIAS_ROW(row)    COLUMNS (ADD_BIAS, row)
#define OLD_ROW(row)     COLUMNS (ADD_OLD, row)
#define WRITE_ROW(row)   COLUMNS (WRITE, row)

/* Defines multiply_<rows>: that many rows of X times one panel; bias may be NULL. */
#define DEFINE(rows)                                                            \
  static TARGET void KERNEL (rows) (gint64          k,                          \
                                    const float    *x,                          \
                                    gint64          ldx,                        \
                                    const float    *panel,                      \
                                    const float    *bias,                       \
                                    gboolean        adds,                       \
                                    float          *y,                          \
                                    gint64          ldy,                        \
                                    const Prefetch *prefetch)                   \
  {                                                                             \
    gint64 until;                                                               \
    ROWS_##rows (DECLARE_ROW);                                                  \
                                                                                \
    for (gint64 first = 0; first < k; first = until)                            \
      {                                                                         \
        until = MIN (first + HYB_LINE_FLOATS, k);                               \
        for (gint64 row = 0; row < prefetch->n_rows; row++)                     \
          __builtin_prefetch (prefetch->from + row * prefetch->stride + first); \
        for (gint64 l = first; l < until; l++, x++, panel += HYB_PANEL_WIDTH)   \
          {                                                                     \
            COLUMNS (LOAD_WEIGHTS, )                                            \
            ROWS_##rows (ADD_ROW)                                               \
          }                                                                     \
      }                                                                         \
    if (bias)                                                                   \
      {                                                                         \
        ROWS_##rows (BIAS_ROW)                                                  \
      }                                                                         \
    if (adds)                                                                   \
      {                                                                         \
        ROWS_##rows (OLD_ROW)                                                   \
      }                                                                         \
    ROWS_##rows (WRITE_ROW)                                                     \
  }

ROWS_ALL (DEFINE)

#define ENTRY(rows) KERNEL (rows),
static const Kernels SIMD (kernels) = { MAX_KERNEL_ROWS, { NULL, ROWS_ALL (ENTRY) } };

#undef ENTRY
#undef COLUMNS
#undef ROWS_ALL
#undef MAX_KERNEL_ROWS
