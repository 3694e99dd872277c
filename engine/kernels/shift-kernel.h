/* shift-kernel.h — the inner loops of shift.c for one instruction set; read behind simd.h.
 *
 * FILTERS × VECTORS sums stay in registers while the depth runs: they are constants
 * wherever sum_tile() is inlined, and TILES lists the pairs that registers suffice for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define EACH_FILTER HYB_UNROLL (8) for (int f = 0; f < n_filters; f++)
#define EACH_VECTOR HYB_UNROLL (4) for (int v = 0; v < n_vectors; v++)

static inline __attribute__ ((always_inline)) TARGET void
HYB_SIMD_JOIN (sum_tile, NAME) (const int     n_filters,
                                const int     n_vectors,
                                gint64        depth,
                                const gint64 *shifts,
                                const float  *image,
                                const float  *weights,
                                gint64        weights_stride,
                                float        *sums)
{
  Vector sum[HYB_TILE_FILTERS][HYB_TILE_VECTORS];

  EACH_FILTER
  EACH_VECTOR
  sum[f][v] = ZERO ();

  for (gint64 k = 0; k < depth; k++)
    {
      const float *from = image + shifts[k];
      Vector       x[HYB_TILE_VECTORS];

      EACH_VECTOR
      x[v] = LOAD (from + v * LANES);
      EACH_FILTER
      {
        Vector weight = SPREAD (weights + f * weights_stride + k);

        EACH_VECTOR
        sum[f][v] = MULTIPLY_ADD (weight, x[v], sum[f][v]);
      }
    }

  EACH_FILTER
  EACH_VECTOR
  STORE (sums + f * HYB_TILE_STRIDE + v * LANES, sum[f][v]);
}

#define DEFINE(filters, vectors)                                                                    \
  static TARGET void HYB_SIMD_JOIN (sum_##filters##_##vectors, NAME) (gint64        depth,          \
                                                                      const gint64 *shifts,         \
                                                                      const float  *image,          \
                                                                      const float  *weights,        \
                                                                      gint64        weights_stride, \
                                                                      float        *sums)           \
  {                                                                                                 \
    HYB_SIMD_JOIN (sum_tile, NAME)                                                                  \
    (filters, vectors, depth, shifts, image, weights, weights_stride, sums);                        \
  }
TILES (DEFINE)
#undef DEFINE

/* n sums become elements of the map. */
static TARGET void
HYB_SIMD_JOIN (finish_run, NAME) (const HybShiftFinish *finish,
                                  gint64                filter,
                                  gint64                at,
                                  gint64                n,
                                  const float *restrict sums,
                                  float *restrict map)
{
  float bias = finish->bias != NULL ? finish->bias[filter] : 0;

  if (finish->other != NULL)
    for (gint64 i = 0; i < n; i++)
      map[at + i] = sums[i] + bias + finish->other[at + i];
  else
    for (gint64 i = 0; i < n; i++)
      map[at + i] = sums[i] + bias;
  if (finish->rectify)
    for (gint64 i = 0; i < n; i++)
      map[at + i] = map[at + i] <= 0 ? 0 : map[at + i];
}

/* With d the six rows of the image:
 * 4 d0 − 5 d2 + d4,  (d4 − 4 d2) ± (d3 − 4 d1),  (d4 − d2) ± 2 (d3 − d1),  4 d1 − 5 d3 + d5. */
