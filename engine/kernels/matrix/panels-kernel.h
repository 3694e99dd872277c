/* panels-kernel.h — the inner loops of panels.c for one instruction set; see each-simd.h.
 *
 * multiply_R_P: Y[R,32 P] = sum_k X[R,k] panels[P,k,32]; for k, for each of R rows, for each vector of P panels.
 * R runs from 1 to the number of rows whose sums fit the registers.  A sum is ready for the next multiply-add four
 * cycles later, and two can start in a cycle, so that fewer than eight sums leave the processor idle: few rows are
 * multiplied with several panels at once (P > 1).
 *
 * COLUMNS_P (X, argument) expands to X (panel, vector, argument) for each vector of a row of P panels; ROWS_R (X,
 * argument) to X (row, argument); KERNELS (X) to X (rows, panels) for each kernel.  Every sum is a variable of its own,
 * named by row, panel and vector, because compilers do not keep arrays in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/row-lists.h"

#if LANES == 16
#define PANEL(X, p, argument) X (p, 0, argument) X (p, 1, argument)
#define KERNELS(X) \
  X (1, 1)         \
  X (2, 1)         \
  X (3, 1) X (4, 1) X (5, 1) X (6, 1) X (7, 1) X (8, 1) X (9, 1) X (10, 1) X (11, 1) X (12, 1)
#define WIDE_KERNELS(X)    X (2, 2) X (3, 2) X (4, 2) X (5, 2) X (6, 2)
#define ONE_ROW_KERNELS(X) X (1, 2) X (1, 3) X (1, 4) X (1, 5)
#define ONE_ROW_PANELS     4
#define LAST_KERNELS(X)    X (12, LAST_1, LANES) X (12, LAST_2, 2 * LANES)
#define MAX_KERNEL_ROWS    12
#define MAX_WIDE_ROWS      12
#elif LANES == 8
#define PANEL(X, p, argument) \
  X (p, 0, argument) X (p, 1, argument) X (p, 2, argument) X (p, 3, argument)
#define KERNELS(X) X (1, 1) X (2, 1) X (3, 1)
#define WIDE_KERNELS(X)
#define ONE_ROW_KERNELS(X) X (1, 2) X (1, 3)
#define ONE_ROW_PANELS     2
#define LAST_KERNELS(X) \
  X (12, LAST_1, LANES) X (6, LAST_2, 2 * LANES) X (4, LAST_3, 3 * LANES) X (3, LAST_4, 4 * LANES)
#define PART_KERNELS(X)              \
  X (STEP_BY_COLUMN, 2, FIRST_HALF)  \
  X (STEP_BY_COLUMN, 2, SECOND_HALF) \
  X (STEP_BY_ROW, 4, FIRST_QUARTER)  \
  X (STEP_BY_ROW, 4, SECOND_QUARTER) \
  X (STEP_BY_ROW, 4, THIRD_QUARTER) X (STEP_BY_ROW, 4, FOURTH_QUARTER)
#define MAX_KERNEL_ROWS 3
#define MAX_WIDE_ROWS   4
#else
#define PANEL(X, p, argument) \
  X (p, 0, argument)          \
  X (p, 1, argument)          \
  X (p, 2, argument)          \
  X (p, 3, argument)          \
  X (p, 4, argument)          \
  X (p, 5, argument) X (p, 6, argument) X (p, 7, argument)
#define KERNELS(X) X (1, 1)
#define WIDE_KERNELS(X)
#define ONE_ROW_KERNELS(X)
#define ONE_ROW_PANELS  1
#define LAST_KERNELS(X) X (1, LAST_8, 8 * LANES)
#define MAX_KERNEL_ROWS 1
#define MAX_WIDE_ROWS   1
#endif

#define COLUMNS_1(X, argument) PANEL (X, 0, argument)
#define COLUMNS_2(X, argument) COLUMNS_1 (X, argument) PANEL (X, 1, argument)
#define COLUMNS_3(X, argument) COLUMNS_2 (X, argument) PANEL (X, 2, argument)
#define COLUMNS_4(X, argument) COLUMNS_3 (X, argument) PANEL (X, 3, argument)
#define COLUMNS_5(X, argument) COLUMNS_4 (X, argument) PANEL (X, 4, argument)

/* The first vectors of a panel. */
#define COLUMNS_LAST_1(X, argument) X (0, 0, argument)
#define COLUMNS_LAST_2(X, argument) COLUMNS_LAST_1 (X, argument) X (0, 1, argument)
#define COLUMNS_LAST_3(X, argument) COLUMNS_LAST_2 (X, argument) X (0, 2, argument)
#define COLUMNS_LAST_4(X, argument) COLUMNS_LAST_3 (X, argument) X (0, 3, argument)
#define COLUMNS_LAST_8(X, argument) PANEL (X, 0, argument)

