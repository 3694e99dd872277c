/* product.c — exact products of matrices of 8-bit integers; see product.h.
 *
 * B is packed as signed bytes, those without sign less 128.  Where a kernel multiplies bytes, A is taken as bytes without
 * sign, those with sign plus 128.  Zero points, changed alike, are left to sums of columns of B and of rows of A:
 *
 *   sum_k (a − za)(b − zb) = sum_k a b − za sum_k b − zb (sum_k a − k za)
 *
 * Sums start with all of this that is the same for every row or every column.  Where a kernel multiplies 16-bit integers, A has
 * no zero points any more, and sums of columns are those of the products of neighbours that it subtracts (product-kernel.h).
 * Start with hyb_integer_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/product-private.h"

#include "engine/base/parallel.h"

#include <string.h>

/* Rows of A that one item of work multiplies with one panel. */
#define ITEM_ROWS 48
/* Multiplications that are worth waking another thread for. */
#define GRAIN (1 << 21)
/* Numbers of A that are made words in one slice. */
#define WORD_GRAIN (1 << 17)
#define ALIGNMENT  64
/* Rows this far apart fill one set of the first-level cache. */
#define CACHE_WAY 2048

/* --- Panels --- */

HybIntegerPanels
hyb_integer_panels (HybDType dtype, gint64 n, gint64 k, gint64 m)
{
  return (HybIntegerPanels){ hyb_integer_kernels (), dtype, n, k, m, NULL };
}

gboolean
hyb_integer_panels_use (HybIntegerPanels *panels, guint index)
{
  const HybIntegerKernels *kernels = hyb_integer_kernels_with (index);

  if (kernels)
    panels->kernels = kernels;
  return kernels != NULL;
}

static gint64
n_groups (const HybIntegerPanels *panels)
{
  return (panels->k + HYB_INTEGER_GROUP - 1) / HYB_INTEGER_GROUP;
}

/* Whether panels have 16-bit integers: widening bytes again takes longer than reading twice as many. */
static gboolean
is_wide (const HybIntegerPanels *panels)
{
  const HybIntegerKernels *kernels = panels->kernels;

  return hyb_integer_is_wide (kernels) && panels->m > kernels->max_rows[kernels->n_vectors];
}

/* Bytes of a group of a column. */
static gint64
group_bytes (const HybIntegerPanels *panels)
{
  return is_wide (panels) ? panels->kernels->word : HYB_INTEGER_GROUP;
}

/* Columns of a full panel. */
static gint64
panel_columns (const HybIntegerPanels *panels)
{
  return panels->kernels->n_vectors * panels->kernels->lanes;
}

/* Columns of all panels. */
static gint64
padded_columns (const HybIntegerPanels *panels)
{
  gint64 lanes = panels->kernels->lanes;

  return (panels->n + lanes - 1) / lanes * lanes;
}

