/* depthwise-pairs-kernel.h — the inner loops of depthwise-pairs.c for one instruction set; see each-simd.h.
 *
 * sum_vectors: for each row of the image under n vectors of the map: load two vectors of cells; for each tap of a row:
 * permute them; for each vector whose window has the row: sums += weight · cells.  n, the window, the rows of a vector and
 * the stride are constants where it is inlined, so that all loops are unrolled and sums stay in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#if LANES == 16

#include "engine/kernels/convolution/masked-finish-kernel.h"

/* The cells of row y of the image, and of padding where it is not `inside`. */
INLINE __m512
SIMD (load_row) (const HybConvolve *c, const float *image, gint64 y, guint16 inside)
{
  __mmask16 mask = (guint64) y < (guint64) c->image[1] ? inside : 0;

  return _mm512_maskz_loadu_ps (mask, image + y * c->image[2]);
}

/* n vectors of a plane of the map, from its row `first` on. */
INLINE void
SIMD (sum_vectors) (const int      n,
                    const int      size,
                    const int      n_rows,
                    const int      stride,
                    const Pairs   *pairs,
                    const __m512i *lanes,
                    gint64         plane,
                    gint64         filter,
                    gint64         first)
{
  const HybConvolve *c = pairs->convolve;
  const float       *weight = pairs->operands->weight + filter * size * size;
  gint64             cells = c->image[1] * c->image[2], area = c->map[1] * c->map[2];
  const float       *image =
      pairs->operands->image + plane * c->groups / c->map_channels * cells - c->pad[2];
  gint64 y = first * stride - c->pad[1], at = first * c->map[2];
  Floats sums[4] = { { 0 } };

  HYB_UNROLL (17)
  for (int s = 0; s < (n - 1) * n_rows * stride + size; s++)
    {
      __m512 low = SIMD (load_row) (c, image, y + s, pairs->inside[0]);
      __m512 high = n_rows == 2 ? SIMD (load_row) (c, image, y + s + stride, pairs->inside[1])
                                : SIMD (load_row) (c, image + LANES, y + s, pairs->inside[1]);

      HYB_UNROLL (5)
      for (int i = 0; i < size; i++)
        {
          Floats values = (Floats) _mm512_permutex2var_ps (low, lanes[i], high);

          HYB_UNROLL (4)
          for (int v = 0; v < n; v++)
            {
              const int j = s - v * n_rows * stride;

              if (j >= 0 && j < size)
                sums[v] = simd_multiply_add (simd_fill (weight[j * size + i]), values, sums[v]);
            }
        }
    }
  HYB_UNROLL (4)
  for (int v = 0; v < n; v++, at += n_rows * c->map[2])
    SIMD (finish_lanes)
  (pairs->finish, filter, pairs->operands->map, plane * area + at,
   MIN (n_rows * c->map[2], area - at), sums[v]);
}

INLINE void
SIMD (sum_planes) (const int    size,
                   const int    n_rows,
                   const int    stride,
                   const Pairs *pairs,
                   gint64       begin,
                   gint64       end)
{
  const HybConvolve *c = pairs->convolve;
  __m512i            lanes[MAX_TAPS];

  HYB_UNROLL (5)
  for (int i = 0; i < size; i++)
    lanes[i] = _mm512_loadu_si512 (pairs->lanes[i]);
  for (gint64 plane = begin; plane < end; plane++)
    {
      gint64 filter = plane % c->map_channels, y = 0, height = c->map[1];

      for (; y + 3 * n_rows < height; y += 4 * n_rows)
        SIMD (sum_vectors) (4, size, n_rows, stride, pairs, lanes, plane, filter, y);
      for (; y + n_rows < height; y += 2 * n_rows)
        SIMD (sum_vectors) (2, size, n_rows, stride, pairs, lanes, plane, filter, y);
      for (; y < height; y += n_rows)
        SIMD (sum_vectors) (1, size, n_rows, stride, pairs, lanes, plane, filter, y);
    }
}

#define DEFINE(name, size, n_rows, stride)                                      \
  static TARGET void SIMD (name) (const Pairs *pairs, gint64 begin, gint64 end) \
  {                                                                             \
    SIMD (sum_planes) (size, n_rows, stride, pairs, begin, end);                \
  }
DEFINE (two_rows_five, 5, 2, 1)
DEFINE (two_rows_halved_three, 3, 2, 2)
DEFINE (two_rows_halved_five, 5, 2, 2)
DEFINE (one_row_halved_three, 3, 1, 2)
DEFINE (one_row_halved_five, 5, 1, 2)

static const Kernels SIMD (kernels) = {
  SIMD (two_rows_five),
  { SIMD (two_rows_halved_three), SIMD (two_rows_halved_five) },
  { SIMD (one_row_halved_three), SIMD (one_row_halved_five) },
};

#undef DEFINE

#else

static const Kernels SIMD (kernels) = { NULL };

#endif
