/* depthwise-flat-kernel.h — the inner loops of depthwise-flat.c for one instruction set; see each-simd.h.
 *
 * sum_vectors: for each tap: load its weight; for each of n vectors: sums += weight · the cells inside of the image.  n is a
 * constant where it is inlined, so that sums stay in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#if LANES == 16

#include "engine/kernels/convolution/masked-finish-kernel.h"

/* The lanes whose cells are inside, from the row and the column of the image that the first tap covers in each lane. */
INLINE void
SIMD (find_vector_masks) (const HybConvolve *c, Ints row, Ints column, guint16 *masks)
{
  __m512i height = _mm512_set1_epi32 ((int) c->image[1]);
  __m512i width = _mm512_set1_epi32 ((int) c->image[2]);

  for (gint64 j = 0; j < c->kernel[1]; j++)
    {
      Ints      y = row + (gint32) (j * c->dilate[1]);
      __mmask16 rows = _mm512_cmplt_epu32_mask ((__m512i) y, height);

      for (gint64 i = 0; i < c->kernel[2]; i++)
        {
          Ints x = column + (gint32) (i * c->dilate[2]);

          *masks++ = (guint16) _mm512_mask_cmplt_epu32_mask (rows, (__m512i) x, width);
        }
    }
}

static TARGET void
SIMD (find_masks) (Planes *planes)
{
  const HybConvolve *c = planes->convolve;
  gint32             y = 0, x = 0;

  for (gint64 at = 0; at < planes->cells; at += LANES)
    {
      Ints row, column;

      for (int lane = 0; lane < LANES; lane++)
        {
          row[lane] = y - (gint32) c->pad[1];
          column[lane] = x - (gint32) c->pad[2];
          x++;
          if (x == c->map[2])
            {
              x = 0;
              y++;
            }
        }
      SIMD (find_vector_masks) (c, row, column, planes->masks[at / LANES]);
    }
}

/* n vectors of a plane, from vector number `first` on. */
INLINE void
SIMD (sum_vectors) (const int n, const Planes *planes, gint64 plane, gint64 filter, gint64 first)
{
  const HybConvolve *c = planes->convolve;
  const float       *weight = planes->operands->weight + filter * planes->taps;
  const float       *image = planes->operands->image +
                       plane * c->groups / c->map_channels * c->image[1] * c->image[2] +
                       first * LANES;
  Floats sums[4] = { { 0 } };

  for (gint64 t = 0; t < planes->taps; t++)
    {
      const float *cells = image + planes->shifts[t];
      Floats       w = simd_fill (weight[t]);

      HYB_UNROLL (4)
      for (int v = 0; v < n; v++)
        sums[v] = simd_multiply_add (w,
                                     (Floats) _mm512_maskz_loadu_ps (planes->masks[first + v][t],
                                                                     cells + v * LANES),
                                     sums[v]);
    }
  HYB_UNROLL (4)
  for (int v = 0; v < n; v++, first++)
    SIMD (finish_lanes)
  (planes->finish, filter, planes->operands->map, plane * planes->cells + first * LANES,
   planes->cells - first * LANES, sums[v]);
}

static TARGET void
SIMD (sum_planes) (const Planes *planes, gint64 begin, gint64 end)
{
  gint64 n = (planes->cells + LANES - 1) / LANES;
  gint64 filter = begin % planes->convolve->map_channels;

  for (gint64 plane = begin; plane < end; plane++)
    {
      gint64 v = 0;

      for (; v + 4 <= n; v += 4)
        SIMD (sum_vectors) (4, planes, plane, filter, v);
      if (n - v == 3)
        SIMD (sum_vectors) (3, planes, plane, filter, v);
      else if (n - v == 2)
        SIMD (sum_vectors) (2, planes, plane, filter, v);
      else if (n - v == 1)
        SIMD (sum_vectors) (1, planes, plane, filter, v);
      filter++;
      if (filter == planes->convolve->map_channels)
        filter = 0;
    }
}

static const Kernels SIMD (kernels) = { SIMD (find_masks), SIMD (sum_planes) };

#else

static const Kernels SIMD (kernels) = { NULL, NULL };

#endif
