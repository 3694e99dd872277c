/* filter-tile-kernel.h — the inner loops of filter-tile.c for one instruction set; see each-simd.h.
 *
 * sum_F_V: sums[f,v] = sum_k weights[f,k] image[shifts[k] + vectors[v]]; for k, for f < F, for
 * vectors v < V.  With AVX-512 vectors follow each other, because fewer of them are wasted on the
 * gaps between rows that way.  The F × V sums stay in registers: F and V are constants wherever sum_tile() is inlined,
 * and TILES lists the pairs whose sums fit the registers.
 *
 * sum_panel_F_V: the same of cells that gather() copied or that are read from the image as it lies, some channels and taps
 * at a time; sum_listed_F_V: of some of the weights.  sum_columns_N: of N such positions, with vectors along channels and
 * taps.  lay_out() writes one phase of a channel as planes for these sums.
 * Winograd's transforms are here too, because they need the same instruction sets.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/rectify-kernel.h"

#if LANES >= 8

#define UP_TO_4(X, v) X (1, v) X (2, v) X (3, v) X (4, v)
#define UP_TO_6(X, v) UP_TO_4 (X, v) X (5, v) X (6, v)
#define UP_TO_8(X, v) UP_TO_6 (X, v) X (7, v) X (8, v)

#if LANES == 16
#define TILES(X) UP_TO_8 (X, 1) UP_TO_8 (X, 2) UP_TO_8 (X, 3) UP_TO_6 (X, 4)
#define FILTERS_BY_VECTORS \
  {                        \
    0, 8, 8, 8, 6          \
  }
#define TAKES_ROWS 0
#define PLACE(v)   ((v) *LANES)
#else
#define TILES(X) UP_TO_8 (X, 1) UP_TO_6 (X, 2) UP_TO_4 (X, 3)
#define FILTERS_BY_VECTORS \
  {                        \
    0, 8, 6, 4, 0          \
  }
#define TAKES_ROWS 1
#define PLACE(v)   place[v]
#endif

#define EACH_FILTER HYB_UNROLL (8) for (int f = 0; f < n_filters; f++)
#define EACH_VECTOR HYB_UNROLL (4) for (int v = 0; v < n_vectors; v++)

/* A vector of which `left` floats can be read. */
INLINE Floats
SIMD (load_left) (const float *from, gint64 left)
{
  return left >= LANES ? simd_load (from) : simd_load_part (from, left);
}

/* Vector number v of a filter of the map; of the last one there are `left` floats. */
#define LOAD_MAP(from)                                                  \
  (v < n_vectors - 1 ? simd_load ((from) + f * map->stride + v * LANES) \
                     : SIMD (load_left) ((from) + f * map->stride + v * LANES, left))

/* Adds bias and residual, and rectifies.  Sums are in registers: every branch is taken for all of them. */
INLINE void
SIMD (finish_sums) (const int         n_filters,
                    const int         n_vectors,
                    const HybTileMap *map,
                    gint64            left,
                    Floats            sum[HYB_TILE_FILTERS][HYB_TILE_VECTORS])
{
  EACH_FILTER
  {
    Floats bias = simd_fill (map->bias ? map->bias[f] : 0);

    EACH_VECTOR
    sum[f][v] = sum[f][v] + bias;
  }
  if (map->other)
    EACH_FILTER
  EACH_VECTOR
  sum[f][v] = sum[f][v] + LOAD_MAP (map->other);
  if (map->rectify && map->slope == 0)
    EACH_FILTER
  EACH_VECTOR
  sum[f][v] = SIMD (rectify) (sum[f][v], 0);
  else if (map->rectify) EACH_FILTER EACH_VECTOR sum[f][v] = SIMD (rectify) (sum[f][v], map->slope);
}

INLINE void
SIMD (write_map) (const int         n_filters,
                  const int         n_vectors,
                  const HybTileMap *map,
                  gint64            left,
                  Floats            sum[HYB_TILE_FILTERS][HYB_TILE_VECTORS])
{
  const gint64 last = (n_vectors - 1) * LANES;

  if (left >= LANES)
    {
      EACH_FILTER
      EACH_VECTOR
      simd_store (map->to + f * map->stride + v * LANES, sum[f][v]);
      return;
    }
  EACH_FILTER
  {
    EACH_VECTOR
    if (v < n_vectors - 1)
      simd_store (map->to + f * map->stride + v * LANES, sum[f][v]);
    simd_store_part (map->to + f * map->stride + last, left, sum[f][n_vectors - 1]);
  }
}

