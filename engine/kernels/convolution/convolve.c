/* convolve.c — convolution as im2col and a matrix product: for each sample, for each group,
 * map[f,p] = sum_k weight[f,k] columns[k,p], where k runs over channels and taps.
 *
 * im2col writes the cells that each window covers as one column.  A kernel of one cell with
 * stride 1 needs no copy, because the image is its own column matrix.  Groups of one channel are
 * computed directly, tap by tap.  choose_method() decides; the loops are in convolve-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/convolve.h"

#include "engine/base/parallel.h"
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

static gint64
volume (const gint64 size[3])
{
  return size[0] * size[1] * size[2];
}

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

static gsize
multiply_or_max (gsize a, gsize b)
{
  gsize product;

  return g_size_checked_mul (&product, a, b) ? product : G_MAXSIZE;
}

gsize
hyb_convolve_workspace (const HybConvolve *convolve, gsize element_size)
{
  gsize size = element_size;

  if (choose_method (convolve) != METHOD_COLUMNS)
    return 0;

  size = multiply_or_max (size, (gsize) (convolve->image_channels / convolve->groups));
  for (int i = 0; i < 3; i++)
    {
      size = multiply_or_max (size, (gsize) convolve->kernel[i]);
      size = multiply_or_max (size, (gsize) convolve->map[i]);
    }

  return size;
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
