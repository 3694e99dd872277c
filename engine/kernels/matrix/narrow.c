/* narrow.c — products with weights of fewer bits than a float: Y[m,n] = sum_k X[m,k] W[n,k] + bias[n].
 *
 *   Up to 8 rows of X: for each slice of rows of W, for each block of it that stays in the first-level cache,
 *   for 4, 2 or 1 rows of X, for each row i, for l, as matrix-vector.c.
 *   More rows: for each piece of 32 rows of W, for each 512 columns: convert the piece to floats on
 *   the stack, then multiply it with all rows of X.
 *
 * The inner loops are in narrow-kernel.h.  Start with hyb_narrow_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/narrow.h"

#include "engine/base/parallel.h"
#include "engine/base/translate.h"
#include "engine/kernels/matrix/gemm.h"

#include <math.h>
#include <string.h>

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 32768
/* Bytes of W that are read again for the next rows of X: a quarter of a first-level cache of 32 KiB. */
#define BLOCK_BYTES 8192
/* The rows and columns of a piece that is converted at a time: 64 KiB of floats. */
#define PIECE_ROWS    32
#define PIECE_COLUMNS 512

/* The levels of int8 weights on each side of 0. */
#define LEVELS 127

/* Rows of W to multiply with rows of X. */
typedef struct
{
  gint64        n, k;  /* rows of W, and elements of a row */
  const guint8 *row;   /* the first row */
  gsize         bytes; /* from one row to the next */
  const float  *x;
  float        *y;
  gint64        ldx, ldy; /* floats from one row of X, Y to the next */
} Rows;

/* y[i] += scale[i] sum_l w[i,l] x[l] for i < n, l < k, for each of some rows of X and Y. */
typedef void (*AddRows) (const Rows *rows);
/* to[i ldto + l] = scale[i] w[i,l] for i < n, l < k. */
typedef void (
    *ExpandRows) (gint64 n, gint64 k, const guint8 *row, gsize bytes, gint64 ldto, float *to);

/* The kernels of one type of weights. */
typedef struct
{
  HybDType   dtype;
  AddRows    add[3]; /* for 1, 2 and 4 rows of X */
  ExpandRows expand;
} Kernels;

/* The scale of a row; 1 if the type has none. */
static inline float
read_scale (const guint8 *row, gsize head)
{
  float scale = 1;

  if (head > 0)
    memcpy (&scale, row, sizeof scale);
  return scale;
}

#define SIMD_KERNEL "engine/kernels/matrix/narrow-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* The kernels of a type for this processor, or NULL. */
static const Kernels *
find_kernels (HybDType dtype)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (kernels);

  for (guint i = 0; i < G_N_ELEMENTS (kernels_plain); i++)
    if (kernels[i].dtype == dtype)
      return &kernels[i];
  return NULL;
}

gboolean
hyb_narrow_is_type (HybDType dtype)
{
  return find_kernels (dtype) != NULL;
}

gsize
hyb_narrow_row_bytes (HybDType dtype, gint64 columns)
{
  return hyb_dtype_size (dtype) * (gsize) columns + (dtype == HYB_I8 ? HYB_NARROW_HEAD : 0);
}

/* --- Multiplying --- */

/* One product, shared by the threads that compute its slices. */
typedef struct
{
  const HybNarrow        *weights;
  const HybNarrowProduct *product;
  const Kernels          *kernels;
  gsize                   row_bytes;
  const float            *x;
  float                  *y;
} Job;

static const guint8 *
row_at (const Job *job, gint64 row)
{
  return (const guint8 *) job->weights->data + (gsize) row * job->row_bytes;
}

/* Initialises columns begin … end - 1 of a row of Y, to which the product is added. */
static void
start_row (const Job *job, float *y, gint64 begin, gint64 end)
{
  const HybNarrowProduct *product = job->product;

  for (gint64 i = begin; i < end; i++)
    y[i] = (product->adds ? y[i] : 0) + (product->bias ? product->bias[i] : 0);
}

/* Adds a block of rows of W, from row `first` on, times all rows of X. */
static void
multiply_block (const Job *job, gint64 first, gint64 rows)
{
  const HybNarrowProduct *product = job->product;
  Rows                    part = { .n = rows,
                                   .k = job->weights->columns,
                                   .row = row_at (job, first),
                                   .bytes = job->row_bytes,
                                   .x = job->x,
                                   .y = job->y + first,
                                   .ldx = product->ldx,
                                   .ldy = product->ldy };

  for (gint64 m = product->m; m > 0;)
    {
      int    kernel = m >= 4 ? 2 : m >= 2 ? 1 : 0;
      gint64 step = 1 << kernel;

      job->kernels->add[kernel](&part);
      part.x += step * part.ldx;
      part.y += step * part.ldy;
      m -= step;
    }
}

static void
few_rows_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     block =
      job->product->m <= 1 ? end - begin : MAX (1, BLOCK_BYTES / (gint64) MAX (job->row_bytes, 1));

  for (gint64 i = 0; i < job->product->m; i++)
    start_row (job, job->y + i * job->product->ldy, begin, end);
  for (gint64 first = begin; first < end; first += block)
    multiply_block (job, first, MIN (end - first, block));
}

