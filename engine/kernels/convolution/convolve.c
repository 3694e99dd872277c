/* convolve.c — convolution as im2col and a matrix product: for each sample, for each group,
 * map[f,p] = sum_k weight[f,k] columns[k,p], where k runs over channels and taps.
 *
 * im2col writes the cells that each window covers as one column.  A kernel of one cell with
 * stride 1 needs no copy, because the image is its own column matrix.  Groups of one channel are
 * computed directly, tap by tap.  choose_method() decides; the loops are in convolve-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/convolve.h"

#include "engine/base/parallel.h"
#include "engine/base/translate.h"
#include "engine/kernels/convolution/column-sums.h"
#include "engine/kernels/convolution/parts.h"
#include "engine/kernels/matrix/gemm.h"

#include <float.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  METHOD_POINTWISE, /* the image is its own column matrix */
  METHOD_DEPTHWISE, /* one image channel per group: adds shifted rows, tap by tap */
  METHOD_COLUMNS,   /* im2col */
} Method;

/* The array that METHOD_DEPTHWISE computes; it reads the other two. */
typedef enum
{
  TO_MAP,
  TO_IMAGE,
  TO_WEIGHT,
} Target;

static Method
choose_method (const HybConvolve *convolve)
{
  gboolean pointwise = TRUE;

  for (int i = 0; i < 3; i++)
    pointwise =
        pointwise && convolve->kernel[i] == 1 && convolve->stride[i] == 1 && convolve->pad[i] == 0;

  if (pointwise)
    return METHOD_POINTWISE;

  return convolve->groups > 1 && convolve->image_channels == convolve->groups ? METHOD_DEPTHWISE
                                                                              : METHOD_COLUMNS;
}

/* Whether each cell of the image is under exactly one tap of one window, so that nothing is added up. */
static gboolean
windows_tile_image (const HybConvolve *convolve)
{
  gboolean tiles = TRUE;

  for (int i = 0; i < 3; i++)
    tiles = tiles && convolve->kernel[i] == convolve->stride[i] &&
            (convolve->dilate[i] == 1 || convolve->kernel[i] == 1) && convolve->pad[i] == 0 &&
            convolve->image[i] == convolve->map[i] * convolve->kernel[i];
  return tiles;
}

const char *
hyb_convolve_note (const HybConvolve *convolve)
{
  static const char *const texts[] = {
    [METHOD_POINTWISE] = N_ ("matrix product with the image as it lies"),
    [METHOD_DEPTHWISE] = N_ ("depthwise, tap by tap"),
    [METHOD_COLUMNS] = N_ ("columns of the image and a matrix product"),
  };

  return texts[choose_method (convolve)];
}

static gsize
multiply_or_max (gsize a, gsize b)
{
  gsize product;

  return g_size_checked_mul (&product, a, b) ? product : G_MAXSIZE;
}

/* The elements of a column matrix; G_MAXSIZE if that overflows. */
static gsize
count_columns (const HybConvolve *convolve)
{
  gsize size = (gsize) (convolve->image_channels / convolve->groups);

  for (int i = 0; i < 3; i++)
    {
      size = multiply_or_max (size, (gsize) convolve->kernel[i]);
      size = multiply_or_max (size, (gsize) convolve->map[i]);
    }
  return size;
}

/* Groups of channels of all samples. */
static HybParts
find_parts (const HybConvolve *convolve)
{
  gsize    columns = count_columns (convolve);
  gint64   filters = convolve->map_channels / convolve->groups;
  gboolean has_columns = choose_method (convolve) == METHOD_COLUMNS;

  return (HybParts){ .n = convolve->batch * convolve->groups,
                     .work = (double) columns * (double) filters,
                     .area = has_columns ? (gint64) MIN (columns, G_MAXINT64) : 0 };
}

gsize
hyb_convolve_workspace (const HybConvolve *convolve, gsize element_size)
{
  HybParts parts = find_parts (convolve);

  if (choose_method (convolve) != METHOD_COLUMNS)
    return 0;
  return multiply_or_max (multiply_or_max (element_size, count_columns (convolve)),
                          (gsize) hyb_parts_n_areas (&parts));
}

/* How the samples of a batch are split for the gradient of the weights, independent of threads, since
 * the order in which samples are added up follows from it. */
typedef struct
{
  gint64 n; /* 1: they are not split, and products add to the weights themselves */
  gint64 samples;
  gint64 merged;  /* samples whose products are one */
  gint64 weights; /* elements of all weights */
  gint64 area;    /* elements that the column matrices and maps of `merged` samples take */
} Chunks;

#define MAX_CHUNKS 8
/* Beyond this the copies of the weights take too long to add, and products are large anyway. */
#define MAX_CHUNK_WEIGHTS 65536
/* Elements of the column matrices of a chunk, and of its maps: 16 MiB of floats. */
#define MAX_CHUNK_COLUMNS (4 << 20)
/* Products are long enough if this many positions follow each other. */
#define CHUNK_POSITIONS 512