INLINE void
SIMD (sum_tile) (const int           n_filters,
                 const int           n_vectors,
                 const HybTileImage *tile,
                 const float        *weights,
                 gint64              weights_stride,
                 float              *sums)
{
  Floats sum[HYB_TILE_FILTERS][HYB_TILE_VECTORS];
  gint64 until;
#if TAKES_ROWS
  gint64 place[HYB_TILE_VECTORS];

  EACH_VECTOR
  place[v] = tile->vectors[v];
#endif

  /* 1. Sums of n_filters × n_vectors stay in registers; both are constants here, so the loops unroll. */
  EACH_FILTER
  EACH_VECTOR
  sum[f][v] = (Floats){ 0 };

  if (tile->map.to) /* the same filters of the next tile are written next */
    EACH_FILTER
  EACH_VECTOR
  __builtin_prefetch (tile->map.to + f * tile->map.stride + (n_vectors + v) * LANES, 1);

  /* 2. sum[f][v] += weight[f][k] x[k][v] over the depth (channels × kernel), one cache line of weights at a time; the rows
   *    of weights of the tile after this one are fetched meanwhile. */
  for (gint64 first = 0; first < tile->depth; first = until)
    {
      until = tile->ahead.n > 0 ? MIN (first + HYB_LINE_FLOATS, tile->depth) : tile->depth;
      for (gint64 row = 0; row < tile->ahead.n; row++)
        __builtin_prefetch (tile->ahead.weights + row * weights_stride + first, 0, 2);
      for (gint64 k = first; k < until; k++)
        {
          const float *from = tile->image + tile->shifts[k];
          Floats       x[HYB_TILE_VECTORS];

          EACH_VECTOR
          x[v] = simd_load (from + PLACE (v));
          EACH_FILTER
          {
            Floats weight = simd_fill (weights[f * weights_stride + k]);

            EACH_VECTOR
            sum[f][v] = simd_multiply_add (weight, x[v], sum[f][v]);
          }
        }
    }

  /* 3. Results go to the map with bias, residual and rectifier, or as they are to a buffer. */
  if (tile->map.to)
    {
      SIMD (finish_sums) (n_filters, n_vectors, &tile->map, LANES, sum);
      SIMD (write_map) (n_filters, n_vectors, &tile->map, LANES, sum);
      return;
    }
  EACH_FILTER
  EACH_VECTOR
  simd_store (sums + f * HYB_TILE_STRIDE + v * LANES, sum[f][v]);
}

#define DEFINE(filters, vectors)                                                           \
  static TARGET void SIMD (sum_##filters##_##vectors) (const HybTileImage *tile,           \
                                                       const float        *weights,        \
                                                       gint64 weights_stride, float *sums) \
  {                                                                                        \
    SIMD (sum_tile) (filters, vectors, tile, weights, weights_stride, sums);               \
  }
TILES (DEFINE)
#undef DEFINE

