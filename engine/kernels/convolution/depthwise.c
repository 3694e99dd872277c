/* depthwise.c — convolutions whose groups have one channel each; see depthwise.h.
 *
 *   for each plane of the image (split over threads), for each strip of the map: lay out the rows that it needs; for each
 *   filter, for each four rows of the map, for each vector of a row, for each tap: sums += weight · cells; write them.
 *
 * The inner loops are in depthwise-kernel.h.  Start with hyb_depthwise_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/depthwise.h"

#include "engine/kernels/convolution/depthwise-flat.h"
#include "engine/kernels/convolution/depthwise-pairs.h"
#include "engine/kernels/convolution/parts.h"
#include "engine/kernels/convolution/window-rows.h"

/* Some rows of the map, and the rows that were laid out for them. */
typedef struct
{
  const float  *rows;
  gint64        row;     /* floats from one of these rows to the next */
  const gint64 *columns; /* where the cells under each tap of a row begin */
  const float  *weight;
  gint64        kernel[2], stride, dilate; /* stride and dilation of rows */
  gint64        shared; /* rows of the map from one to the next that shares cells with it */
  gint64        n_rows, n_columns;
  float        *map;
  const float  *other; /* likewise, or NULL */
  float         bias;
  gboolean      rectify;
  float         slope;
} Strip;

/* Computes all rows of a strip. */
typedef void (*SumStrip) (const Strip *strip);

/* The kernels of one instruction set: for windows of 3 × 3, 5 × 5 and 7 × 7 whose neighbours share all rows of cells but
 * one or two, and for all others. */
typedef struct
{
  SumStrip three[2], five[2], seven[2], any;
} Kernels;

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/convolution/depthwise-kernel.h"
#include "engine/kernels/simd/each-simd.h"

gboolean
hyb_depthwise_fits (const HybConvolve *convolve)
{
  return convolve->groups > 1 && convolve->image_channels == convolve->groups &&
         hyb_window_rows_fit (convolve);
}

/* Rows of the map from one to the next whose windows share all rows of cells but one; 0 if there are none. */
static gint64
find_shared (const HybConvolve *convolve)
{
  return convolve->dilate[1] % convolve->stride[1] == 0 ? convolve->dilate[1] / convolve->stride[1]
                                                        : 0;
}

static SumStrip
choose_kernel (const HybConvolve *convolve)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);
  gint64         size = convolve->kernel[1];
  gboolean       halves = convolve->stride[1] == 2 && convolve->dilate[1] == 1;

  if (convolve->kernel[2] != size || (find_shared (convolve) == 0 && !halves))
    return kernels->any;
  return size == 3   ? kernels->three[halves]
         : size == 5 ? kernels->five[halves]
         : size == 7 ? kernels->seven[halves]
                     : kernels->any;
}

/* A convolution of all samples. */
typedef struct
{
  const HybConvolve       *convolve;
  const HybDirectOperands *operands;
  const HybConvolveFinish *finish;
  HybWindowRows            rows;
  SumStrip                 sum;
} Convolution;

static HybParts
find_parts (const Convolution *convolution)
{
  const HybConvolve *convolve = convolution->convolve;

  return (HybParts){ .n = convolve->batch * convolve->groups,
                     .work = hyb_convolve_flops (convolve) / 2 /
                             (double) MAX (convolve->batch * convolve->groups, 1),
                     .area = hyb_window_rows_size (&convolution->rows) };
}

gsize
hyb_depthwise_workspace (const HybConvolve *convolve)
{
  Convolution convolution = { .convolve = convolve };
  HybParts    parts;

  hyb_window_rows_init (&convolution.rows, convolve);
  parts = find_parts (&convolution);
  return sizeof (float) * (gsize) (parts.area * hyb_parts_n_areas (&parts));
}

/* Computes rows of one plane of the map from rows that are laid out. */
static void
sum_filter (const Convolution *convolution, gint64 plane, gint64 first, gint64 n, const float *rows)
{
  const HybConvolve       *convolve = convolution->convolve;
  const HybConvolveFinish *finish = convolution->finish;
  gint64                   filter = plane % convolve->map_channels;
  gint64                   at = (plane * convolve->map[1] + first) * convolve->map[2];
  gint64                   taps = convolve->kernel[1] * convolve->kernel[2];

  convolution->sum (&(Strip){ .rows = rows,
                              .row = convolution->rows.row,
                              .columns = convolution->rows.columns,
                              .weight = convolution->operands->weight + filter * taps,
                              .kernel = { convolve->kernel[1], convolve->kernel[2] },
                              .stride = convolve->stride[1],
                              .dilate = convolve->dilate[1],
                              .shared = MAX (find_shared (convolve), 1),
                              .n_rows = n,
                              .n_columns = convolve->map[2],
                              .map = convolution->operands->map + at,
                              .other = finish->other ? finish->other + at : NULL,
                              .bias = finish->bias ? finish->bias[filter] : 0,
                              .rectify = finish->rectify,
                              .slope = finish->slope });
}

/* Computes the filters of one plane of the image. */
static void
convolve_plane (gint64 plane, gint64 area, gconstpointer data)
{
  const Convolution   *convolution = data;
  const HybConvolve   *convolve = convolution->convolve;
  const HybWindowRows *rows = &convolution->rows;
  gint64               filters = convolve->map_channels / convolve->groups, n;
  float *laid_out = (float *) convolution->operands->workspace + area * hyb_window_rows_size (rows);
  HybWindowPlane source = hyb_window_plane (rows, convolution->operands->image,
                                            convolve->batch * convolve->groups, plane);

  for (gint64 first = 0; first < convolve->map[1]; first += n)
    {
      n = MIN (rows->strip, convolve->map[1] - first);
      hyb_window_rows_fill (rows, &source, first, n, laid_out);
      for (gint64 i = 0; i < filters; i++)
        sum_filter (convolution, plane * filters + i, first, n, laid_out);
    }
}

void
hyb_depthwise_convolve (const HybConvolve       *convolve,
                        const HybDirectOperands *operands,
                        const HybConvolveFinish *finish)
{
  Convolution convolution = {
    .convolve = convolve, .operands = operands, .finish = finish, .sum = choose_kernel (convolve)
  };
  HybParts parts;

  if (hyb_depthwise_pairs_convolve (convolve, operands, finish) ||
      hyb_depthwise_flat_convolve (convolve, operands, finish))
    return;
  hyb_window_rows_init (&convolution.rows, convolve);
  parts = find_parts (&convolution);
  hyb_parts_for_each (&parts, convolve_plane, &convolution);
}