static Chunks
find_chunks (const HybConvolve *convolve)
{
  gsize  columns = count_columns (convolve);
  gint64 filters = convolve->map_channels / convolve->groups, positions, sample, n;
  Chunks chunks = { .n = 1 };

  if (choose_method (convolve) == METHOD_DEPTHWISE || convolve->batch < 2 ||
      columns > MAX_CHUNK_COLUMNS || convolve->map_channels > MAX_CHUNK_WEIGHTS)
    return chunks;
  positions = hyb_volume (convolve->map);
  if (positions == 0)
    return chunks;
  chunks.weights = convolve->map_channels * ((gint64) columns / positions);
  if (chunks.weights > MAX_CHUNK_WEIGHTS || filters * positions > MAX_CHUNK_COLUMNS)
    return chunks;
  n = MIN (convolve->batch, MAX_CHUNKS);
  chunks.samples = (convolve->batch + n - 1) / n;
  chunks.n = (convolve->batch + chunks.samples - 1) / chunks.samples;
  sample = (gint64) columns + filters * positions;
  chunks.merged = MIN (CHUNK_POSITIONS / positions, MAX_CHUNK_COLUMNS / MAX (sample, 1));
  chunks.merged = CLAMP (chunks.merged, 1, chunks.samples);
  chunks.area = chunks.merged * sample;
  return chunks;
}

const char *
hyb_convolve_weight_note (const HybConvolve *convolve)
{
  return find_chunks (convolve).merged > 1 ? N_ ("columns of several samples and a matrix product")
                                           : hyb_convolve_note (convolve);
}

static HybParts
chunk_parts (const HybConvolve *convolve, const Chunks *chunks)
{
  return (HybParts){ .n = chunks->n,
                     .work = (double) chunks->weights * (double) chunks->samples *
                             (double) hyb_volume (convolve->map),
                     .area = chunks->area };
}

gsize
hyb_convolve_weight_workspace (const HybConvolve *convolve, gsize element_size)
{
  Chunks   chunks = find_chunks (convolve);
  HybParts parts;

  if (chunks.n > 1)
    {
      parts = chunk_parts (convolve, &chunks);
      return element_size *
             (gsize) (chunks.n * chunks.weights + hyb_parts_n_areas (&parts) * chunks.area);
    }
  return choose_method (convolve) == METHOD_COLUMNS
             ? multiply_or_max (element_size, count_columns (convolve))
             : 0;
}

double
hyb_convolve_flops (const HybConvolve *convolve)
{
  double flops = 2.0 * (double) convolve->batch * (double) convolve->map_channels *
                 (double) (convolve->image_channels / convolve->groups);

  for (int i = 0; i < 3; i++)
    flops *= (double) convolve->kernel[i] * (double) convolve->map[i];

  return flops;
}

/* Returns the positions [*begin, *end) of the map along one axis for which this tap of the kernel
 * lies inside the image. */
static void
inside_range (const HybConvolve *convolve, int axis, gint64 tap, gint64 *begin, gint64 *end)
{
  gint64 stride = convolve->stride[axis];
  gint64 shift = tap * convolve->dilate[axis] - convolve->pad[axis];
  gint64 last = convolve->image[axis] - 1 - shift;

  *begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  *end = last < 0 ? 0 : last / stride + 1;
  *begin = MIN (*begin, convolve->map[axis]);
  *end = CLAMP (*end, *begin, convolve->map[axis]);
}

/* The index of the image cell under a tap of the kernel at a position of the map; may lie
 * outside. */
static inline gint64
cell_at (const HybConvolve *convolve, int axis, gint64 position, gint64 tap)
{
  return position * convolve->stride[axis] + tap * convolve->dilate[axis] - convolve->pad[axis];
}

/* Adds up channels of the image from columns. */
static void
sum_columns (gint64 begin, gint64 end, gpointer data)
{
  hyb_column_sums_add (data, begin, end);
}

/* Whether write_image_f32() writes the image of a transposed convolution from columns. */
static gboolean
writes_image_f32 (const HybConvolve *convolve)
{
  return hyb_column_sums_fit (convolve);
}

static void
write_image_f32 (const HybConvolve *convolve,
                 const float       *columns,
                 gint64             pitch,
                 const float       *bias,
                 float             *image)
{
  HybColumnSums sums = { convolve, columns, pitch, bias, image };

  hyb_parallel_for (convolve->image_channels / convolve->groups, 1, sum_columns, &sums);
}

static gboolean
writes_image_f64 (const HybConvolve *convolve)
{
  return FALSE;
}

static void
write_image_f64 (const HybConvolve *convolve,
                 const double      *columns,
                 gint64             pitch,
                 const double      *bias,
                 double            *image)
{
  g_assert_not_reached ();
}

/* The product that adds a group to its weights: (filters, depth) += map · columnsᵀ. */
static HybGemm
find_weight_product (gint64 filters, gint64 depth, gint64 positions)
{
  return (HybGemm){ .transpose_b = TRUE,
                    .m = filters,
                    .n = depth,
                    .k = positions,
                    .lda = positions,
                    .ldb = positions,
                    .ldc = depth,
                    .alpha = 1.0,
                    .beta = 1.0 };
}

#define REAL_KERNEL "engine/kernels/convolution/convolve-kernel.h"
#include "engine/kernels/each-real.h"

void
hyb_convolve (const HybConvolve *convolve, const HybConvolveOperands *operands)
{
  if (operands->dtype == HYB_F64)
    convolve_f64 (convolve, operands);
  else
    convolve_f32 (convolve, operands);
}

void
hyb_convolve_transposed (const HybConvolve *convolve, const HybConvolveOperands *operands)
{
  if (operands->dtype == HYB_F64)
    convolve_transposed_f64 (convolve, operands);
  else
    convolve_transposed_f32 (convolve, operands);
}

void
hyb_convolve_weight (const HybConvolve *convolve, const HybConvolveWeightOperands *operands)
{
  if (operands->dtype == HYB_F64)
    convolve_weight_f64 (convolve, operands);
  else
    convolve_weight_f32 (convolve, operands);
}