INLINE void
SIMD (sum_panel) (const int           n_filters,
                  const int           n_vectors,
                  const gboolean      is_listed,
                  const HybTilePanel *panel,
                  const float        *weights)
{
  const HybTileMap *map = &panel->map;
  gint64            stride = panel->weights_stride, step = panel->step, until;
  gint64            left = panel->n - (n_vectors - 1) * LANES; /* in the last vector */
  const float      *cells = panel->cells;
  Floats            sum[HYB_TILE_FILTERS][HYB_TILE_VECTORS];

  /* 1. The sums of the channels before these, or zeros; the map under the next filters is written next. */
  EACH_FILTER
  EACH_VECTOR
  sum[f][v] = (Floats){ 0 };
  if (panel->continues)
    EACH_FILTER
  EACH_VECTOR
  sum[f][v] = LOAD_MAP (map->to);
  EACH_FILTER
  EACH_VECTOR
  __builtin_prefetch (map->to + (n_filters + f) * map->stride + v * LANES, 1);

  /* 2. As in sum_tile(). */
  for (gint64 first = 0; first < panel->depth; first = until)
    {
      until = panel->ahead.n > 0 ? MIN (first + HYB_LINE_FLOATS, panel->depth) : panel->depth;
      for (gint64 row = 0; row < panel->ahead.n; row++)
        __builtin_prefetch (panel->ahead.weights + row * stride + first, 0, 2);
      for (gint64 k = first; k < until; k++, cells += step)
        {
          gint64 at = is_listed ? panel->list[k] : k;
          Floats x[HYB_TILE_VECTORS];

          EACH_VECTOR
          x[v] = simd_load_register (cells + v * LANES);
          EACH_FILTER
          {
            Floats weight = simd_fill (weights[f * stride + at]);

            EACH_VECTOR
            sum[f][v] = simd_multiply_add (weight, x[v], sum[f][v]);
          }
        }
    }

  if (panel->finishes)
    SIMD (finish_sums) (n_filters, n_vectors, map, left, sum);
  SIMD (write_map) (n_filters, n_vectors, map, left, sum);
}

#define DEFINE(filters, vectors)                                                           \
  static TARGET void SIMD (sum_panel_##filters##_##vectors) (const HybTilePanel *panel,    \
                                                             const float        *weights)  \
  {                                                                                        \
    SIMD (sum_panel) (filters, vectors, FALSE, panel, weights);                            \
  }                                                                                        \
  static TARGET void SIMD (sum_listed_##filters##_##vectors) (const HybTilePanel *panel,   \
                                                              const float        *weights) \
  {                                                                                        \
    SIMD (sum_panel) (filters, vectors, TRUE, panel, weights);                             \
  }
TILES (DEFINE)
#undef DEFINE

/* Finishes one sum, or keeps it. */
INLINE void
SIMD (write_cell) (const HybTilePanel *panel, gint64 filter, gint64 position, float sum)
{
  const HybTileMap *map = &panel->map;
  gint64            at = filter * map->stride + position;
  Floats            value = simd_fill (panel->continues ? map->to[at] + sum : sum);

  if (panel->finishes)
    {
      value = value + simd_fill (map->bias ? map->bias[filter] : 0);
      if (map->other)
        value = value + simd_fill (map->other[at]);
      if (map->rectify)
        value = SIMD (rectify) (value, map->slope);
    }
  map->to[at] = value[0];
}

/* n_filters filters, the first of which is `filter`, and n positions. */
INLINE void
SIMD (sum_some_columns) (const int           n_filters,
                         const int           n,
                         const HybTilePanel *panel,
                         const float        *weights,
                         gint64              filter)
{
  Floats sum[HYB_TILE_FILTERS][HYB_TILE_COLUMNS] = { { { 0 } } };
  gint64 stride = panel->weights_stride, step = panel->step, k = 0;

  weights += filter * stride;
  for (; k < panel->depth; k += LANES)
    {
      gint64 left = panel->depth - k;
      Floats x[HYB_TILE_COLUMNS];

      HYB_UNROLL (4)
      for (int i = 0; i < n; i++)
        x[i] = SIMD (load_left) (panel->cells + i * step + k, left);
      EACH_FILTER
      {
        Floats w = SIMD (load_left) (weights + f * stride + k, left);

        HYB_UNROLL (4)
        for (int i = 0; i < n; i++)
          sum[f][i] = simd_multiply_add (w, x[i], sum[f][i]);
      }
    }
  EACH_FILTER
  HYB_UNROLL (4)
  for (int i = 0; i < n; i++)
    SIMD (write_cell) (panel, filter + f, i, simd_sum (sum[f][i]));
}

/* Defines sum_columns_<n>, which takes `filters` filters at a time: eight sums are under way. */
#define DEFINE_COLUMNS(n, filters)                                                            \
  static TARGET void SIMD (sum_columns_##n) (const HybTilePanel *panel, const float *weights, \
                                             gint64 n_filters)                                \
  {                                                                                           \
    gint64 f = 0;                                                                             \
                                                                                              \
    for (; f + filters <= n_filters; f += filters)                                            \
      SIMD (sum_some_columns) (filters, n, panel, weights, f);                                \
    for (; f < n_filters; f++)                                                                \
      SIMD (sum_some_columns) (1, n, panel, weights, f);                                      \
  }
