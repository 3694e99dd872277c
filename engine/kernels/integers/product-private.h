/* product-private.h — the kernels of products of 8-bit integers: what product.c hands to them, and their table.
 *
 * A kernel reads four numbers of a row of A at once as one word: four bytes without sign, or four 16-bit integers from which the
 * zero point was subtracted.  A panel holds, for each four rows of B, those of each column as signed integers, in the order of
 * hyb_integer_place(): bytes or, where words have 16-bit integers, those or 16-bit integers, which are twice as large and take
 * less time to multiply.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/integers/product.h"

#define HYB_INTEGER_GROUP       4  /* numbers of a word */
#define HYB_INTEGER_MAX_ROWS    12 /* that one kernel call multiplies */
#define HYB_INTEGER_MAX_VECTORS 4  /* of a panel */
#define HYB_INTEGER_MAX_COLUMNS \
  64 /* of a panel, and of the panels that follow each other in a strip */

/* Some rows of A, as words, and a strip of panels, which follow each other. */
typedef struct
{
  gint64        n_groups; /* words of a row of A */
  gint64        lda;      /* bytes from one row of A to the next */
  gint64        ldy;      /* sums from one row of y to the next */
  const guint8 *a;
  const gint8  *panel;     /* of each, n_groups groups of its columns */
  const gint32 *start;     /* by column: what sums start with */
  const gint32 *row_start; /* by row: what is added to it */
  gint32       *y;         /* the sums */
} HybIntegerOperands;

/* Multiplies a fixed number of rows with a panel of a fixed number of vectors, that of the strip which starts at column `at`. */
typedef void (*HybIntegerKernel) (const HybIntegerOperands *operands, gint64 at);

/* Rows of bytes that are packed into a full panel: four of them, which start at offsets from `from`, for each group; `pitch`
 * bytes of the panel, which may be less than it has columns, since the rest is overwritten by the next group. */
typedef struct
{
  const guint8 *from;
  const gint64 *offsets;
  gint64        n_groups, pitch;
  guint8        flip;
  gint8        *panel;
  gint32 *
      pairs; /* where words have 16-bit integers: the products of neighbours of each column are added */
} HybIntegerGather;

/* One row of sums that become a result. */
typedef struct
{
  gint64        n;
  const gint32 *sums; /* may be read up to a whole vector */
  const float  *scale, *bias;
  gint64        scale_stride, bias_stride; /* 0 or 1 */
  gint32        zero;
} HybIntegerFinish;

struct _HybIntegerKernels
{
  const char      *name;
  gint64           lanes;
  gint64           word;      /* bytes of a word, and of a group of a column of a gathered panel */
  gint64           n_vectors; /* of a panel; the last one may have fewer */
  gint64           max_rows[HYB_INTEGER_MAX_VECTORS + 1]; /* by vectors */
  HybIntegerKernel multiply[HYB_INTEGER_MAX_VECTORS + 1][HYB_INTEGER_MAX_ROWS + 1];
  /* The same for panels that gather() made: with words of bytes they have no sign, but the words have; with 16-bit integers they
   * have those, too. */
  HybIntegerKernel multiply_gathered[HYB_INTEGER_MAX_VECTORS + 1][HYB_INTEGER_MAX_ROWS + 1];
  /* Packs four rows, those from `rows` on being zeros, of `columns` bytes, as 16-bit integers if is_wide, and adds to the sums
   * of columns what products subtract: the sum of each or, where words have 16-bit integers, the products of neighbours. */
  void (*pack) (gint64        rows,
                gint64        columns,
                const guint8 *from,
                gint64        stride,
                guint8        flip,
                gboolean      is_wide,
                gint8        *panel,
                gint32       *sums);
  void (*gather) (const HybIntegerGather *gather);
  /* Makes words of a row; returns the sum of its numbers.  pairs: what sums of the row start with less. */
  gint32 (
      *words) (gint64 k, const guint8 *from, guint8 flip, gint32 zero, gpointer to, gint32 *pairs);
  /* Returns the sum of the bytes of a row, which have no sign. */
  gint32 (*sum) (gint64 k, const guint8 *from);
  void (*to_floats) (const HybIntegerFinish *finish, float *y);
  void (*to_i8) (const HybIntegerFinish *finish, gint8 *y);
  void (*to_u8) (const HybIntegerFinish *finish, guint8 *y);
};

/* Returns the kernels for this processor.  Where HYB_CPU holds one with AVX-512 to AVX2, these are not those of AVX-VNNI,
 * which a processor of that level need not have. */
const HybIntegerKernels *hyb_integer_kernels (void);
/* Returns number `index` of the kernels that this processor can run, the best first; NULL behind the last. */
const HybIntegerKernels *hyb_integer_kernels_with (guint index);
/* Multiplies rows with a strip of panels, whose columns in whole vectors are at most HYB_INTEGER_MAX_COLUMNS.  multiply: one
 * of the tables of the kernels. */
void hyb_integer_multiply_strip (const HybIntegerKernels  *kernels,
                                 const HybIntegerKernel    multiply[][HYB_INTEGER_MAX_ROWS + 1],
                                 const HybIntegerOperands *operands,
                                 gint64                    n_rows,
                                 gint64                    columns);
/* Returns the rows that it can multiply at once. */
gint64 hyb_integer_strip_rows (const HybIntegerKernels *kernels, gint64 columns);
/* Writes a row of sums as a result of the type, which is one of HybIntegerResult. */
void hyb_integer_finish (const HybIntegerKernels *kernels,
                         HybDType                 dtype,
                         const HybIntegerFinish  *finish,
                         gpointer                 y);

/* Returns what is added modulo 256 to bytes of one type to make them the other one: 0 or 128. */
static inline guint8
hyb_integer_flip (HybDType from, HybDType to)
{
  return from == to ? 0 : 0x80;
}

/* Returns how much larger the numbers are then. */
static inline gint32
hyb_integer_offset (HybDType from, HybDType to)
{
  return from == to ? 0 : to == HYB_I8 ? -128 : 128;
}

/* Returns the bytes from one row of n words to the next: rows 2 KiB apart would fill one set of the first-level cache. */
static inline gint64
hyb_integer_word_stride (const HybIntegerKernels *kernels, gint64 n)
{
  return kernels->word * n % 2048 == 0 ? kernels->word * n + 64 : kernels->word * n;
}

/* Returns whether words have 16-bit integers. */
static inline gboolean
hyb_integer_is_wide (const HybIntegerKernels *kernels)
{
  return kernels->word == HYB_INTEGER_GROUP * (gint64) sizeof (gint16);
}

/* Returns the place in a group of a panel of number `index` of those of a column. */
static inline gint64
hyb_integer_place (const HybIntegerKernels *kernels, gint64 column, gint64 index)
{
  gint64 lanes = kernels->lanes;

  if (!hyb_integer_is_wide (kernels))
    return HYB_INTEGER_GROUP * column + index;
  return HYB_INTEGER_GROUP * lanes * (column / lanes) + 2 * lanes * (index % 2) +
         2 * (column % lanes) + index / 2;
}
