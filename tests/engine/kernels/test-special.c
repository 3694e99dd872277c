/* test-special.c — special functions at points whose values are known, and their identities.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/special.h"
#include "tests/program.h"

#include <glib.h>
#include <math.h>

#define EULER 0.57721566490153286061

static void
assert_near (double got, double want)
{
  if (!(fabs (got - want) <= 2e-14 * MAX (1, fabs (want))))
    g_error ("%.17g, not %.17g", got, want);
}

/* ψ(1) = −γ, ψ(½) = −γ − 2 log 2, ψ(x + 1) = ψ(x) + 1/x, ψ(1 − x) = ψ(x) + π cot πx */
static void
test_digamma (void)
{
  assert_near (hyb_digamma (1), -EULER);
  assert_near (hyb_digamma (0.5), -EULER - 2 * M_LN2);
  assert_near (hyb_digamma (0.25), -EULER - M_PI / 2 - 3 * M_LN2);
  for (double x = 0.1; x < 40; x *= 1.37)
    assert_near (hyb_digamma (x + 1), hyb_digamma (x) + 1 / x);
  assert_near (hyb_digamma (-0.5), hyb_digamma (0.5) + 2);
  g_assert_true (hyb_digamma (0) == INFINITY);
  g_assert_true (hyb_digamma (-3) == INFINITY);
  g_assert_true (isnan (hyb_digamma (NAN)));
}

static void
test_erf_inverse (void)
{
  for (double x = -5; x <= 5; x += 0.173)
    {
      /* The error in x that the rounding of erf (x) causes. */
      double blur = 1e-16 / exp (-x * x);

      g_assert_cmpfloat (fabs (hyb_erf_inverse (erf (x)) - x), <=, 4 * blur + 1e-14);
    }
  assert_near (hyb_erf_inverse (0.5), 0.47693627620446987338);
  g_assert_cmpfloat (hyb_erf_inverse (1e-300), >, 8.8e-301);
  g_assert_cmpfloat (hyb_erf_inverse (1), ==, INFINITY);
  g_assert_cmpfloat (hyb_erf_inverse (-1), ==, -INFINITY);
  g_assert_true (isnan (hyb_erf_inverse (1.0001)));
  g_assert_true (isnan (hyb_erf_inverse (NAN)));
}

static void
test_log_gamma (void)
{
  assert_near (hyb_log_gamma (10), log (362880));
  g_assert_cmpfloat (hyb_log_gamma (0), ==, INFINITY);
  g_assert_cmpfloat (hyb_log_gamma (-2), ==, INFINITY);
}

TEST_PROGRAM (test_special)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/special/digamma", test_digamma);
  g_test_add_func ("/engine/kernels/special/erf-inverse", test_erf_inverse);
  g_test_add_func ("/engine/kernels/special/log-gamma", test_log_gamma);

  return g_test_run ();
}