/* Adds the product with the part of rows first … first + rows - 1 that starts at column l. */
static void
multiply_piece (const Job *job, gint64 first, gint64 rows, gint64 l)
{
  gint64             k = MIN (job->weights->columns - l, PIECE_COLUMNS);
  HybGemm            gemm = { .transpose_b = TRUE,
                              .m = job->product->m,
                              .n = rows,
                              .k = k,
                              .lda = job->product->ldx,
                              .ldb = PIECE_COLUMNS,
                              .ldc = job->product->ldy,
                              .alpha = 1,
                              .beta = 1 };
  gsize              head = hyb_narrow_row_bytes (job->weights->dtype, 0);
  _Alignas(64) float piece[PIECE_ROWS * PIECE_COLUMNS];
  guint8             scaled[PIECE_ROWS * (PIECE_COLUMNS + HYB_NARROW_HEAD)];
  const guint8      *from = row_at (job, first);
  gsize              bytes = job->row_bytes;

  if (head == 0)
    from += (gsize) l * hyb_dtype_size (job->weights->dtype);
  else
    {
      /* A part of a row needs the scale in front of it. */
      bytes = hyb_narrow_row_bytes (job->weights->dtype, k);
      for (gint64 i = 0; i < rows; i++)
        {
          memcpy (scaled + (gsize) i * bytes, row_at (job, first + i), head);
          memcpy (scaled + (gsize) i * bytes + head, row_at (job, first + i) + head + l, (gsize) k);
        }
      from = scaled;
    }
  job->kernels->expand (rows, k, from, bytes, PIECE_COLUMNS, piece);
  hyb_gemm_f32 (&gemm, job->x + l, piece, job->y + first);
}

static void
pieces_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  for (gint64 index = begin; index < end; index++)
    {
      gint64 first = index * PIECE_ROWS;
      gint64 rows = MIN (job->weights->rows - first, PIECE_ROWS);

      for (gint64 i = 0; i < job->product->m; i++)
        start_row (job, job->y + i * job->product->ldy, first, first + rows);
      for (gint64 l = 0; l < job->weights->columns; l += PIECE_COLUMNS)
        multiply_piece (job, first, rows, l);
    }
}

/* Whether the weights are converted as they are read, and read once. */
static gboolean
reads_once (gint64 m)
{
  return m <= HYB_NARROW_FEW_ROWS;
}

const char *
hyb_narrow_note (gint64 m)
{
  return reads_once (m) ? N_ ("narrow weights, converted as they are read")
                        : N_ ("narrow weights, converted in pieces and multiplied as floats");
}

void
hyb_narrow_multiply (const HybNarrow        *weights,
                     const HybNarrowProduct *product,
                     const float            *x,
                     float                  *y)
{
  Job job = { weights, product, find_kernels (weights->dtype), 0, x, y };

  g_return_if_fail (job.kernels != NULL);
  if (product->m == 0)
    return;
  job.row_bytes = hyb_narrow_row_bytes (weights->dtype, weights->columns);
  if (reads_once (product->m))
    hyb_parallel_for (weights->rows, 1 + GRAIN / MAX (weights->columns * product->m, 1),
                      few_rows_slice, &job);
  else
    hyb_parallel_for ((weights->rows + PIECE_ROWS - 1) / PIECE_ROWS,
                      1 + GRAIN / MAX (weights->columns * PIECE_ROWS, 1), pieces_slice, &job);
}

/* --- Converting --- */

void
hyb_narrow_expand (const HybNarrow *weights, float *to)
{
  const Kernels *kernels = find_kernels (weights->dtype);

  g_return_if_fail (kernels != NULL);
  kernels->expand (weights->rows, weights->columns, weights->data,
                   hyb_narrow_row_bytes (weights->dtype, weights->columns), weights->columns, to);
}

static void
quantise_row (gint64 columns, const float *from, gint8 *to)
{
  gboolean is_finite = TRUE;
  float    largest = 0, scale;

  for (gint64 l = 0; l < columns; l++)
    {
      is_finite &= isfinite (from[l]) != 0;
      largest = fmaxf (largest, fabsf (from[l]));
    }
  scale = is_finite ? largest / LEVELS : NAN;
  memcpy (to, &scale, sizeof scale);
  for (gint64 l = 0; l < columns; l++)
    to[HYB_NARROW_HEAD + l] =
        scale > 0 ? (gint8) CLAMP (lrintf (from[l] / scale), -LEVELS, LEVELS) : 0;
}

void
hyb_narrow_quantise (gint64 rows, gint64 columns, const float *from, gint8 *to)
{
  gsize bytes = hyb_narrow_row_bytes (HYB_I8, columns);

  for (gint64 i = 0; i < rows; i++)
    quantise_row (columns, from + i * columns, to + (gsize) i * bytes);
}
