/* test-tensor-summary.c — statistics, places of interest and differences, also across the parts that are read at a time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/tensor-summary.h"
#include "tests/program.h"

#include <math.h>

/* More than two of the parts that are read at a time. */
#define LARGE 150001

static HybTensor *
new_ramp (gint64 n)
{
  HybTensor *tensor = hyb_tensor_new_float (1, &n, NULL);
  float     *data = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < n; i++)
    data[i] = (float) (i - n / 2);
  return tensor;
}

/* Mean and deviation of -k … k are 0 and √(k (k + 1) / 3). */
static void
test_parts (void)
{
  g_autoptr (HybTensor) tensor = new_ramp (LARGE);
  double       half = LARGE / 2;
  ScopeSummary summary;
  double       n = 0;

  g_assert_true (scope_summary_compute (&summary, tensor, NULL));
  g_assert_true (scope_summary_count (&summary, tensor, NULL));
  g_assert_cmpint (summary.size, ==, LARGE);
  g_assert_cmpint (summary.n_zeros, ==, 1);
  g_assert_cmpint (summary.smallest, ==, 0);
  g_assert_cmpint (summary.largest, ==, LARGE - 1);
  g_assert_cmpint (summary.first_bad, ==, -1);
  g_assert_cmpfloat_with_epsilon (summary.statistics.mean, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (summary.statistics.deviation, sqrt (half * (half + 1) / 3), 1e-4);
  for (guint bin = 0; bin < SCOPE_SUMMARY_BINS; bin++)
    n += summary.bins[bin];
  g_assert_cmpfloat (n, ==, LARGE);
}

/* The first and the last element count as any other. */
static void
test_bad_elements (void)
{
  g_autoptr (HybTensor) tensor = new_ramp (LARGE);
  float       *data = hyb_tensor_get_data (tensor);
  ScopeSummary summary;

  data[LARGE - 1] = NAN;
  data[70000] = INFINITY;
  g_assert_true (scope_summary_compute (&summary, tensor, NULL));
  g_assert_cmpint (summary.first_bad, ==, 70000);
  g_assert_cmpint (summary.statistics.n_nan, ==, 1);
  g_assert_cmpint (summary.statistics.n_infinite, ==, 1);
  g_assert_cmpint (summary.largest, ==, LARGE - 2);
  g_assert_cmpint (scope_tensor_find_bad (tensor, 70001, NULL), ==, LARGE - 1);
  g_assert_cmpint (scope_tensor_find_bad (tensor, LARGE - 1, NULL), ==, LARGE - 1);
  g_assert_cmpint (scope_tensor_find_bad (tensor, LARGE, NULL), ==, -1);
}

static void
test_nothing_finite (void)
{
  g_autoptr (HybTensor) bad = hyb_tensor_new_float (1, (gint64[]){ 1 }, (float[]){ NAN });
  g_autoptr (HybTensor) empty = hyb_tensor_new_float (1, (gint64[]){ 0 }, NULL);
  ScopeSummary summary;

  g_assert_true (scope_summary_compute (&summary, bad, NULL));
  g_assert_true (isnan (summary.statistics.mean));
  g_assert_cmpint (summary.smallest, ==, -1);
  g_assert_cmpint (summary.first_bad, ==, 0);
  g_assert_true (scope_summary_compute (&summary, empty, NULL));
  g_assert_true (isnan (summary.statistics.minimum));
  g_assert_cmpint (summary.size, ==, 0);
}

static void
test_differences (void)
{
  g_autoptr (HybTensor) a = hyb_tensor_new_float (1, (gint64[]){ 4 }, (float[]){ 1, NAN, 3, 4 });
  g_autoptr (HybTensor) b = hyb_tensor_new_float (1, (gint64[]){ 4 }, (float[]){ 1, NAN, 5, 4 });
  g_autoptr (HybTensor) c = hyb_tensor_new_float (1, (gint64[]){ 4 }, (float[]){ 1, 2, 3, NAN });
  ScopeDifference difference;

  g_assert_true (scope_difference_compute (&difference, a, a, NULL));
  g_assert_cmpint (difference.where, ==, -1);
  g_assert_true (scope_difference_compute (&difference, a, b, NULL));
  g_assert_cmpfloat (difference.largest, ==, 2);
  g_assert_cmpfloat (difference.mean, ==, 0.5);
  g_assert_cmpint (difference.where, ==, 2);
  g_assert_cmpint (difference.n_different, ==, 1);
  g_assert_true (scope_difference_compute (&difference, a, c, NULL));
  g_assert_true (isinf (difference.largest));
  g_assert_cmpint (difference.where, ==, 1);
  g_assert_cmpint (difference.n_different, ==, 2);
}

static void
test_cancelling (void)
{
  g_autoptr (HybTensor) tensor = new_ramp (LARGE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  ScopeSummary    summary;
  ScopeDifference difference;

  g_cancellable_cancel (cancellable);
  g_assert_false (scope_summary_compute (&summary, tensor, cancellable));
  g_assert_false (scope_difference_compute (&difference, tensor, tensor, cancellable));
}

TEST_PROGRAM (test_tensor_summary)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/adapt/tensor-summary/parts-add-up-to-the-whole", test_parts);
  g_test_add_func ("/app/adapt/tensor-summary/finds-nan-and-infinity-at-any-place",
                   test_bad_elements);
  g_test_add_func ("/app/adapt/tensor-summary/has-no-mean-without-finite-elements",
                   test_nothing_finite);
  g_test_add_func ("/app/adapt/tensor-summary/finds-the-largest-difference", test_differences);
  g_test_add_func ("/app/adapt/tensor-summary/can-be-cancelled", test_cancelling);
  return g_test_run ();
}
