/* test-move.c — compares strided copies with copies element by element.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/move.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <string.h>

#define ROOM 30000

/* The definition in move.h, element by element. */
static void
move_plainly (const HybMove *move, int axis, const char *from, char *to)
{
  if (axis == move->rank)
    {
      memcpy (to, from, move->item);
      return;
    }
  for (gint64 i = 0; i < move->dim[axis]; i++)
    move_plainly (move, axis + 1, from + i * move->from[axis] * (gint64) move->item,
                  to + i * move->to[axis] * (gint64) move->item);
}

/* A random move: the destination is packed in a random order of axes, the source has its own
 * order, and some axes are repeated or reversed.  *start: the element of the source at index 0. */
static HybMove
make_move (guint64 seed, gsize item, gint64 *start)
{
  HybMove move = { .item = item };
  int     rank = 1 + (int) (hyb_random_word (seed, 0) % 5);
  gint64  dim[5], from[5], to[5];
  gint64  step;

  for (int i = 0; i < rank; i++)
    dim[i] = 1 + hyb_random_word (seed, 10 + (guint64) i) % (i % 2 == 0 ? 9 : 4);

  step = 1;
  for (int i = 0; i < rank; i++)
    {
      int axis = (i + (int) (hyb_random_word (seed, 1) % 5)) % rank;

      from[axis] = step;
      step *= dim[axis] + (hyb_random_word (seed, 20 + (guint64) i) % 3 == 0);
    }
  step = 1;
  for (int i = rank - 1; i >= 0; i--)
    {
      to[i] = step;
      step *= dim[i];
    }

  *start = 0;
  for (int i = 0; i < rank; i++)
    {
      guint32 kind = hyb_random_word (seed, 30 + (guint64) i) % 6;

      if (kind == 0)
        from[i] = 0;
      else if (kind == 1)
        {
          *start += (dim[i] - 1) * from[i];
          from[i] = -from[i];
        }
      hyb_move_axis (&move, dim[i], from[i], to[i]);
    }
  return move;
}

static void
test_any_arrangement_is_copied (void)
{
  static const gsize items[] = { 1, 2, 4, 8 };
  g_autofree char   *from = g_malloc (ROOM * 8);
  g_autofree char   *got = g_malloc (ROOM * 8);
  g_autofree char   *want = g_malloc (ROOM * 8);

  for (gsize i = 0; i < ROOM * 8; i++)
    from[i] = (char) hyb_random_word (7, i);

  for (guint64 seed = 0; seed < 2000; seed++)
    {
      gsize   item = items[seed % G_N_ELEMENTS (items)];
      gint64  start;
      HybMove move = make_move (seed, item, &start);

      memset (got, 0, ROOM * item);
      memset (want, 0, ROOM * item);
      hyb_move (&move, from + (gsize) start * item, got);
      move_plainly (&move, 0, from + (gsize) start * item, want);
      if (memcmp (got, want, ROOM * item) != 0)
        g_error ("move %" G_GUINT64_FORMAT " is wrong", seed);
    }
}

/* What lies between the elements of the destination stays as it is. */
static void
test_destinations_with_gaps (void)
{
  gint32  from[64], to[128], want[128];
  HybMove move = { .item = sizeof (gint32) };

  for (int i = 0; i < 64; i++)
    from[i] = i + 1;
  memset (to, 0, sizeof to);
  memset (want, 0, sizeof want);
  hyb_move_axis (&move, 8, 1, 16);
  hyb_move_axis (&move, 8, 8, 2);
  hyb_move (&move, from, to);
  move_plainly (&move, 0, (const char *) from, (char *) want);
  g_assert_cmpmem (to, sizeof to, want, sizeof want);
}

static void
test_large_copies_and_transposes_with_threads (void)
{
  gint64             n = 1500;
  g_autofree gint32 *from = g_new (gint32, n * n);
  g_autofree gint32 *to = g_new0 (gint32, n * n);
  HybMove            run = { .item = 4 };
  HybMove            turn = { .item = 4 };

  for (gint64 i = 0; i < n * n; i++)
    from[i] = (gint32) i;

  hyb_move_axis (&run, n * n, 1, 1);
  hyb_move (&run, from, to);
  g_assert_cmpmem (from, (gsize) (n * n) * 4, to, (gsize) (n * n) * 4);

  hyb_move_axis (&turn, n, 1, n);
  hyb_move_axis (&turn, n, n, 1);
  hyb_move (&turn, from, to);
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < n; k++)
      g_assert_true (to[i * n + k] == from[k * n + i]);
}

