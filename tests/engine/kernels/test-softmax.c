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

  return g_test_run ();
}
