/* depthwise-flat.c — depthwise convolutions of small planes; see depthwise-flat.h.
 *
 *   for each tap, for each vector of the map: find the lanes whose cells lie inside of the image
 *   for each plane (split over threads), for each four vectors, for each tap: sums += weight · cells; write them
 *
 * Start with hyb_depthwise_flat_convolve(); the inner loops are in depthwise-flat-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/depthwise-flat.h"

#include "engine/base/parallel.h"
#include "engine/kernels/vectorise.h"

/* Vectors of a plane, and taps, at most. */
#define MAX_VECTORS 16
#define MAX_TAPS    49
/* Columns of a map, at most, for windows of up to nine taps and for larger ones: wider rows fill vectors by themselves,
 * and share what they load. */
#define MAX_COLUMNS(taps) ((taps) <= 9 ? 12 : 8)
/* Multiplications below which a piece is not worth a thread. */
#define GRAIN 262144

typedef struct
{
  const HybConvolve       *convolve;
  const HybDirectOperands *operands;
  const HybConvolveFinish *finish;
  gint64                   taps, cells; /* of a plane */
  gint64                   shifts[MAX_TAPS];
  guint16                  masks[MAX_VECTORS][MAX_TAPS]; /* the lanes of a vector to be loaded */
} Planes;

/* Computes the planes [begin, end) of the map. */
typedef void (*SumPlanes) (const Planes *planes, gint64 begin, gint64 end);
/* Finds the masks. */
typedef void (*FindMasks) (Planes *planes);

/* The kernels of one instruction set; NULL: it has no masked loads. */
typedef struct
{
  FindMasks find_masks;
  SumPlanes sum_planes;
} Kernels;

#define SIMD_KERNEL "engine/kernels/convolution/depthwise-flat-kernel.h"
#include "engine/kernels/simd/each-simd.h"

static gboolean
is_small (const HybConvolve *c)
{
  gint64 vectors = (c->map[1] * c->map[2] + 15) / 16, taps = c->kernel[1] * c->kernel[2];

  return c->stride[1] == 1 && c->stride[2] == 1 && c->map[2] == c->image[2] &&
         c->map[2] <= MAX_COLUMNS (taps) && vectors > 0 && vectors <= MAX_VECTORS &&
         taps <= MAX_TAPS;
}

static void
sum_slice (gint64 begin, gint64 end, gpointer data)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);

  kernels->sum_planes (data, begin, end);
}

gboolean
hyb_depthwise_flat_convolve (const HybConvolve       *convolve,
                             const HybDirectOperands *operands,
                             const HybConvolveFinish *finish)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);
  Planes         planes = { convolve, operands, finish };
  gint64         t = 0;

  if (!kernels->find_masks || !is_small (convolve))
    return FALSE;
  planes.cells = convolve->map[1] * convolve->map[2];
  planes.taps = convolve->kernel[1] * convolve->kernel[2];
  for (gint64 j = 0; j < convolve->kernel[1]; j++)
    for (gint64 i = 0; i < convolve->kernel[2]; i++)
      planes.shifts[t++] = (j * convolve->dilate[1] - convolve->pad[1]) * convolve->image[2] +
                           i * convolve->dilate[2] - convolve->pad[2];
  kernels->find_masks (&planes);
  hyb_parallel_for (convolve->batch * convolve->map_channels,
                    1 + GRAIN / (planes.cells * planes.taps), sum_slice, &planes);
  return TRUE;
}
