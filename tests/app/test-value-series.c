/* test-value-series.c — statistics of many runs in bounded memory, and access by step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/value-series.h"
#include "tests/program.h"

#include <math.h>

static void
add (ScopeValueSeries *series, guint32 step, float a, float b)
{
  ScopeStepPath path = { 1, { step } };
  g_autoptr (HybTensor) pair = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ a, b });

  scope_value_series_add (series, &path, pair);
}

static const ScopeValueStep *
nth (const ScopeValueSeries *series, guint index)
{
  return &g_array_index (series->steps, ScopeValueStep, index);
}

static void
test_one_by_one (void)
{
  ScopeValueSeries *series = scope_value_series_new (4);

  for (guint32 step = 0; step < 4; step++)
    add (series, step, (float) step, (float) step + 2);
  g_assert_cmpuint (series->steps->len, ==, 4);
  g_assert_cmpfloat (nth (series, 3)->statistics.mean, ==, 4);
  g_assert_cmpfloat (nth (series, 3)->bins[0], ==, 1);
  g_assert_cmpfloat (nth (series, 3)->bins[SCOPE_VALUE_BINS - 1], ==, 1);
  scope_value_series_free (series);
}

/* Merged steps have the statistics of one array with the elements of both. */
static void
test_by_twos (void)
{
  ScopeValueSeries     *series = scope_value_series_new (4);
  g_autofree char      *name = NULL;
  const ScopeValueStep *first;
  float                 n = 0;

  for (guint32 step = 0; step < 7; step++)
    add (series, step, (float) step, (float) step + 2);
  g_assert_cmpuint (series->steps->len, ==, 4);
  g_assert_cmpuint (series->n_runs, ==, 7);
  first = nth (series, 0); /* 0 2 1 3 */
  name = scope_value_step_name (first);
  g_assert_cmpstr (name, ==, "0 – 1");
  g_assert_cmpfloat (first->statistics.minimum, ==, 0);
  g_assert_cmpfloat (first->statistics.maximum, ==, 3);
  g_assert_cmpfloat (first->statistics.mean, ==, 1.5);
  g_assert_cmpfloat_with_epsilon (first->statistics.deviation, sqrt (1.25), 1e-12);
  for (guint i = 0; i < SCOPE_VALUE_BINS; i++)
    n += first->bins[i];
  g_assert_cmpfloat (n, ==, 4);
  g_assert_cmpuint (nth (series, 3)->first.step[0], ==, 6);
  g_assert_cmpfloat (series->latest.statistics.minimum, ==, 6);
  scope_value_series_free (series);
}

static void
test_nothing_finite (void)
{
  ScopeValueSeries *series = scope_value_series_new (2);

  add (series, 0, NAN, INFINITY);
  add (series, 1, 1, 3);
  add (series, 2, NAN, NAN);
  g_assert_cmpuint (series->steps->len, ==, 2);
  g_assert_cmpfloat (nth (series, 0)->statistics.mean, ==, 2);
  g_assert_cmpint (nth (series, 0)->statistics.n_nan, ==, 1);
  g_assert_cmpint (nth (series, 0)->statistics.n_infinite, ==, 1);
  g_assert_true (isnan (nth (series, 1)->statistics.mean));
  scope_value_series_free (series);
}

static void
test_steps_are_found (void)
{
  ScopeValueSeries *series = scope_value_series_new (8);
  ScopeStepPath     wanted[] = { { 2, { 1, 0 } }, { 1, { 0 } }, { 2, { 5, 0 } }, { 0, { 0 } } };
  guint             index;
  g_autoptr (HybTensor) one = hyb_tensor_new_scalar (1);

  for (guint32 i = 0; i < 6; i++)
    scope_value_series_add (series, &(ScopeStepPath){ 2, { i / 3, i % 3 } }, one);
  g_assert_nonnull (scope_value_series_find (series, &wanted[0], &index));
  g_assert_cmpuint (index, ==, 3);
  /* A path of the outer loop alone finds the last inner step of that outer step. */
  g_assert_nonnull (scope_value_series_find (series, &wanted[1], &index));
  g_assert_cmpuint (index, ==, 2);
  g_assert_null (scope_value_series_find (series, &wanted[2], NULL));
  g_assert_nonnull (scope_value_series_find (series, &wanted[3], &index));
  g_assert_cmpuint (index, ==, 5);
  scope_value_series_free (series);
}

TEST_PROGRAM (test_value_series)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/app/adapt/value-series/keeps-steps-one-by-one", test_one_by_one);
  g_test_add_func ("/app/adapt/value-series/keeps-many-by-twos", test_by_twos);
  g_test_add_func ("/app/adapt/value-series/counts-what-is-not-finite", test_nothing_finite);
  g_test_add_func ("/app/adapt/value-series/finds-steps-of-loops-in-loops", test_steps_are_found);

  return g_test_run ();
}