DEFINE_COLUMNS (1, 8)
DEFINE_COLUMNS (2, 4)
DEFINE_COLUMNS (3, 4)
DEFINE_COLUMNS (4, 4)
#undef DEFINE_COLUMNS

/* Unlike copy_cells() this stores whole vectors: the panel has room behind a run, and no mask is needed. */
static TARGET void
SIMD (gather) (const HybTileGather *gather, float *panel)
{
  for (gint64 k = 0; k < gather->depth; k++, panel += gather->width)
    for (gint64 r = 0; r < gather->n_runs; r++)
      {
        const HybTileRun *run = &gather->runs[r];
        const float      *from = gather->planes + gather->shifts[k] + run->from;
        float            *to = panel + run->to;
        gint64            i = 0;

        for (; i + LANES <= run->n; i += LANES)
          simd_store (to + i, simd_load (from + i));
        for (; i + HYB_TILE_UNIT <= run->n; i += HYB_TILE_UNIT)
          memcpy (to + i, from + i, sizeof (float) * HYB_TILE_UNIT);
        if (i < run->n)
          simd_store (to + i, simd_load_part (from + i, run->n - i));
      }
}

/* The first cells of a vector, at most LANES; zeros after them. */
INLINE Floats
SIMD (load_cells) (const float *from, gint64 n)
{
  return n >= LANES ? simd_load (from) : n > 0 ? simd_load_part (from, n) : (Floats){ 0 };
}

/* The strides of cells that take_whole() takes. */
#define MAX_WHOLE_STRIDE 4

/* A vector of from[stride i]; reads stride vectors. */
INLINE Floats
SIMD (take_whole) (const gint64 stride, const float *from)
{
  Floats x[MAX_WHOLE_STRIDE];

  HYB_UNROLL (4)
  for (int v = 0; v < stride; v++)
    x[v] = simd_load (from + v * LANES);
  if (stride == 1)
    return x[0];
  if (stride == 2)
    return simd_even_lanes (x[0], x[1]);
  if (stride == 3)
    return simd_third_lanes (x[0], x[1], x[2]);
  return simd_even_lanes (simd_even_lanes (x[0], x[1]), simd_even_lanes (x[2], x[3]));
}

/* to[i] = from[stride i] for i < n, by whole vectors. */
INLINE void
SIMD (take_vectors) (const gint64 stride, gint64 n, const float *from, float *to)
{
  for (gint64 i = 0; i < n; i += LANES)
    simd_store (to + i, SIMD (take_whole) (stride, from + stride * i));
}

/* to[i] = from[2 i] for i < n. */
INLINE void
SIMD (take_every_second) (gint64 n, const float *from, float *to)
{
  gint64 i = 0, cells;

  for (; i + LANES < n; i += LANES) /* reads one cell more than it takes */
    simd_store (to + i, SIMD (take_whole) (2, from + 2 * i));
  cells = 2 * (n - i) - 1;
  if (cells > 0)
    {
      Floats low = SIMD (load_cells) (from + 2 * i, cells);
      Floats high = SIMD (load_cells) (from + 2 * i + MIN (cells, LANES), cells - LANES);
      Floats taken = simd_even_lanes (low, high);

      if (n - i == LANES)
        simd_store (to + i, taken);
      else
        simd_store_part (to + i, n - i, taken);
    }
}

/* to[i] = from[i] for i < n. */
INLINE void
SIMD (copy_cells) (gint64 n, const float *from, float *to)
{
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    simd_store (to + i, simd_load (from + i));
  if (i < n)
    simd_store_part (to + i, n - i, simd_load_part (from + i, n - i));
}

INLINE void
SIMD (clear_cells) (gint64 n, float *to)
{
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    simd_store (to + i, (Floats){ 0 });
  if (i < n)
    simd_store_part (to + i, n - i, (Floats){ 0 });
}

