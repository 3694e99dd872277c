/* test-rank.c — compares the first k of lines of floats with what an order of all pairs gives.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/rank.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>

#define MAX_LENGTH 200
#define LINES      3

/* Whether element i comes before element j: numbers come before NaN, and equal elements keep their order. */
static gboolean
comes_before (const float *x, gint64 i, gint64 j, gboolean is_ascend)
{
  if (isnan (x[i]) || isnan (x[j]))
    return isnan (x[i]) && isnan (x[j]) ? i < j : isnan (x[j]);
  if (x[i] == x[j])
    return i < j;
  return is_ascend ? x[i] < x[j] : x[i] > x[j];
}

/* Lines of floats and the order of the elements of each, both ways. */
typedef struct
{
  gint64 length;
  float  x[LINES * MAX_LENGTH];
  gint64 places[2][LINES * MAX_LENGTH]; /* [is_ascend] */
} Sample;

/* An element comes after all that come before it. */
static void
find_places (Sample *this, gboolean is_ascend)
{
  for (gint64 at = 0; at < LINES * this->length; at++)
    {
      gint64       first = at / this->length * this->length, n = 0;
      const float *line = this->x + first;

      for (gint64 j = 0; j < this->length; j++)
        n += comes_before (line, j, at - first, is_ascend);
      this->places[is_ascend][first + n] = at - first;
    }
}

static void
check (const Sample *sample, gint64 k, gboolean is_ascend)
{
  gint64                   length = sample->length;
  g_autofree HybRankEntry *scratch = g_malloc (hyb_rank_workspace (LINES, length));
  gint32                   indices[LINES * MAX_LENGTH];
  float                    values[LINES * MAX_LENGTH];

  hyb_rank (&(HybRanking){ .outer = LINES,
                           .length = length,
                           .inner = 1,
                           .k = k,
                           .is_ascend = is_ascend,
                           .dtype = HYB_F32,
                           .data = sample->x,
                           .values = values,
                           .indices = indices,
                           .index_dtype = HYB_I32,
                           .scratch = scratch });
  for (gint64 i = 0; i < LINES * k; i++)
    {
      const float *line = sample->x + i / k * length;
      gint64       want = sample->places[is_ascend][i / k * length + i % k];

      g_assert_cmpint (indices[i], ==, want);
      g_assert_cmpmem (&values[i], sizeof values[i], line + want, sizeof *line); /* keeps −0 */
    }
}

/* The same for lines that lie side by side. */
static void
check_beside (const Sample *sample, gint64 k, gboolean is_ascend)
{
  gint64                   length = sample->length;
  g_autofree HybRankEntry *scratch = g_malloc (hyb_rank_workspace (LINES, length));
  gint64                   indices[LINES * MAX_LENGTH];
  float                    values[LINES * MAX_LENGTH], beside[LINES * MAX_LENGTH];

  for (gint64 i = 0; i < LINES * length; i++)
    beside[i % length * LINES + i / length] = sample->x[i];
  hyb_rank (&(HybRanking){ .outer = 1,
                           .length = length,
                           .inner = LINES,
                           .k = k,
                           .is_ascend = is_ascend,
                           .dtype = HYB_F32,
                           .data = beside,
                           .values = values,
                           .indices = indices,
                           .index_dtype = HYB_I64,
                           .scratch = scratch });
  for (gint64 i = 0; i < LINES * k; i++)
    {
      const float *line = sample->x + i % LINES * length;
      gint64       want = sample->places[is_ascend][i % LINES * length + i / LINES];

      g_assert_cmpint (indices[i], ==, want);
      g_assert_cmpmem (&values[i], sizeof values[i], line + want, sizeof *line);
    }
}

/* An element of a line; `i` is its position in it. */
typedef float (*Draw) (gint64 i, gint64 k);

static float
draw_number (gint64 i, gint64 k)
{
  return (float) g_test_rand_double_range (-1, 1);
}

/* Each block has elements that equal the last one kept. */
static float
draw_equal (gint64 i, gint64 k)
{
  return (float) g_test_rand_int_range (0, 4);
}

static float
draw_zero (gint64 i, gint64 k)
{
  return g_test_rand_bit () ? -0.f : 0.f;
}

/* The first k do not become numbers all at once. */
static float
draw_nan_first (gint64 i, gint64 k)
{
  return i < k && g_test_rand_bit () ? NAN : draw_number (i, k);
}

static float
draw_nan_later (gint64 i, gint64 k)
{
  return i >= k && g_test_rand_bit () ? NAN : draw_number (i, k);
}

static float
draw_nan (gint64 i, gint64 k)
{
  return g_test_rand_int_range (0, 30) ? NAN : draw_number (i, k);
}

static float
draw_infinity (gint64 i, gint64 k)
{
  int which = g_test_rand_int_range (0, 5);

  return which == 0 ? INFINITY : which == 1 ? -INFINITY : draw_number (i, k);
}

static float
draw_special (gint64 i, gint64 k)
{
  static const float values[] = { NAN, -NAN, INFINITY, -INFINITY, -0.f, 0.f, 1e-45f, -1e-45f };

  return values[g_test_rand_int_range (0, G_N_ELEMENTS (values))];
}

/* The best one comes last, so that every block has one of the first k. */
static float
draw_rising (gint64 i, gint64 k)
{
  return (float) i;
}

static float
draw_falling (gint64 i, gint64 k)
{
  return (float) -i;
}

/* A single element beyond the first ones comes before them. */
static float
draw_one (gint64 i, gint64 k)
{
  static gint64 at;

  at = i == 0 ? k + g_test_rand_int_range (0, 17) : at;
  return i == at ? (g_test_rand_bit () ? 2 : -2) : draw_number (i, k);
}

/* Each count with each kind of numbers at each level. */
static void
test_first_of_floats (void)
{
  static const Draw   draws[] = { draw_number, draw_equal,     draw_zero,     draw_nan_first,
                                  draw_nan,    draw_nan_later, draw_infinity, draw_special,
                                  draw_rising, draw_falling,   draw_one };
  static const gint64 counts[] = { 1, 2, 4, 31, 32, 33 }, more[] = { 0, 1, 15, 16, 17, 0 };

  for (guint round = 0; round < G_N_ELEMENTS (draws) * G_N_ELEMENTS (counts) * 3; round++)
    for (guint m = 0; m < G_N_ELEMENTS (more); m++)
      {
        gint64 k = counts[round % G_N_ELEMENTS (counts)];
        Draw   draw = draws[round / G_N_ELEMENTS (counts) % G_N_ELEMENTS (draws)];
        Sample sample = { .length = m + 1 < G_N_ELEMENTS (more) ? k + more[m] : MAX_LENGTH };

        for (gint64 i = 0; i < LINES * sample.length; i++)
          sample.x[i] = draw (i % sample.length, k);
        find_places (&sample, FALSE);
        find_places (&sample, TRUE);
        hyb_simd_cap ((HybSimdLevel) (round / (G_N_ELEMENTS (counts) * G_N_ELEMENTS (draws))));
        check (&sample, k, FALSE);
        check (&sample, k, TRUE);
        if ((round + m) % 4 == 0)
          check_beside (&sample, k, m % 2);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_rank)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/rank/every-level/the-first-of-floats", test_first_of_floats);

  return g_test_run ();
}