/* Halves and quarters of three panels of AVX2, which have twelve vectors: with two and four rows each has twelve sums. */
#define COLUMNS_FIRST_HALF(X, argument) PANEL (X, 0, argument) X (1, 0, argument) X (1, 1, argument)
#define COLUMNS_SECOND_HALF(X, argument) \
  X (1, 2, argument) X (1, 3, argument) PANEL (X, 2, argument)
#define COLUMNS_FIRST_QUARTER(X, argument)  X (0, 0, argument) X (0, 1, argument) X (0, 2, argument)
#define COLUMNS_SECOND_QUARTER(X, argument) X (0, 3, argument) X (1, 0, argument) X (1, 1, argument)
#define COLUMNS_THIRD_QUARTER(X, argument)  X (1, 2, argument) X (1, 3, argument) X (2, 0, argument)
#define COLUMNS_FOURTH_QUARTER(X, argument) X (2, 1, argument) X (2, 2, argument) X (2, 3, argument)

/* Kernels for 1 to some rows. */
#define UP_TO_1(X, panels) X (1, panels)
#define UP_TO_3(X, panels) UP_TO_1 (X, panels) X (2, panels) X (3, panels)
#define UP_TO_4(X, panels) UP_TO_3 (X, panels) X (4, panels)
#define UP_TO_6(X, panels) UP_TO_4 (X, panels) X (5, panels) X (6, panels)
#define UP_TO_12(X, panels) \
  UP_TO_6 (X, panels)       \
  X (7, panels) X (8, panels) X (9, panels) X (10, panels) X (11, panels) X (12, panels)

#define DECLARE_SUM(p, v, row)   Floats sum##row##p##v = { 0 };
#define DECLARE_ROW(row, panels) COLUMNS_##panels (DECLARE_SUM, row)
#define WEIGHTS(p, v)            panel + (p) *pitch + (v) *LANES
#define ADD_PRODUCT(row, p, v, w) \
  sum##row##p##v = simd_multiply_add (spread##row, w, sum##row##p##v);
#define SPREAD_ROW(row, unused) Floats spread##row = simd_fill (x[(row) *ldx]);

/* One step of k.  What is used several times is read into a register once: BY_ROW the weights, BY_COLUMN one number of
 * each row of X. */
#define LOAD_WEIGHTS(p, v, unused) Floats w##p##v = simd_load_register (WEIGHTS (p, v));
#define MULTIPLY_BY_ROW(p, v, row) ADD_PRODUCT (row, p, v, w##p##v)
#define MULTIPLY_ROW(row, panels)  SPREAD_ROW (row, ) COLUMNS_##panels (MULTIPLY_BY_ROW, row)
#define STEP_BY_ROW(rows, panels) \
  COLUMNS_##panels (LOAD_WEIGHTS, ) ROWS_##rows (MULTIPLY_ROW, panels)
#define MULTIPLY_SUM(row, p, v) ADD_PRODUCT (row, p, v, weights)
#define MULTIPLY_COLUMN(p, v, rows)                       \
  {                                                       \
    Floats weights = simd_load_register (WEIGHTS (p, v)); \
                                                          \
    ROWS_##rows (MULTIPLY_SUM, p, v)                      \
  }
#define STEP_BY_COLUMN(rows, panels) \
  ROWS_##rows (SPREAD_ROW, ) COLUMNS_##panels (MULTIPLY_COLUMN, rows)

