/* copy-rows.c — copies rows of elements; start with hyb_copy_rows().
 *
 * Rows that are contiguous in both arrays are copied as bytes.  Where rows are contiguous in the destination, elements of 4 or
 * 8 bytes that lie −2, −1, 2 or 3 apart are gathered by vectors.  All others are copied one element at a time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/copy-rows.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/moving/copy-rows-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Elements by size only; elements that were widened may be unaligned. */
typedef guint8 __attribute__ ((may_alias)) Bits8;
typedef guint16 __attribute__ ((may_alias, aligned (1))) Bits16;
typedef guint32 __attribute__ ((may_alias, aligned (1))) Bits32;
typedef guint64 __attribute__ ((may_alias, aligned (1))) Bits64;
typedef struct
{
  Bits64 low, high;
} __attribute__ ((may_alias)) Bits128;

static void
copy_whole_rows (HybRows rows, const char *from, char *to)
{
  gsize bytes = (gsize) rows.n * rows.item;

  if (bytes >= 4 && bytes <= HYB_MOVE_SHORT)
    for (gint64 i = 0; i < rows.n_rows; i++)
      hyb_move_short (from + i * rows.from_row, to + i * rows.to_row, bytes);
  else
    for (gint64 i = 0; i < rows.n_rows; i++)
      memcpy (to + i * rows.to_row, from + i * rows.from_row, bytes);
}

/* Where the step is a constant the compiler uses vectors. */
#define COPY_STEPS(step)         \
  HYB_INDEPENDENT                \
  for (gint64 k = 0; k < n; k++) \
    y[k] = x[k * (step)];

#define COPY_ROWS(Type, suffix)                                                  \
  static void copy_##suffix (HybRows rows, const char *x0, char *y0)             \
  {                                                                              \
    gint64 n = rows.n, from = rows.from, to = rows.to;                           \
                                                                                 \
    for (gint64 i = 0; i < rows.n_rows; i++)                                     \
      {                                                                          \
        const Type *x = (const Type *) (gconstpointer) (x0 + i * rows.from_row); \
        Type       *y = (Type *) (gpointer) (y0 + i * rows.to_row);              \
        const Type  first = x[0];                                                \
                                                                                 \
        if (from == 0 && to == 1)                                                \
          for (gint64 k = 0; k < n; k++)                                         \
            y[k] = first;                                                        \
        else if (from == 2 && to == 1)                                           \
          COPY_STEPS (2)                                                         \
        else if (from == -1 && to == 1)                                          \
          COPY_STEPS (-1)                                                        \
        else if (from == -2 && to == 1)                                          \
          COPY_STEPS (-2)                                                        \
        else                                                                     \
          {                                                                      \
            HYB_KEEP_LOOP                                                        \
            for (gint64 k = 0; k < n; k++)                                       \
              y[k * to] = x[k * from];                                           \
          }                                                                      \
      }                                                                          \
  }
COPY_ROWS (Bits8, 8)
COPY_ROWS (Bits16, 16)
COPY_ROWS (Bits32, 32)
COPY_ROWS (Bits64, 64)
COPY_ROWS (Bits128, 128)

void
hyb_copy_rows (const HybRows *rows, gconstpointer from, gpointer to)
{
  gboolean has_vectors = rows->to == 1 && hyb_rows_have_vectors (rows->item, rows->from);

  if (rows->n == 0)
    return;
  if (rows->from == 1 && rows->to == 1)
    copy_whole_rows (*rows, from, to);
  else if (has_vectors && rows->item == 4)
    HYB_SIMD_CHOOSE (steps_32) (rows, from, to);
  else if (has_vectors)
    HYB_SIMD_CHOOSE (steps_64) (rows, from, to);
  else if (rows->item == 4)
    copy_32 (*rows, from, to);
  else if (rows->item == 8)
    copy_64 (*rows, from, to);
  else if (rows->item == 2)
    copy_16 (*rows, from, to);
  else if (rows->item == 1)
    copy_8 (*rows, from, to);
  else
    copy_128 (*rows, from, to);
}
