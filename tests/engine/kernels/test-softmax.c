/* test-softmax.c — compares softmax along any axis with plain loops, across all block sizes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/softmax.h"

#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static void
plain_softmax (const HybSoftmaxView *view, const double *x, double *y)
{
  for (gint64 row = 0; row < view->outer * view->inner; row++)
    {
      gint64 base = row / view->inner * view->length * view->inner + row % view->inner;
      double sum = 0;

      for (gint64 k = 0; k < view->length; k++)
        sum += exp (view->scale * x[base + k * view->inner]);
      for (gint64 k = 0; k < view->length; k++)
        {
          gint64 at = base + k * view->inner;

          y[at] = exp (view->scale * x[at]) / sum;
          if (view->log)
            y[at] = log (y[at]);
        }
    }
}

static void
check_view (const HybSoftmaxView *view)
{
  gint64             n = view->outer * view->length * view->inner;
  g_autofree double *x = g_new (double, n);
  g_autofree float  *single = g_new (float, n);
  g_autofree double *want = g_new (double, n);
  g_autofree double *got = g_new (double, n);
  g_autofree float  *x_single = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    {
      x_single[i] = (float) (6 * hyb_random_uniform (7, (guint64) i) - 3);
      x[i] = (double) x_single[i];
    }

  plain_softmax (view, x, want);
  hyb_softmax_forward (view, HYB_F64, x, got);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (fabs (got[i] - want[i]), <, 1e-12);
  for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      memcpy (single, x_single, (gsize) n * sizeof *single);
      hyb_softmax_forward (view, HYB_F32, single, single); /* in place */
      for (gint64 i = 0; i < n; i++)
        g_assert_cmpfloat (fabs ((double) single[i] - want[i]), <, 1e-5);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_every_shape_gives_the_same_as_plain_loops (void)
{
  static const gint64 sizes[] = { 1, 2, 7, 127, 128, 129, 300 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      for (gboolean log = FALSE; log <= TRUE; log++)
        {
          HybSoftmaxView view = { 2, sizes[i], sizes[k], log ? 1.0 : -0.5, log, NULL, HYB_I32 };

          check_view (&view);
        }
}

/* Rows of up to 8 elements are computed side by side, in blocks of 128. */
static void
test_short_rows_give_the_same_as_plain_loops (void)
{
  static const gint64 rows[] = { 1, 2, 127, 128, 129, 300 };

  for (gint64 length = 1; length < 11; length++)
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      for (gboolean log = FALSE; log <= TRUE; log++)
        {
          HybSoftmaxView view = { rows[i], length, 1, log ? 1.0 : -0.5, log, NULL, HYB_I32 };

          check_view (&view);
        }
}

/* A row has the same bytes whichever rows are beside it. */
static void
test_other_rows_change_no_byte_of_a_short_row (void)
{
  HybSoftmaxView all = { 300, 3, 1, 1.0, FALSE, NULL, HYB_I32 }, one = all;
  float          x[900], together[900], alone[3];

  one.outer = 1;
  for (guint i = 0; i < 900; i++)
    x[i] = (float) hyb_random_uniform (9, i) * 20;
  hyb_softmax_forward (&all, HYB_F32, x, together);
  for (guint row = 0; row < 300; row++)
    {
      hyb_softmax_forward (&one, HYB_F32, x + 3 * row, alone);
      g_assert_cmpmem (alone, sizeof alone, together + 3 * row, sizeof alone);
    }
}

static void
test_a_row_of_minus_infinity_beside_numbers_is_zero (void)
{
  HybSoftmaxView view = { 1, 3, 1, 1.0, FALSE, NULL, HYB_I32 };
  float          x[] = { -INFINITY, 0.f, 0.f };

  hyb_softmax_forward (&view, HYB_F32, x, x);
  g_assert_cmpfloat ((double) x[0], ==, 0);
  g_assert_cmpfloat ((double) x[1], ==, 0.5);
}

/* Kinds of lines with special values. */
typedef enum
{
  LINE_NUMBERS,
  LINE_SOME_LOWEST, /* −∞ beside numbers */
  LINE_ALL_LOWEST,
  LINE_NAN,
  LINE_HIGHEST, /* +∞ */
  N_LINES,
} LineKind;

/* Fills lines of neighbouring columns, of which each has the next kind. */
static void
fill_special_lines (const HybSoftmaxView *view, guint first_kind, float *x)
{
  for (gint64 at = 0; at < view->length * view->inner; at++)
    {
      LineKind kind = (LineKind) ((first_kind + at % view->inner) % N_LINES);
      gint64   k = at / view->inner;
      float    number = (float) (40 * hyb_random_uniform (11, (guint64) at) - 20);

      x[at] = kind == LINE_ALL_LOWEST || (kind == LINE_SOME_LOWEST && k % 3 == 0) ? -INFINITY
              : kind == LINE_NAN && k == view->length / 2                         ? NAN
              : kind == LINE_HIGHEST && k == view->length - 1                     ? INFINITY
                                                                                  : number;
    }
}

/* Softmax of the special values: 0 for −∞ beside numbers, and NaN where there is no answer.  The bound is for x − largest,
 * which rounds. */
static void
check_special_lines (const HybSoftmaxView *view, guint first_kind, const float *x, const float *y)
{
  for (gint64 line = 0; line < view->inner; line++)
    {
      LineKind kind = (LineKind) ((first_kind + line) % N_LINES);
      double   largest = -INFINITY, sum = 0;

      for (gint64 k = 0; k < view->length; k++)
        largest = MAX (largest, (double) x[k * view->inner + line]);
      for (gint64 k = 0; k < view->length; k++)
        sum += exp ((double) x[k * view->inner + line] - largest);
      for (gint64 k = 0; k < view->length; k++)
        {
          gint64 at = k * view->inner + line;
          double want = exp ((double) x[at] - largest) / sum;

          if (kind > LINE_SOME_LOWEST)
            g_assert_true (isnan (y[at]));
          else if (isinf (x[at]))
            g_assert_cmpfloat (y[at], ==, 0);
          else
            g_assert_cmpfloat (fabs ((double) y[at] - want), <=, 5e-6 * want);
        }
    }
}

/* A line has the same bytes beside one of zeros as beside all the others. */
static void
check_bytes_of_lines (const HybSoftmaxView *view, const float *x, const float *y)
{
  HybSoftmaxView    pair = *view;
  gsize             n = (gsize) view->length * 2;
  g_autofree float *two = g_new0 (float, n), *result = g_new (float, n);

  pair.inner = 2;
  for (gint64 line = 0; line < view->inner; line++)
    {
      for (gint64 k = 0; k < view->length; k++)
        two[2 * k] = x[k * view->inner + line];
      hyb_softmax_forward (&pair, HYB_F32, two, result);
      for (gint64 k = 0; k < view->length; k++)
        g_assert_cmpmem (result + 2 * k, sizeof (float), y + k * view->inner + line,
                         sizeof (float));
    }
}

/* Lines fill less than a vector, a vector, and more, at each level. */
static void
test_special_values_beside_other_lines (void)
{
  static const gint64 inners[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33 }, lengths[] = { 3, 40 };

  for (guint at = 0; at < G_N_ELEMENTS (inners) * G_N_ELEMENTS (lengths) * N_LINES; at++)
    for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
      {
        guint          kind = at % N_LINES;
        HybSoftmaxView view = {
          1, lengths[at / N_LINES % 2], inners[at / N_LINES / 2], 1.0, FALSE, NULL, HYB_I32
        };
        gint64            n = view.length * view.inner;
        g_autofree float *x = g_new (float, n), *y = g_new (float, n);

        hyb_simd_cap ((HybSimdLevel) level);
        fill_special_lines (&view, kind, x);
        hyb_softmax_forward (&view, HYB_F32, x, y);
        check_special_lines (&view, kind, x, y);
        if (view.inner > 1)
          check_bytes_of_lines (&view, x, y);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_softmax)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/softmax/every-shape-gives-the-same-as-plain-loops",
                   test_every_shape_gives_the_same_as_plain_loops);
  g_test_add_func ("/engine/kernels/softmax/short-rows-give-the-same-as-plain-loops",
                   test_short_rows_give_the_same_as_plain_loops);
  g_test_add_func ("/engine/kernels/softmax/other-rows-change-no-byte-of-a-short-row",
                   test_other_rows_change_no_byte_of_a_short_row);
  g_test_add_func ("/engine/kernels/softmax/a-row-of-minus-infinity-beside-numbers-is-zero",
                   test_a_row_of_minus_infinity_beside_numbers_is_zero);
  g_test_add_func ("/engine/kernels/softmax/special-values-beside-other-lines",
                   test_special_values_beside_other_lines);

  return g_test_run ();
}
