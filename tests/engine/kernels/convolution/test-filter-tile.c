/* test-filter-tile.c — tiles cover all filters and positions once, at each level of vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/convolution/filter-tile.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#define MAX_VECTORS 30
#define MAX_FILTERS 20
#define MANY_BYTES  ((gint64) 1 << 30)

static HybTiling
make_tiling (const HybTiles *tiles, gint64 n_vectors, gint64 filters, gint64 weight_bytes)
{
  HybTiling tiling;

  hyb_tiling_init (&tiling, tiles, n_vectors, filters, weight_bytes);
  return tiling;
}

static HybTile
find_tile (const HybTiling *tiling, gint64 index)
{
  HybTile tile;

  hyb_tiling_find (tiling, index, &tile);
  return tile;
}

static void
check_cover (const HybTiling *tiling)
{
  guint covered[MAX_FILTERS][MAX_VECTORS] = { { 0 } };

  for (gint64 i = 0; i < hyb_tiling_n_tiles (tiling); i++)
    {
      HybTile tile = find_tile (tiling, i);

      g_assert_cmpint (tile.n_vectors, >=, 1);
      g_assert_cmpint (tiling->tiles->max_filters[tile.n_vectors], >, 0);
      g_assert_cmpint (tile.first_vector + tile.n_vectors, <=, tiling->n_vectors);
      g_assert_cmpint (tile.first_filter + tile.n_filters, <=, tiling->filters);
      for (gint64 f = 0; f < tile.n_filters; f++)
        for (gint64 v = 0; v < tile.n_vectors; v++)
          covered[tile.first_filter + f][tile.first_vector + v]++;
    }
  for (gint64 f = 0; f < tiling->filters; f++)
    for (gint64 v = 0; v < tiling->n_vectors; v++)
      g_assert_cmpuint (covered[f][v], ==, 1);
}

static void
for_each_level (void (*check) (const HybTiles *tiles))
{
  static const HybSimdLevel levels[] = { HYB_SIMD_AVX2, HYB_SIMD_AVX512 };

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      hyb_simd_cap (levels[i]);
      if (hyb_tiles_choose ())
        check (hyb_tiles_choose ());
      hyb_simd_cap (HYB_SIMD_AVX512);
    }
}

static void
check_covers (const HybTiles *tiles)
{
  for (gint64 n = 1; n <= MAX_VECTORS; n++)
    for (gint64 filters = 1; filters <= MAX_FILTERS; filters++)
      for (gint64 bytes = 0; bytes <= MANY_BYTES; bytes += MANY_BYTES)
        {
          HybTiling tiling = make_tiling (tiles, n, filters, bytes);

          check_cover (&tiling);
        }
}

static void
test_cover (void)
{
  for_each_level (check_covers);
}

/* Four sums of one vector wait for each other. */
static void
check_vectors (const HybTiles *tiles)
{
  for (gint64 n = 2; n <= MAX_VECTORS; n++)
    {
      HybTiling tiling = make_tiling (tiles, n, MAX_FILTERS, MANY_BYTES);

      for (gint64 i = 0; i < hyb_tiling_n_tiles (&tiling); i++)
        g_assert_cmpint (find_tile (&tiling, i).n_vectors, >=, 2);
    }
}

static void
test_vectors (void)
{
  for_each_level (check_vectors);
}

/* Tiles of the same filters follow each other, and one of them is the last. */
static void
check_last (const HybTiles *tiles)
{
  HybTiling tiling = make_tiling (tiles, MAX_VECTORS, MAX_FILTERS, MANY_BYTES);
  gint64    n_last = 0;

  for (gint64 i = 0; i < hyb_tiling_n_tiles (&tiling); i++)
    {
      HybTile tile = find_tile (&tiling, i);

      n_last += hyb_tiling_is_last (&tiling, &tile);
      g_assert_cmpint (hyb_tiling_is_last (&tiling, &tile), ==, (i + 1) % tiling.n_columns == 0);
    }
  g_assert_cmpint (n_last, ==, tiling.n_rows);
}

static void
test_last (void)
{
  for_each_level (check_last);
}

TEST_PROGRAM (test_filter_tile)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/filter-tile/every-filter-and-position-is-covered-once",
                   test_cover);
  g_test_add_func ("/engine/kernels/filter-tile/no-tile-has-one-vector-of-several", test_vectors);
  g_test_add_func ("/engine/kernels/filter-tile/the-last-tile-of-some-filters-is-known", test_last);

  return g_test_run ();
}