static TARGET void
HYB_SIMD_JOIN (spread_rows, NAME) (gint64       n,
                                   const float *image,
                                   gint64       stride,
                                   float       *planes,
                                   gint64       planes_stride)
{
  const float two = 2, four = 4, minus_one = -1, minus_four = -4, minus_five = -5;

  for (gint64 i = 0; i < n; i += LANES)
    {
      Vector d0 = LOAD (image + i), d1 = LOAD (image + stride + i);
      Vector d2 = LOAD (image + 2 * stride + i), d3 = LOAD (image + 3 * stride + i);
      Vector d4 = LOAD (image + 4 * stride + i), d5 = LOAD (image + 5 * stride + i);
      Vector even = MULTIPLY_ADD (SPREAD (&minus_four), d2, d4);
      Vector odd = MULTIPLY_ADD (SPREAD (&minus_four), d1, d3);
      Vector far_even = MULTIPLY_ADD (SPREAD (&minus_one), d2, d4);
      Vector far_odd = MULTIPLY_ADD (SPREAD (&minus_one), d1, d3);
      Vector minus = SPREAD (&minus_one);
      float *to = planes + i;

      STORE (to, MULTIPLY_ADD (SPREAD (&four), d0, MULTIPLY_ADD (SPREAD (&minus_five), d2, d4)));
      STORE (to + planes_stride, ADD (even, odd));
      STORE (to + 2 * planes_stride, MULTIPLY_ADD (minus, odd, even));
      STORE (to + 3 * planes_stride, MULTIPLY_ADD (SPREAD (&two), far_odd, far_even));
      far_odd = MULTIPLY_ADD (minus, far_odd, ZERO ());
      STORE (to + 4 * planes_stride, MULTIPLY_ADD (SPREAD (&two), far_odd, far_even));
      STORE (to + 5 * planes_stride,
             MULTIPLY_ADD (SPREAD (&four), d1, MULTIPLY_ADD (SPREAD (&minus_five), d3, d5)));
    }
}

/* With m the six rows of sums: m0 + (m1 + m2) + (m3 + m4),  (m1 − m2) + 2 (m3 − m4),
 * (m1 + m2) + 4 (m3 + m4),  (m1 − m2) + 8 (m3 − m4) + m5. */
static TARGET void
HYB_SIMD_JOIN (collect_rows, NAME) (gint64 n, const float *sums, gint64 stride, float *rows)
{
  const float two = 2, four = 4, eight = 8, minus_one = -1;

  for (gint64 i = 0; i < n; i += LANES)
    {
      Vector m1 = LOAD (sums + stride + i), m2 = LOAD (sums + 2 * stride + i);
      Vector m3 = LOAD (sums + 3 * stride + i), m4 = LOAD (sums + 4 * stride + i);
      Vector near_sum = ADD (m1, m2), far_sum = ADD (m3, m4);
      Vector near_rest = MULTIPLY_ADD (SPREAD (&minus_one), m2, m1);
      Vector far_rest = MULTIPLY_ADD (SPREAD (&minus_one), m4, m3);

      STORE (rows + i, ADD (ADD (LOAD (sums + i), near_sum), far_sum));
      STORE (rows + HYB_TILE_STRIDE + i, MULTIPLY_ADD (SPREAD (&two), far_rest, near_rest));
      STORE (rows + 2 * HYB_TILE_STRIDE + i, MULTIPLY_ADD (SPREAD (&four), far_sum, near_sum));
      STORE (rows + 3 * HYB_TILE_STRIDE + i,
             ADD (MULTIPLY_ADD (SPREAD (&eight), far_rest, near_rest),
                  LOAD (sums + 5 * stride + i)));
    }
}

#define ENTRY(filters, vectors) \
  [vectors][filters] = HYB_SIMD_JOIN (sum_##filters##_##vectors, NAME),
static const HybTiles HYB_SIMD_JOIN (tiles, NAME) = {
  .lanes = LANES,
  .most_filters = FILTERS_BY_VECTORS,
  .sum = { TILES (ENTRY) },
  .finish_run = HYB_SIMD_JOIN (finish_run, NAME),
  .spread_rows = HYB_SIMD_JOIN (spread_rows, NAME),
  .collect_rows = HYB_SIMD_JOIN (collect_rows, NAME),
};
#undef ENTRY

#undef EACH_FILTER
#undef EACH_VECTOR
#undef TILES
#undef FILTERS_BY_VECTORS
