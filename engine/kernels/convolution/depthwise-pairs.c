/* depthwise-pairs.c — depthwise convolutions whose rows fit two vectors; see depthwise-pairs.h.
 *
 *   for each plane (split over threads), for each four vectors of the map, for each row of the image under them:
 *   load two vectors of cells; for each tap of a row: permute them; for each vector: sums += weight · cells
 *
 * Start with hyb_depthwise_pairs_convolve(); the inner loops are in depthwise-pairs-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/depthwise-pairs.h"

#include "engine/base/parallel.h"
#include "engine/kernels/vectorise.h"

/* Lanes of the vectors that this is for, and taps of a row of the window, at most. */
#define WIDTH    16
#define MAX_TAPS 5
/* Multiplications below which a piece is not worth a thread. */
#define GRAIN 262144

typedef struct
{
  const HybConvolve       *convolve;
  const HybDirectOperands *operands;
  const HybConvolveFinish *finish;
  guint16                  inside[2]; /* the lanes of both vectors that lie inside of the image */
  gint32                   lanes[MAX_TAPS][WIDTH]; /* of both vectors: the cells under each tap */
} Pairs;

/* Computes the planes [begin, end) of the map. */
typedef void (*SumPairs) (const Pairs *pairs, gint64 begin, gint64 end);

/* The kernels of one instruction set, for windows of 3 × 3 and of 5 × 5; NULL: it cannot permute two vectors.  Without strides,
 * windows of 3 × 3, and rows of which a vector holds three, are faster by depthwise-flat.h. */
typedef struct
{
  SumPairs two_rows_five;      /* a vector of the map has two rows */
  SumPairs two_rows_halved[2]; /* likewise, with strides of 2 */
  SumPairs one_row_halved[2];
} Kernels;

#define SIMD_KERNEL "engine/kernels/convolution/depthwise-pairs-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Whether a vector of the map has two rows. */
static gboolean
has_two_rows (const HybConvolve *c)
{
  return 2 * c->map[2] <= WIDTH && c->stride[2] * (c->map[2] - 1) + c->kernel[2] <= WIDTH;
}

static SumPairs
choose_kernel (const HybConvolve *c)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);
  gint64         size = c->kernel[2], stride = c->stride[2];

  if (c->map[1] * c->map[2] == 0 || c->kernel[1] != size || c->stride[1] != stride ||
      c->dilate[1] != 1 || c->dilate[2] != 1 || (size != 3 && size != 5))
    return NULL;
  if (has_two_rows (c))
    return stride == 2                                         ? kernels->two_rows_halved[size == 5]
           : stride == 1 && size == 5 && 3 * c->map[2] > WIDTH ? kernels->two_rows_five
                                                               : NULL;
  return stride == 2 && c->map[2] <= WIDTH && 2 * (c->map[2] - 1) + size <= 2 * WIDTH
             ? kernels->one_row_halved[size == 5]
             : NULL;
}

static void
find_lanes (Pairs *pairs)
{
  const HybConvolve *c = pairs->convolve;
  gboolean           two = has_two_rows (c);

  for (gint64 lane = 0; lane < WIDTH; lane++)
    {
      gint64 second = lane + (two ? 0 : WIDTH), row = two ? lane / c->map[2] : 0;
      gint64 column = lane - row * c->map[2];

      for (gint64 half = 0; half < 2; half++)
        {
          gint64 x = (half ? second : lane) - c->pad[2];

          pairs->inside[half] |= (guint16) ((x >= 0 && x < c->image[2]) << lane);
        }
      for (gint64 i = 0; i < c->kernel[2] && row < 2; i++)
        pairs->lanes[i][lane] =
            (gint32) MIN (row * WIDTH + column * c->stride[2] + i, 2 * WIDTH - 1);
    }
}

typedef struct
{
  const Pairs *pairs;
  SumPairs     sum;
} Job;

static void
sum_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  job->sum (job->pairs, begin, end);
}

gboolean
hyb_depthwise_pairs_convolve (const HybConvolve       *convolve,
                              const HybDirectOperands *operands,
                              const HybConvolveFinish *finish)
{
  Pairs  pairs = { convolve, operands, finish };
  Job    job = { &pairs, choose_kernel (convolve) };
  gint64 work = convolve->map[1] * convolve->map[2] * convolve->kernel[1] * convolve->kernel[2];

  if (!job.sum)
    return FALSE;
  find_lanes (&pairs);
  hyb_parallel_for (convolve->batch * convolve->map_channels, 1 + GRAIN / work, sum_slice, &job);
  return TRUE;
}