/* Lays out one row: the cells of the image row `row` that lie inside. */
INLINE void
SIMD (lay_out_row) (const HybTilePhase *phase, const float *row, float *to)
{
  const float *from = row + phase->first + phase->begin * phase->stride;
  gint64       n = phase->end - phase->begin;

  SIMD (clear_cells) (phase->begin, to);
  if (phase->stride == 1)
    SIMD (copy_cells) (n, from, to + phase->begin);
  else if (phase->stride == 2)
    SIMD (take_every_second) (n, from, to + phase->begin);
  else
    for (gint64 k = 0; k < n; k++)
      to[phase->begin + k] = from[k * phase->stride];
  SIMD (clear_cells) (phase->pitch - phase->end, to + phase->end);
}

/* The same by whole vectors, which read behind the row of the image and write behind that of the phase: rows that follow
 * are written later. */
INLINE void
SIMD (lay_out_whole) (const HybTilePhase *phase, const float *from, float *to)
{
  float *cells = to + phase->begin;
  gint64 n = phase->end - phase->begin;

  if (phase->begin > 0)
    for (gint64 k = 0; k < phase->begin; k += LANES)
      simd_store (to + k, (Floats){ 0 });
  if (phase->stride == 1)
    SIMD (take_vectors) (1, n, from, cells);
  else if (phase->stride == 2)
    SIMD (take_vectors) (2, n, from, cells);
  else if (phase->stride == 3)
    SIMD (take_vectors) (3, n, from, cells);
  else
    SIMD (take_vectors) (4, n, from, cells);
  for (gint64 k = phase->end; k < phase->pitch; k += LANES)
    simd_store (to + k, (Floats){ 0 });
}

static TARGET void
SIMD (lay_out) (const HybTilePhase *phase, float *to)
{
  gint64 n = (phase->end - phase->begin + LANES - 1) / LANES * LANES;
  gint64 first = phase->first + phase->begin * phase->stride, y = phase->y;
  /* The last rows whose vectors stay inside of the channel, and of the phase. */
  gint64 last_read = phase->stride > MAX_WHOLE_STRIDE
                         ? -1
                         : phase->height * phase->width - first - n * phase->stride;
  gint64 last_write = (phase->n_rows - 1) * phase->pitch - LANES;

  for (gint64 row = 0; row < phase->n_rows; row++, y += phase->y_step, to += phase->pitch)
    if (y < 0 || y >= phase->height)
      SIMD (clear_cells) (phase->pitch, to);
    else if (y * phase->width <= last_read && row * phase->pitch <= last_write)
      SIMD (lay_out_whole) (phase, phase->image + y * phase->width + first, to);
    else
      SIMD (lay_out_row) (phase, phase->image + y * phase->width, to);
}

/* map[at + i] = relu (sums[i] + bias[filter] + other[at + i]) for i < n. */
static TARGET void
SIMD (finish_run) (const HybConvolveFinish *finish,
                   gint64                   filter,
                   gint64                   at,
                   gint64                   n,
                   const float             *sums,
                   float                   *map)
{
  Floats       bias = simd_fill (finish->bias ? finish->bias[filter] : 0);
  const float *other = finish->other ? finish->other + at : NULL;
  float       *to = map + at;
  gint64       i = 0;

  for (; i + LANES <= n; i += LANES)
    {
      Floats sum = simd_load (sums + i) + bias;

      sum = other ? sum + simd_load (other + i) : sum;
      simd_store (to + i, finish->rectify ? SIMD (rectify) (sum, finish->slope) : sum);
    }
  if (i < n)
    {
      Floats sum = simd_load_part (sums + i, n - i) + bias;

      sum = other ? sum + simd_load_part (other + i, n - i) : sum;
      simd_store_part (to + i, n - i, finish->rectify ? SIMD (rectify) (sum, finish->slope) : sum);
    }
}

/* Winograd's input transform of the six rows d of the image to:
 * 4 d0 − 5 d2 + d4,  (d4 − 4 d2) ± (d3 − 4 d1),  (d4 − d2) ± 2 (d3 − d1),  4 d1 − 5 d3 + d5. */
