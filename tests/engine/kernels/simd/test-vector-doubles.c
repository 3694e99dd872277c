/* test-vector-doubles.c — compares vectorised exponentials of doubles with the C library in long double, at each level of
 * vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-doubles.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

enum
{
  N = 2000,
  N_ENDS = 16,
};

static const struct
{
  void (*vector) (gsize n, const double *x, double *y);
  long double (*exact) (long double x);
} pairs[] = {
  { hyb_vector_exp_f64, expl },
  { hyb_vector_tanh_f64, tanhl },
};

/* The distance in units in the last place of the double nearest to exact. */
static double
units_apart (double got, long double exact)
{
  int exponent;

  if (isnan (exact))
    return isnan (got) ? 0 : INFINITY;
  if (isinf ((double) exact) || isinf (got))
    return got == (double) exact ? 0 : INFINITY;
  frexpl (exact, &exponent);
  return (double) (fabsl (got - exact) / ldexpl (1, MAX (exponent, -1021) - 53));
}

static void
fill (double *x)
{
  const double ends[N_ENDS] = { 0,   -0.,    1e-300, -1e-300,  INFINITY, -INFINITY, NAN,   709.78,
                                710, -745.2, -745.1, -0x1p-60, 1e308,    -1e308,    19.07, -708.4 };

  memcpy (x, ends, sizeof ends);
  for (guint i = N_ENDS; i < N; i++)
    x[i] = ldexp (1 + (double) (i * 7919 % N) / N, (int) (i % 16) - 6) * (i % 2 ? 1 : -1);
}

static void
test_error_is_small (void)
{
  static double x[N], y[N + 1];

  fill (x);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
        {
          pairs[f].vector (N, x, y);
          for (guint i = 0; i < N; i++)
            if (!(units_apart (y[i], pairs[f].exact (x[i])) <= 2.5) ||
                (x[i] == 0 && f == 1 && signbit (y[i]) != signbit (x[i])))
              g_error ("function %u of %a gives %a, not %La", f, x[i], y[i], pairs[f].exact (x[i]));
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_parts_of_an_array_are_the_same (void)
{
  static double x[N], whole[N], part[41];

  fill (x);
  for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
    {
      pairs[f].vector (40, x + N_ENDS, whole);
      for (guint n = 0; n <= 40; n++)
        {
          part[n] = 77;
          pairs[f].vector (n, x + N_ENDS, part);
          g_assert_cmpmem (part, n * sizeof *part, whole, n * sizeof *part);
          g_assert_cmpfloat (part[n], ==, 77);
        }
    }
}

TEST_PROGRAM (test_vector_doubles)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/vector-doubles/error-is-at-most-two-and-a-half-units",
                   test_error_is_small);
  g_test_add_func ("/engine/kernels/vector-doubles/parts-of-an-array-are-the-same",
                   test_parts_of_an_array_are_the_same);

  return g_test_run ();
}