/* The first column of a vector. */
#define FIRST(p, v)         ((p) *HYB_PANEL_WIDTH + (v) *LANES)
#define TO(p, v, row)       y + (row) *ldy + FIRST (p, v)
#define READ(from, p, v)    SIMD (load_columns) (from, columns - FIRST (p, v))
#define ADD_BIAS(p, v, row) sum##row##p##v += READ (bias + FIRST (p, v), p, v);
#define ADD_OLD(p, v, row)  sum##row##p##v += READ (TO (p, v, row), p, v);
#define WRITE(p, v, row) \
  SIMD (store_columns) (TO (p, v, row), columns - FIRST (p, v), sum##row##p##v);
#define BIAS_ROW(row, panels)  COLUMNS_##panels (ADD_BIAS, row)
#define OLD_ROW(row, panels)   COLUMNS_##panels (ADD_OLD, row)
#define WRITE_ROW(row, panels) COLUMNS_##panels (WRITE, row)

/* Prefetches HYB_LINE_FLOATS rows of some panels. */
INLINE void
SIMD (prefetch_panels) (const float *panel, gint64 pitch, gint64 n_panels)
{
  for (gint64 line = 0; line < HYB_PANEL_WIDTH; line++)
    for (gint64 p = 0; p < n_panels; p++)
      __builtin_prefetch (panel + p * pitch + line * HYB_LINE_FLOATS);
}

/* A vector of an array that has n more columns. */
INLINE Floats
SIMD (load_columns) (const float *from, gint64 n)
{
  return n >= LANES ? simd_load (from) : simd_load_part (from, MAX (n, 0));
}

INLINE void
SIMD (store_columns) (float *to, gint64 n, Floats value)
{
  if (n >= LANES)
    simd_store (to, value);
  else if (n > 0)
    simd_store_part (to, n, value);
}

#define KERNEL(rows, panels) SIMD (multiply_##rows##_##panels)
/* For kernels whose columns Y always has. */
#define ALL_COLUMNS G_MAXINT32

/* Defines multiply_<rows>_<panels>: that many rows of X times that many panels, a step of k being made by row or by column;
 * bias may be NULL; Y has n_columns. */
#define DEFINE_WITH(STEP, rows, panels, n_columns)                                     \
  static TARGET void KERNEL (rows, panels) (const HybPanelOperands *operands)          \
  {                                                                                    \
    const float            *x = operands->x, *panel = operands->panel;                 \
    const float            *bias = operands->bias;                                     \
    float                  *y = operands->y;                                           \
    gint64                  k = operands->k, ldx = operands->ldx, ldy = operands->ldy; \
    gint64                  pitch = operands->pitch, until;                            \
    const gint64            columns = n_columns;                                       \
    const HybPanelPrefetch *prefetch = &operands->prefetch;                            \
    gint64 chunk = prefetch->n_rows > 0 || operands->ahead > 0 ? HYB_LINE_FLOATS : k;  \
    ROWS_##rows (DECLARE_ROW, panels);                                                 \
                                                                                       \
    for (gint64 first = 0; first < k; first = until)                                   \
      {                                                                                \
        until = chunk < k - first ? first + chunk : k;                                 \
        for (gint64 row = 0; row < prefetch->n_rows; row++)                            \
          __builtin_prefetch (prefetch->from + row * prefetch->stride + first);        \
        if (operands->ahead > 0)                                                       \
          SIMD (prefetch_panels) (panel + operands->ahead, pitch, operands->n_panels); \
        for (gint64 l = first; l < until; l++, x++, panel += HYB_PANEL_WIDTH)          \
          {                                                                            \
            STEP (rows, panels)                                                        \
          }                                                                            \
      }                                                                                \
    if (bias)                                                                          \
      {                                                                                \
        ROWS_##rows (BIAS_ROW, panels)                                                 \
      }                                                                                \
    if (operands->adds)                                                                \
      {                                                                                \
        ROWS_##rows (OLD_ROW, panels)                                                  \
      }                                                                                \
    ROWS_##rows (WRITE_ROW, panels)                                                    \
  }

#define DEFINE_BY(STEP, rows, panels) DEFINE_WITH (STEP, rows, panels, ALL_COLUMNS)
#if LANES == 16
#define STEP_OF_PANELS STEP_BY_ROW
#else
#define STEP_OF_PANELS STEP_BY_COLUMN
#endif
#define DEFINE(rows, panels)         DEFINE_BY (STEP_OF_PANELS, rows, panels)
#define DEFINE_ONE_ROW(rows, panels) DEFINE_WITH (STEP_OF_PANELS, rows, panels, operands->columns)
/* Four vectors, three numbers of rows and twelve sums would not fit the registers of AVX2 otherwise. */
#define STEP_OF_LAST_1                STEP_BY_ROW
#define STEP_OF_LAST_2                STEP_BY_ROW
#define STEP_OF_LAST_3                STEP_BY_ROW
#define STEP_OF_LAST_4                STEP_BY_COLUMN
#define STEP_OF_LAST_8                STEP_BY_COLUMN
#define DEFINE_LAST(rows, panels)     DEFINE_WITH (STEP_OF_##panels, rows, panels, operands->columns)
#define DEFINE_LASTS(rows, panels, n) UP_TO_##rows (DEFINE_LAST, panels)
KERNELS (DEFINE)
WIDE_KERNELS (DEFINE)
ONE_ROW_KERNELS (DEFINE_ONE_ROW)
LAST_KERNELS (DEFINE_LASTS)

#ifdef PART_KERNELS
PART_KERNELS (DEFINE_BY)

/* Defines multiply_<rows>_<panels> of parts, of which the first one prefetches. */
#define DEFINE_PARTS(rows, panels, first, ...)                         \
  static void KERNEL (rows, panels) (const HybPanelOperands *operands) \
  {                                                                    \
    const HybPanelMultiply others[] = { __VA_ARGS__ };                 \
    HybPanelOperands       rest = *operands;                           \
                                                                       \
    rest.ahead = rest.prefetch.n_rows = 0;                             \
    first (operands);                                                  \
    for (guint i = 0; i < G_N_ELEMENTS (others); i++)                  \
      others[i](&rest);                                                \
  }

DEFINE_PARTS (2, 3, KERNEL (2, FIRST_HALF), KERNEL (2, SECOND_HALF))
DEFINE_PARTS (4,
              3,
              KERNEL (4, FIRST_QUARTER),
              KERNEL (4, SECOND_QUARTER),
              KERNEL (4, THIRD_QUARTER),
              KERNEL (4, FOURTH_QUARTER))
#define PART_ENTRIES(X) X (2, 3) X (4, 3)
#else
#define PART_ENTRIES(X)
#endif

/* Defines widen_<T>: rows of half floats to rows of a panel, columns of padding being 0. */
#define DEFINE_WIDEN(T)                                                                    \
  INLINE Floats SIMD (widen_part_##T) (const guint16 *from, gint64 n)                      \
  {                                                                                        \
    guint16 part[LANES] = { 0 };                                                           \
                                                                                           \
    memcpy (part, from, (gsize) CLAMP (n, 0, LANES) * sizeof part[0]);                     \
    return SIMD (simd_load_##T) (part);                                                    \
  }                                                                                        \
                                                                                           \
  static TARGET void SIMD (widen_##T) (gint64 rows, gint64 columns, const guint16 *from,   \
                                       gint64 stride, gint64 ahead, float *panel)          \
  {                                                                                        \
    for (gint64 l = 0; l < rows; l++, from += stride, panel += HYB_PANEL_WIDTH)            \
      {                                                                                    \
        if (ahead > 0)                                                                     \
          __builtin_prefetch (from + ahead);                                               \
        for (gint64 i = 0; i < HYB_PANEL_WIDTH; i += LANES)                                \
          simd_store (panel + i,                                                           \
                      columns == HYB_PANEL_WIDTH                                           \
                          ? SIMD (simd_load_##T) (from + i)                                \
                          : SIMD (widen_part_##T) (from + MIN (i, columns), columns - i)); \
      }                                                                                    \
  }

DEFINE_WIDEN (f16)
DEFINE_WIDEN (bf16)

#define ENTRY(rows, panels)           [rows] = KERNEL (rows, panels),
#define ONE_ROW_ENTRY(rows, panels)   [panels] = KERNEL (rows, panels),
#define LAST_ENTRIES(rows, panels, n) { n, rows, { UP_TO_##rows (ENTRY, panels) } },
#define WIDE_ENTRY(rows, panels)      [rows] = { panels, KERNEL (rows, panels), FALSE },
#define PART_ENTRY(rows, panels)      [rows] = { panels, KERNEL (rows, panels), TRUE },
static const HybPanelKernelSet
    SIMD (kernels) = { .widen_f16 = SIMD (widen_f16),
                       .widen_bf16 = SIMD (widen_bf16),
                       .max_wide_rows = MAX_WIDE_ROWS,
                       .whole = { HYB_PANEL_WIDTH, MAX_KERNEL_ROWS, { KERNELS (ENTRY) } },
                       .last = { LAST_KERNELS (LAST_ENTRIES) },
                       .wide = { [1] = { ONE_ROW_PANELS, NULL, FALSE },
                                 WIDE_KERNELS (WIDE_ENTRY) PART_ENTRIES (PART_ENTRY) },
                       .one_row = { [1] = KERNEL (1, 1), ONE_ROW_KERNELS (ONE_ROW_ENTRY) } };

#undef DEFINE_WIDEN
#undef ENTRY
#undef WIDE_ENTRY
#undef PART_ENTRY
#undef PANEL
#undef KERNELS
#undef WIDE_KERNELS
#undef ONE_ROW_KERNELS
#undef ONE_ROW_PANELS
#undef ONE_ROW_ENTRY
#undef LAST_KERNELS
#undef LAST_ENTRIES
#undef DEFINE_WITH
#undef DEFINE_ONE_ROW
#undef DEFINE_LAST
#undef DEFINE_LASTS
#undef STEP_OF_PANELS
#undef STEP_OF_LAST_1
#undef STEP_OF_LAST_2
#undef STEP_OF_LAST_3
#undef STEP_OF_LAST_4
#undef STEP_OF_LAST_8
#undef FIRST
#undef READ
#undef PART_KERNELS
#undef PART_ENTRIES
#undef MAX_WIDE_ROWS
#undef DEFINE_PARTS
#undef MAX_KERNEL_ROWS
#undef LOAD_WEIGHTS
#undef MULTIPLY_BY_ROW
#undef MULTIPLY_ROW
#undef STEP_BY_ROW
#undef MULTIPLY_SUM
#undef MULTIPLY_COLUMN
#undef STEP_BY_COLUMN
#undef DEFINE
#undef DEFINE_BY