static TARGET void
SIMD (transform_input) (gint64       n,
                        const float *image,
                        gint64       stride,
                        float       *planes,
                        gint64       planes_stride)
{
  Floats two = simd_fill (2), four = simd_fill (4), five = simd_fill (5);

  for (gint64 i = 0; i < n; i += LANES)
    {
      Floats d0 = simd_load (image + i), d1 = simd_load (image + stride + i);
      Floats d2 = simd_load (image + 2 * stride + i), d3 = simd_load (image + 3 * stride + i);
      Floats d4 = simd_load (image + 4 * stride + i), d5 = simd_load (image + 5 * stride + i);
      Floats even = simd_subtract_product (four, d2, d4), far_even = d4 - d2;
      Floats odd = simd_subtract_product (four, d1, d3), far_odd = d3 - d1;
      Floats first = simd_multiply_add (four, d0, simd_subtract_product (five, d2, d4));
      Floats last = simd_multiply_add (four, d1, simd_subtract_product (five, d3, d5));
      float *to = planes + i;

      simd_store (to, first);
      simd_store (to + planes_stride, even + odd);
      simd_store (to + 2 * planes_stride, even - odd);
      simd_store (to + 3 * planes_stride, simd_multiply_add (two, far_odd, far_even));
      simd_store (to + 4 * planes_stride, simd_subtract_product (two, far_odd, far_even));
      simd_store (to + 5 * planes_stride, last);
    }
}

/* Winograd's output transform of the six rows m of sums to four rows: m0 + (m1 + m2) + (m3 +
 * m4),  (m1 − m2) + 2 (m3 − m4), (m1 + m2) + 4 (m3 + m4),  (m1 − m2) + 8 (m3 − m4) + m5. */
static TARGET void
SIMD (transform_output) (gint64 n, const float *sums, gint64 stride, float *rows)
{
  Floats two = simd_fill (2), four = simd_fill (4), eight = simd_fill (8);

  for (gint64 i = 0; i < n; i += LANES)
    {
      Floats m0 = simd_load (sums + i), m1 = simd_load (sums + stride + i);
      Floats m2 = simd_load (sums + 2 * stride + i), m3 = simd_load (sums + 3 * stride + i);
      Floats m4 = simd_load (sums + 4 * stride + i), m5 = simd_load (sums + 5 * stride + i);
      Floats near_sum = m1 + m2, near_rest = m1 - m2;
      Floats far_sum = m3 + m4, far_rest = m3 - m4;
      float *to = rows + i;

      simd_store (to, m0 + near_sum + far_sum);
      simd_store (to + HYB_TILE_STRIDE, simd_multiply_add (two, far_rest, near_rest));
      simd_store (to + 2 * HYB_TILE_STRIDE, simd_multiply_add (four, far_sum, near_sum));
      simd_store (to + 3 * HYB_TILE_STRIDE, simd_multiply_add (eight, far_rest, near_rest) + m5);
    }
}

#define ENTRY(filters, vectors)        [vectors][filters] = SIMD (sum_##filters##_##vectors),
#define PANEL_ENTRY(filters, vectors)  [vectors][filters] = SIMD (sum_panel_##filters##_##vectors),
#define LISTED_ENTRY(filters, vectors) [vectors][filters] = SIMD (sum_listed_##filters##_##vectors),
static const HybTiles SIMD (tiles) = {
  .lanes = LANES,
  .takes_rows = TAKES_ROWS,
  .fetches_ahead = LANES < 16,
  .max_filters = FILTERS_BY_VECTORS,
  .sum = { TILES (ENTRY) },
  .sum_panel = { TILES (PANEL_ENTRY) },
  .sum_listed = { TILES (LISTED_ENTRY) },
  .sum_columns = { NULL, SIMD (sum_columns_1), SIMD (sum_columns_2), SIMD (sum_columns_3),
                   SIMD (sum_columns_4) },
  .gather = SIMD (gather),
  .finish_run = SIMD (finish_run),
  .lay_out = SIMD (lay_out),
  .transform_input = SIMD (transform_input),
  .transform_output = SIMD (transform_output),
};
#undef ENTRY
#undef PANEL_ENTRY
#undef LISTED_ENTRY

#undef EACH_FILTER
#undef LOAD_MAP
#undef EACH_VECTOR
#undef TILES
#undef FILTERS_BY_VECTORS
#undef TAKES_ROWS
#undef PLACE

#else

static const HybTiles SIMD (tiles); /* all zero: vectors of four floats are too short */

#endif
