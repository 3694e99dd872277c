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
  Vector sum[MOST_FILTERS][MOST_VECTORS];

  EACH_FILTER
  EACH_VECTOR
  sum[f][v] = ZERO ();

  for (gint64 k = 0; k < depth; k++)
    {
      const float *from = image + shifts[k];
      Vector       x[MOST_VECTORS];

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
  STORE (sums + f * SUMS_STRIDE + v * LANES, sum[f][v]);
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

#define ENTRY(filters, vectors) \
  [vectors][filters] = HYB_SIMD_JOIN (sum_##filters##_##vectors, NAME),
static const Kernels HYB_SIMD_JOIN (kernels, NAME) = {
  .lanes = LANES,
  .most_filters = FILTERS_BY_VECTORS,
  .finish_run = HYB_SIMD_JOIN (finish_run, NAME),
  .tile = { TILES (ENTRY) },
};
#undef ENTRY

#undef EACH_FILTER
#undef EACH_VECTOR
#undef TILES
#undef FILTERS_BY_VECTORS
