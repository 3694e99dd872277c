/* transpose-blocks.c — transposes matrices of 8-, 16- and 64-bit elements in registers: y[i,j] = x[j,i].
 *
 * For each pair of blocks of columns (AVX2), then for each block, for each block of rows.  The last blocks overlap those before.
 * Fewer rows or columns than a block has are part of one, where that reads and writes nothing outside of the matrices; the rest
 * is copied one element at a time.  Start with hyb_transpose_blocks().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/transpose-blocks.h"

#include "engine/kernels/simd/simd.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "engine/kernels/vectorise.h"

typedef guint8 __attribute__ ((may_alias)) Bits8;
typedef guint16 __attribute__ ((may_alias, aligned (1))) Bits16;
typedef guint64 __attribute__ ((may_alias, aligned (1))) Bits64;

#define REST(T)                                                      \
  {                                                                  \
    const T *from = (const T *) x;                                   \
    T       *to = (T *) y;                                           \
                                                                     \
    for (gint64 i = 0; i < shape->height; i++)                       \
      for (gint64 j = 0; j < shape->width; j++)                      \
        to[i * shape->y_stride + j] = from[j * shape->x_stride + i]; \
  }

/* One element at a time. */
static void
transpose_rest (gsize item, const HybTranspose *shape, gconstpointer x, gpointer y)
{
  if (item == 1)
    REST (Bits8)
  else if (item == 2)
    REST (Bits16)
  else
    REST (Bits64)
}
#undef REST

#ifdef __x86_64__

/* How many of n rows of `bytes` bytes, `step` bytes apart, have 16 bytes before the end of the last one. */
static inline gint64
whole_vectors (gint64 n, gint64 step, gint64 bytes)
{
  gint64 end = (n - 1) * step + bytes;

  return end < 16 ? 0 : MIN (n, (end - 16) / step + 1);
}

#define BITS 8
#define ITEM 1
#include "engine/kernels/moving/transpose-blocks-kernel.h"
#undef BITS
#undef ITEM

#define BITS 16
#define ITEM 2
#include "engine/kernels/moving/transpose-blocks-kernel.h"
#undef BITS
#undef ITEM

#define BITS 64
#define ITEM 8
#include "engine/kernels/moving/transpose-blocks-kernel.h"
#undef BITS
#undef ITEM

/* The loops for one size of elements. */
typedef struct
{
  gint64 side; /* elements of a block */
  void (*many) (const HybTranspose *shape, const char *x, char *y);
  gint64 (*few_columns) (const HybTranspose *shape, const char *x, char *y);
  gint64 (*few_rows) (const HybTranspose *shape, const char *x, char *y);
} Loops;

static const Loops loops_8 = { 16, many_8, few_columns_8, few_rows_8 };
static const Loops loops_16 = { 8, many_16, few_columns_16, few_rows_16 };
static const Loops loops_64 = { 2, many_64, few_columns_64, few_rows_64 };

void
hyb_transpose_blocks (gsize item, const HybTranspose *shape, gconstpointer x, gpointer y)
{
  const Loops *loops = item == 1 ? &loops_8 : item == 2 ? &loops_16 : &loops_64;
  HybTranspose rest = *shape;
  gint64       done, x_skip, y_skip;

  if (shape->height >= loops->side && shape->width >= loops->side)
    {
      loops->many (shape, x, y);
      return;
    }
  if (shape->height >= loops->side)
    {
      done = loops->few_columns (shape, x, y);
      rest.height -= done;
      x_skip = done;
      y_skip = done * shape->y_stride;
    }
  else
    {
      done = loops->few_rows (shape, x, y);
      rest.width -= done;
      x_skip = done * shape->x_stride;
      y_skip = done;
    }
  transpose_rest (item, &rest, (const char *) x + x_skip * (gint64) item,
                  (char *) y + y_skip * (gint64) item);
}

#else

void
hyb_transpose_blocks (gsize item, const HybTranspose *shape, gconstpointer x, gpointer y)
{
  transpose_rest (item, shape, x, y);
}

#endif