static void
check_transposes_of_any_width (gint64 n)
{
  static const gsize items[] = { 1, 2, 4, 8, 16 };
  g_autofree char   *from = g_malloc ((gsize) (n * n) * 16);
  g_autofree char   *to = g_malloc ((gsize) (n * n) * 16);

  for (gsize i = 0; i < (gsize) (n * n) * 16; i++)
    from[i] = (char) hyb_random_word (11, i);

  for (guint w = 0; w < G_N_ELEMENTS (items); w++)
    {
      gsize   item = items[w];
      HybMove turn = { .item = item };

      hyb_move_axis (&turn, n, 1, n);
      hyb_move_axis (&turn, n, n, 1);
      hyb_move (&turn, from, to);
      for (gint64 i = 0; i < n; i++)
        for (gint64 k = 0; k < n; k++)
          g_assert_cmpmem (to + (gsize) (i * n + k) * item, item, from + (gsize) (k * n + i) * item,
                           item);
    }
}

/* Four rows and eight or sixteen columns are a block; 150 is larger than a tile, and not a multiple
 * of its side. */
static void
test_transposes_of_any_width_are_right (void)
{
  static const gint64 widths[] = { 4, 7, 8, 15, 16, 17, 23, 24, 31, 32, 33, 150 };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
        check_transposes_of_any_width (widths[i]);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_sums_collect_in_one_place (void)
{
  float   from[] = { 1, 2, 3, 4, 5, 6 };
  float   rows[2] = { 10, 0 };
  double  total = 0;
  double  wide[] = { 0.5, 0.25 };
  guint8  bytes[] = { 1, 2, 3 }, sum = 4;
  HybMove move = { .item = 4 }, all = { .item = 8 }, small = { .item = 1 };

  hyb_move_axis (&move, 2, 3, 1);
  hyb_move_axis (&move, 3, 1, 0);
  hyb_move_add (&move, HYB_F32, from, rows);
  g_assert_cmpfloat (rows[0], ==, 16);
  g_assert_cmpfloat (rows[1], ==, 15);

  hyb_move_axis (&all, 2, 1, 0);
  hyb_move_add (&all, HYB_F64, wide, &total);
  g_assert_cmpfloat (total, ==, 0.75);

  hyb_move_axis (&small, 3, 1, 0);
  hyb_move_add (&small, HYB_U8, bytes, &sum);
  g_assert_cmpint (sum, ==, 10);
}

static void
test_nothing_is_moved_of_an_empty_axis (void)
{
  float   from = 1, to = 2;
  HybMove move = { .item = 4 };

  hyb_move_axis (&move, 3, 1, 1);
  hyb_move_axis (&move, 0, 1, 1);
  hyb_move (&move, &from, &to);
  hyb_move_add (&move, HYB_F32, &from, &to);
  g_assert_cmpfloat (to, ==, 2);
}

/* Runs of every length that is copied in pieces, and no byte around them. */
static void
test_short_runs_are_copied_whole (void)
{
  for (gint64 n = 1; n < 140; n++)
    {
      guint8  from[6 * 150], to[6 * 150], want[6 * 150];
      HybMove move = { .item = 1 };

      for (guint i = 0; i < sizeof from; i++)
        from[i] = (guint8) (i * 7 + 1);
      memset (to, 0, sizeof to);
      memset (want, 0, sizeof want);
      hyb_move_axis (&move, 2, 3 * 150, 3 * 145);
      hyb_move_axis (&move, 3, 150, 145);
      hyb_move_axis (&move, n, 1, 1);
      for (int row = 0; row < 6; row++)
        memcpy (want + row * 145, from + row * 150, (gsize) n);
      hyb_move (&move, from, to);
      g_assert_cmpmem (to, sizeof to, want, sizeof want);
    }
}

/* Runs that are repeated, as in a broadcast: each along the next axis, and all of them along the outermost. */
static void
test_repeated_runs_are_copied_whole (void)
{
  for (gint64 n = 1; n < 70; n++)
    for (gint64 repeats = 1; repeats < 10; repeats++)
      {
        guint8  from[2 * 70], to[3 * 2 * 10 * 70] = { 0 }, want[3 * 2 * 10 * 70] = { 0 };
        HybMove move = { .item = 1 };

        for (guint i = 0; i < sizeof from; i++)
          from[i] = (guint8) (i * 7 + 1);
        hyb_move_axis (&move, 3, 0, 2 * repeats * n);
        hyb_move_axis (&move, 2, 70, repeats * n);
        hyb_move_axis (&move, repeats, 0, n);
        hyb_move_axis (&move, n, 1, 1);
        for (gint64 row = 0; row < 6 * repeats; row++)
          memcpy (want + row * n, from + row / repeats % 2 * 70, (gsize) n);
        hyb_move (&move, from, to);
        g_assert_cmpmem (to, sizeof to, want, sizeof want);
      }
}

/* [3,40,30,121] with its first and third axes swapped: more bytes than are moved row by row, and rows that do not fill the last
 * block. */
static void
test_rows_are_moved_together (void)
{
  enum
  {
    A = 3,
    B = 40,
    C = 30,
    ROW = 121,
  };
  HybMove             move = { .item = 4 };
  g_autofree guint32 *from = g_new (guint32, A * B * C * ROW),
                     *to = g_new0 (guint32, A * B * C * ROW);

  for (guint32 i = 0; i < A * B * C * ROW; i++)
    from[i] = i;
  hyb_move_axis (&move, C, ROW, B * A * ROW);
  hyb_move_axis (&move, B, C * ROW, A * ROW);
  hyb_move_axis (&move, A, B * C * ROW, ROW);
  hyb_move_axis (&move, ROW, 1, 1);
  for (guint n_threads = 1; n_threads <= 3; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      memset (to, 0, A * B * C * ROW * sizeof *to);
      hyb_move (&move, from, to);
      for (guint32 c = 0; c < C; c++)
        for (guint32 b = 0; b < B; b++)
          for (guint32 a = 0; a < A; a++)
            for (guint32 k = 0; k < ROW; k++)
              g_assert_cmpuint (to[((c * B + b) * A + a) * ROW + k], ==,
                                ((a * B + b) * C + c) * ROW + k);
    }
  hyb_parallel_set_threads (0);
}

/* Three rows of n elements, of which neither the first nor the last element has a neighbour in memory. */
static void
check_steps (gint64 n, gint64 step, gsize item)
{
  gint64             span = (n - 1) * ABS (step) + 1, start = step < 0 ? (n - 1) * -step : 0;
  HybMove            move = { .item = item };
  gsize              size = (gsize) (3 * span) * item;
  g_autofree guint8 *from = g_malloc (size), *to = g_malloc ((gsize) (3 * n) * item);

  for (gsize i = 0; i < size; i++)
    from[i] = (guint8) (i * 31 + i / 256);
  hyb_move_axis (&move, 3, span, n);
  hyb_move_axis (&move, n, step, 1);
  hyb_move (&move, from + (gsize) start * item, to);
  for (gint64 k = 0; k < 3 * n; k++)
    g_assert_cmpmem (to + (gsize) k * item, item,
                     from + (gsize) (k / n * span + start + k % n * step) * item, item);
}

/* Rows of every length with steps that have loops of their own; sanitizers see the ends of the source. */
static void
test_steps_of_every_length (void)
{
  static const gint64 steps[] = { 2, -1, -2, 3, -3 };
  static const gsize  items[] = { 1, 2, 4, 8, 16 };

  for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
        for (guint t = 0; t < G_N_ELEMENTS (items); t++)
          for (gint64 n = 1; n < 36; n++)
            check_steps (n, steps[s], items[t]);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* n elements of each of two or three rows become rows of two or three elements, and back. */
static void
check_narrow (gint64 n, gint64 width, gsize item)
{
  gsize              size = (gsize) (n * width) * item;
  HybMove            mix = { .item = item }, part = { .item = item };
  g_autofree guint8 *from = g_malloc (size), *to = g_malloc (size), *back = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    from[i] = (guint8) (i * 31 + i / 256);
  hyb_move_axis (&mix, n, 1, width);
  hyb_move_axis (&mix, width, n, 1);
  hyb_move (&mix, from, to);
  for (gint64 k = 0; k < n * width; k++)
    g_assert_true (memcmp (to + (gsize) k * item, from + (gsize) (k % width * n + k / width) * item,
                           item) == 0);
  hyb_move_axis (&part, width, 1, n);
  hyb_move_axis (&part, n, width, 1);
  hyb_move (&part, to, back);
  g_assert_true (memcmp (back, from, size) == 0);
}

/* 1024 elements are a tile, and beyond 512 KiB tiles are moved in both directions. */
static void
test_narrow_matrices (void)
{
  static const gint64 lengths[] = { 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 1023, 1029 };

  for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (gint64 width = 2; width < 5; width++)
        {
          for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
            for (gsize item = 1; item <= 8; item *= 2)
              check_narrow (lengths[i], width, item);
          check_narrow (50001, width, 8);
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_move)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/move/any-arrangement-is-copied",
                   test_any_arrangement_is_copied);
  g_test_add_func ("/engine/kernels/move/destinations-may-have-gaps", test_destinations_with_gaps);
  g_test_add_func ("/engine/kernels/move/"
                   "large-copies-and-transposes-are-right-with-several-threads",
                   test_large_copies_and_transposes_with_threads);
  g_test_add_func ("/engine/kernels/move/transposes-of-any-width-are-right",
                   test_transposes_of_any_width_are_right);
  g_test_add_func ("/engine/kernels/move/sums-collect-in-one-place",
                   test_sums_collect_in_one_place);
  g_test_add_func ("/engine/kernels/move/an-empty-axis-moves-nothing",
                   test_nothing_is_moved_of_an_empty_axis);
  g_test_add_func ("/engine/kernels/move/short-runs-are-copied-whole",
                   test_short_runs_are_copied_whole);
  g_test_add_func ("/engine/kernels/move/repeated-runs-are-copied-whole",
                   test_repeated_runs_are_copied_whole);
  g_test_add_func ("/engine/kernels/move/rows-are-moved-together", test_rows_are_moved_together);
  g_test_add_func ("/engine/kernels/move/steps-of-every-length", test_steps_of_every_length);
  g_test_add_func ("/engine/kernels/move/narrow-matrices-are-transposed", test_narrow_matrices);

  return g_test_run ();
}