/* The bytes in front of the sums of columns. */
static gsize
sums_offset (const HybIntegerPanels *panels)
{
  gsize bytes = (gsize) (n_groups (panels) * group_bytes (panels) * padded_columns (panels));

  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static gint32 *
column_sums (const HybIntegerPanels *panels)
{
  return (gint32 *) (gpointer) (panels->bytes + sums_offset (panels));
}

gsize
hyb_integer_panels_size (const HybIntegerPanels *panels)
{
  return sums_offset (panels) + (gsize) padded_columns (panels) * sizeof (gint32);
}

typedef struct
{
  const HybIntegerPanels *panels;
  const HybIntegerMatrix *b;
  guint8                  flip;
} Packing;

/* Packs one column of a panel, whose first group is at `to`; returns what products subtract. */
static gint32
pack_column (const Packing *self, const guint8 *from, gint64 column, gint64 pitch, gint8 *to)
{
  const HybIntegerPanels *panels = self->panels;
  gboolean                pairs = hyb_integer_is_wide (panels->kernels), wide = is_wide (panels);
  gint64                  place[HYB_INTEGER_GROUP];
  guint32                 sum = 0;

  for (gint64 i = 0; i < HYB_INTEGER_GROUP; i++)
    place[i] = hyb_integer_place (panels->kernels, column, i);
  for (gint64 l = 0; l < panels->k; l += HYB_INTEGER_GROUP, to += pitch)
    {
      gint16 number[HYB_INTEGER_GROUP] = { 0 };

      for (gint64 i = 0; i < MIN (HYB_INTEGER_GROUP, panels->k - l); i++)
        {
          number[i] = (gint8) (from[(l + i) * self->b->row] ^ self->flip);
          if (wide)
            ((gint16 *) (gpointer) to)[place[i]] = number[i];
          else
            to[place[i]] = (gint8) number[i];
        }
      sum += (guint32) (pairs ? number[0] * number[1] + number[2] * number[3]
                              : number[0] + number[1] + number[2] + number[3]);
    }
  return (gint32) sum;
}

static void
pack_panel (const Packing *self, gint64 first, gint64 columns, gint64 padded)
{
  const HybIntegerPanels  *panels = self->panels;
  const HybIntegerKernels *kernels = panels->kernels;
  const HybIntegerMatrix  *b = self->b;
  gint64                   pitch = padded * group_bytes (panels);
  gint8                   *to = panels->bytes + first * n_groups (panels) * group_bytes (panels);
  gint32                  *sums = column_sums (panels) + first;
  const guint8            *from = (const guint8 *) b->bytes + first * b->column;

  memset (sums, 0, (gsize) padded * sizeof sums[0]);
  if (columns < padded || b->column != 1)
    memset (to, 0, (gsize) (n_groups (panels) * pitch));
  if (b->column == 1)
    for (gint64 l = 0; l < panels->k; l += HYB_INTEGER_GROUP, to += pitch)
      kernels->pack (MIN (HYB_INTEGER_GROUP, panels->k - l), columns, from + l * b->row, b->row,
                     self->flip, is_wide (panels), to, sums);
  else
    for (gint64 j = 0; j < columns; j++)
      sums[j] = pack_column (self, from + j * b->column, j, pitch, to);
}

static void
pack_slice (gint64 begin, gint64 end, gpointer data)
{
  const Packing *self = data;
  gint64         width = panel_columns (self->panels);

  for (gint64 p = begin; p < end; p++)
    pack_panel (self, p * width, MIN (width, self->panels->n - p * width),
                MIN (width, padded_columns (self->panels) - p * width));
}

void
hyb_integer_panels_pack (const HybIntegerPanels *panels, const HybIntegerMatrix *b)
{
  Packing self = { panels, b, hyb_integer_flip (panels->dtype, HYB_I8) };
  gint64  width = panel_columns (panels), n = (panels->n + width - 1) / width;

  hyb_parallel_for (n, MAX (1, WORD_GRAIN / MAX (1, width * panels->k)), pack_slice, &self);
}

/* --- Products --- */

typedef struct
{
  const HybIntegerRows   *rows;
  const HybIntegerPanels *panels;
  const HybIntegerResult *result;
  gint32                  a_offset, b_offset; /* of bytes, against their zero points */
  const guint8           *words;
  gint64                  stride;     /* bytes from row to row of the words */
  gint32                 *row_start;  /* by row: what its sums start with */
  gint32                 *row_sums;   /* by row: sum_k (a − za); read only with by_column */
  gboolean                subtracted; /* words have no zero point any more */
  gboolean                by_column;  /* columns of B have different zero points */
  gint64                  n_row_items;
} Product;

static gint32
a_zero (const Product *self, gint64 row)
{
  const HybIntegerRows *rows = self->rows;

  return (rows->a_zero ? rows->a_zero[row * rows->a_zero_stride] : 0) + self->a_offset;
}

/* The zero point of a column, of the packed bytes. */
static gint32
b_zero (const Product *self, gint64 column)
{
  const HybIntegerRows *rows = self->rows;

  return (rows->b_zero ? rows->b_zero[column * rows->b_zero_stride] : 0) + self->b_offset;
}

/* Files give every column a zero point of its own where all are 0. */
static gboolean
has_different_zeros (const HybIntegerRows *rows, gint64 n)
{
  for (gint64 j = 1; rows->b_zero && rows->b_zero_stride != 0 && j < n; j++)
    if (rows->b_zero[j] != rows->b_zero[0])
      return TRUE;
  return FALSE;
}

/* Whether sums of columns times the zero point of a row are subtracted row by row. */
static gboolean
is_by_row (const Product *self)
{
  return !self->subtracted && self->rows->a_zero && self->rows->a_zero_stride != 0;
}

/* a − b c modulo 2³². */
static gint32
subtract_product (gint32 a, gint32 b, gint32 c)
{
  return (gint32) ((guint32) a - (guint32) b * (guint32) c);
}

/* Whether rows of A can be read as words where they are. */
static gboolean
is_in_place (const Product *self)
{
  return !hyb_integer_is_wide (self->panels->kernels) && self->rows->matrix.dtype == HYB_U8 &&
         self->panels->k % HYB_INTEGER_GROUP == 0 && self->rows->matrix.row % CACHE_WAY != 0;
}

static void
make_words (gint64 begin, gint64 end, gpointer data)
{
  const Product           *self = data;
  const HybIntegerKernels *kernels = self->panels->kernels;
  const HybIntegerRows    *rows = self->rows;
  gint64                   k = self->panels->k;
  gboolean                 in_place = is_in_place (self), one_zero = !self->by_column;
  guint8                   flip = hyb_integer_flip (rows->matrix.dtype, HYB_U8);

  for (gint64 i = begin; i < end; i++)
    {
      const guint8 *from = (const guint8 *) rows->matrix.bytes + i * rows->matrix.row;
      gint32        zero = a_zero (self, i), sum = 0, pairs = 0;

      if (!in_place)
        sum =
            kernels->words (k, from, flip, zero, (guint8 *) self->words + i * self->stride, &pairs);
      else if (!one_zero || b_zero (self, 0) != 0)
        sum = kernels->sum (k, from);
      if (!self->subtracted)
        sum = subtract_product (sum, zero, (gint32) k);
      self->row_start[i] =
          subtract_product (subtract_product (0, pairs, 1), one_zero ? b_zero (self, 0) : 0, sum);
      self->row_sums[i] = sum;
    }
}

/* Subtracts what depends on both the row and the column. */
static void
correct_sums (const Product *self, gint64 row, gint64 first, gint64 n, gint32 *sums)
{
  if (self->by_column)
    for (gint64 j = 0; j < n; j++)
      sums[j] = subtract_product (sums[j], b_zero (self, first + j), self->row_sums[row]);
  if (is_by_row (self))
    for (gint64 j = 0; j < n; j++)
      sums[j] =
          subtract_product (sums[j], a_zero (self, row), column_sums (self->panels)[first + j]);
}

/* Writes n sums of a row to the result, whose columns start at `first`. */
static void
finish_row (const Product *self, gint64 row, gint64 first, gint64 n, const gint32 *sums)
{
  const HybIntegerResult *result = self->result;
  HybIntegerFinish        finish = { .n = n,
                                     .sums = sums,
                                     .scale = result->scale ? result->scale + first * result->scale_stride
                                                            : NULL,
                                     .bias = result->bias ? result->bias + first : NULL,
                                     .scale_stride = result->scale_stride,
                                     .bias_stride = 1,
                                     .zero = result->zero };

  hyb_integer_finish (self->panels->kernels, result->dtype, &finish,
                      (char *) result->y +
                          (row * result->ldy + first) * (gint64) hyb_dtype_size (result->dtype));
}

/* What sums of the columns of a panel start with. */
static void
start_columns (const Product *self, gint64 first, gint64 n, gint64 padded, gint32 *start)
{
  const gint32 *sums = column_sums (self->panels) + first, *bias = self->result->sum_bias;
  gint32        zero = self->subtracted ? 1 : is_by_row (self) ? 0 : a_zero (self, 0);

  for (gint64 j = 0; j < n; j++)
    start[j] = subtract_product (bias ? bias[first + j] : 0, zero, sums[j]);
  memset (start + n, 0, (gsize) (padded - n) * sizeof start[0]);
}

/* Multiplies the rows [begin, end) with the strip of panels whose first column is `first`. */
static void
multiply_rows (const Product *self, gint64 begin, gint64 end, gint64 first)
{
  const HybIntegerPanels  *panels = self->panels;
  const HybIntegerKernels *kernels = panels->kernels;
  const HybIntegerResult  *result = self->result;
  gint64                   padded = MIN (HYB_INTEGER_MAX_COLUMNS, padded_columns (panels) - first);
  gint64                   columns = MIN (padded, panels->n - first);
  gint64                   max_rows = hyb_integer_strip_rows (kernels, padded);
  gint64                   n_blocks = (end - begin + max_rows - 1) / max_rows, until;
  gint32                   start[HYB_INTEGER_MAX_COLUMNS];
  gint32                   tile[HYB_INTEGER_MAX_ROWS * HYB_INTEGER_MAX_COLUMNS];
  gboolean                 is_direct = result->dtype == HYB_I32 && columns == padded;

  start_columns (self, first, columns, padded, start);
  for (gint64 row = begin, block = 0; row < end; row = until, block++)
    {
      until = begin + (end - begin) * (block + 1) / n_blocks;

      HybIntegerOperands operands = {
        .n_groups = n_groups (panels),
        .lda = self->stride,
        .ldy = is_direct ? result->ldy : padded,
        .a = self->words + row * self->stride,
        .panel = panels->bytes + first * n_groups (panels) * group_bytes (panels),
        .start = start,
        .row_start = self->row_start + row,
        .y = is_direct ? (gint32 *) result->y + row * result->ldy + first : tile,
      };

      hyb_integer_multiply_strip (kernels,
                                  is_wide (panels) ? kernels->multiply_gathered : kernels->multiply,
                                  &operands, until - row, padded);
      for (gint64 i = row; i < until; i++)
        {
          gint32 *sums = operands.y + (i - row) * operands.ldy;

          correct_sums (self, i, first, columns, sums);
          if (result->dtype != HYB_I32)
            finish_row (self, i, first, columns, sums);
          else if (!is_direct)
            memcpy ((gint32 *) result->y + i * result->ldy + first, sums,
                    (gsize) columns * sizeof sums[0]);
        }
    }
}

/* Items go through the rows of one strip first. */
static void
multiply_items (gint64 begin, gint64 end, gpointer data)
{
  const Product *self = data;
  gint64         m = self->rows->m;

  for (gint64 item = begin; item < end; item++)
    {
      gint64 part = item % self->n_row_items;

      multiply_rows (self, m * part / self->n_row_items, m * (part + 1) / self->n_row_items,
                     item / self->n_row_items * HYB_INTEGER_MAX_COLUMNS);
    }
}

gsize
hyb_integer_workspace (const HybIntegerPanels *panels, gint64 m)
{
  return (gsize) m * ((gsize) hyb_integer_word_stride (panels->kernels, n_groups (panels)) +
                      2 * sizeof (gint32)) +
         2 * ALIGNMENT;
}

void
hyb_integer_multiply (const HybIntegerRows   *rows,
                      const HybIntegerPanels *panels,
                      const HybIntegerResult *result,
                      gpointer                workspace)
{
  const HybIntegerKernels *kernels = panels->kernels;
  gint64                   m = rows->m;
  gint64  n_strips = (panels->n + HYB_INTEGER_MAX_COLUMNS - 1) / HYB_INTEGER_MAX_COLUMNS;
  Product self = {
    .rows = rows,
    .panels = panels,
    .result = result,
    .a_offset = hyb_integer_offset (rows->matrix.dtype, HYB_U8),
    .b_offset = hyb_integer_offset (panels->dtype, HYB_I8),
    .stride = hyb_integer_word_stride (kernels, n_groups (panels)),
    .row_start = workspace,
    .subtracted = hyb_integer_is_wide (kernels),
    .by_column = has_different_zeros (rows, panels->n),
    .n_row_items = (m + ITEM_ROWS - 1) / ITEM_ROWS,
  };

  if (m < 1 || panels->n < 1)
    return;
  self.row_sums = self.row_start + m;
  self.words = (const guint8 *) (self.row_sums + m);
  if (is_in_place (&self))
    {
      self.words = rows->matrix.bytes;
      self.stride = rows->matrix.row;
    }
  hyb_parallel_for (m, MAX (1, WORD_GRAIN / MAX (1, panels->k)), make_words, &self);
  hyb_parallel_for (n_strips * self.n_row_items,
                    MAX (1,
                         GRAIN / MAX (1, panels->k * HYB_INTEGER_MAX_COLUMNS * MIN (m, ITEM_ROWS))),
                    multiply_items, &self);
}

const char *
hyb_integer_note (void)
{
  return hyb_integer_kernels ()->name;
}
