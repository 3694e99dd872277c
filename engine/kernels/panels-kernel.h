/* panels-kernel.h — the inner loops of panels.c for one instruction set; see simd.h.
 *
 * Defined besides are COLUMNS (X, argument): X (vector, argument) for each vector of a panel's
 * row; ROWS_ALL (X): X (rows) for each number of rows that has a kernel.
 *
 * Every sum is kept in a register of its own, named by row and vector, for compilers do not
 * keep arrays there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define KERNEL(rows) HYB_SIMD_JOIN (HYB_SIMD_JOIN (multiply, rows), NAME)

#define ROWS_1(X) X (0)
#define ROWS_2(X) ROWS_1 (X) X (1)
#define ROWS_3(X) ROWS_2 (X) X (2)
#define ROWS_4(X) ROWS_3 (X) X (3)
#define ROWS_5(X) ROWS_4 (X) X (4)
#define ROWS_6(X) ROWS_5 (X) X (5)
#define ROWS_7(X) ROWS_6 (X) X (6)
#define ROWS_8(X) ROWS_7 (X) X (7)

#define LOAD_WEIGHTS(v, unused) Vector w##v = LOAD (panel + (v) *LANES);

#define DECLARE_SUM(v, row) Vector sum##row##v = ZERO ();
#define DECLARE_ROW(row)    COLUMNS (DECLARE_SUM, row)

#define ADD_PRODUCT(v, row) sum##row##v = MULTIPLY_ADD (spread##row, w##v, sum##row##v);
#define ADD_ROW(row)                            \
  Vector spread##row = SPREAD (x + (row) *ldx); \
  COLUMNS (ADD_PRODUCT, row)

#define ADD_BIAS(v, row) sum##row##v = ADD (sum##row##v, LOAD (bias + (v) *LANES));
#define ADD_OLD(v, row)  sum##row##v = ADD (sum##row##v, LOAD (y + (row) *ldy + (v) *LANES));
#define WRITE(v, row)    STORE (y + (row) *ldy + (v) *LANES, sum##row##v);
#define BIAS_ROW(row)    COLUMNS (ADD_BIAS, row)
#define OLD_ROW(row)     COLUMNS (ADD_OLD, row)
#define WRITE_ROW(row)   COLUMNS (WRITE, row)

/* So many rows times one panel; bias may be NULL. */
#define DEFINE(rows)                                                                        \
  static TARGET void KERNEL (rows) (gint64       k,                                         \
                                    const float *x,                                         \
                                    gint64       ldx,                                       \
                                    const float *panel,                                     \
                                    const float *bias,                                      \
                                    gboolean     adds,                                      \
                                    float       *y,                                         \
                                    gint64       ldy)                                       \
  {                                                                                         \
    ROWS_##rows (DECLARE_ROW) for (gint64 l = 0; l < k; l++, x++, panel += HYB_PANEL_WIDTH) \
    {                                                                                       \
      COLUMNS (LOAD_WEIGHTS, )                                                              \
      ROWS_##rows (ADD_ROW)                                                                 \
    }                                                                                       \
    if (bias != NULL)                                                                       \
      {                                                                                     \
        ROWS_##rows (BIAS_ROW)                                                              \
      }                                                                                     \
    if (adds)                                                                               \
      {                                                                                     \
        ROWS_##rows (OLD_ROW)                                                               \
      }                                                                                     \
    ROWS_##rows (WRITE_ROW)                                                                 \
  }

ROWS_ALL (DEFINE)
