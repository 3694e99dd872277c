/* test-vector-math.c — compares vectorised exponentials, logarithms, angles and the like with the C library in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-math.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

typedef void (*VectorFunc) (gsize n, const float *x, float *y);
typedef double (*ExactFunc) (double x);

static double
exact_sigmoid (double x)
{
  return x < 0 ? exp (x) / (1 + exp (x)) : 1 / (1 + exp (-x));
}

static double
exact_softplus (double x)
{
  return (x > 0 ? x : 0) + log1p (exp (-fabs (x)));
}

typedef struct
{
  VectorFunc vector;
  ExactFunc  exact;
} Pair;

static const Pair pairs[] = {
  { hyb_vector_exp, exp },
  { hyb_vector_tanh, tanh },
  { hyb_vector_sigmoid, exact_sigmoid },
  { hyb_vector_erf, erf },
  { hyb_vector_softplus, exact_softplus },
  { hyb_vector_expm1, expm1 },
  { hyb_vector_log, log },
  { hyb_vector_sin, sin },
  { hyb_vector_cos, cos },
  { hyb_vector_tan, tan },
  { hyb_vector_asin, asin },
  { hyb_vector_acos, acos },
  { hyb_vector_atan, atan },
  { hyb_vector_log1p, log1p },
  { hyb_vector_sinh, sinh },
  { hyb_vector_cosh, cosh },
  { hyb_vector_asinh, asinh },
  { hyb_vector_acosh, acosh },
  { hyb_vector_atanh, atanh },
};

/* The distance of got from exact, in units in the last place of the float nearest to exact. */
static double
units_apart (float got, double exact)
{
  int exponent;

  if (isnan (exact))
    return isnan (got) ? 0 : INFINITY;
  if (isinf ((float) exact) || isinf (got))
    return got == (float) exact ? 0 : INFINITY;

  frexp (exact, &exponent);
  return fabs (got - exact) / ldexp (1, MAX (exponent, -125) - 24);
}

/* Calls check() at each level of vector instructions that this processor has. */
static void
for_each_level (void (*check) (HybSimdLevel level))
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check ((HybSimdLevel) level);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Checks every step-th bit pattern from `bits` to `last`.  acosh, and without fused multiply-add tanh, have larger
 * errors. */
static void
check_patterns (HybSimdLevel level, guint64 bits, guint64 last, guint step)
{
  enum
  {
    N = 1000
  };
  float x[N], y[N];

  while (bits <= last)
    {
      guint n = 0;

      for (; n < N && bits <= last; n++, bits += step)
        {
          guint32 pattern = (guint32) bits;

          memcpy (&x[n], &pattern, sizeof pattern);
        }
      for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
        {
          double most = pairs[f].vector == hyb_vector_acosh                             ? 2.5
                        : pairs[f].vector == hyb_vector_tanh && level == HYB_SIMD_PLAIN ? 2.1
                                                                                        : 2;

          pairs[f].vector (n, x, y);
          for (guint i = 0; i < n; i++)
            if (!(units_apart (y[i], pairs[f].exact (x[i])) <= most))
              g_error ("function %u of %a gives %a, not %a", f, x[i], y[i], pairs[f].exact (x[i]));
        }
    }
}

/* All signs, exponents, NaNs and subnormals occur. */
static void
check_all (HybSimdLevel level)
{
  check_patterns (level, 0, G_MAXUINT32, 5003);
}

static void
test_error_is_at_most_two_units (void)
{
  for_each_level (check_all);
}

/* From 2⁻¹³ to 128, where no result is constant, and the same with the other sign. */
static void
check_ordinary (HybSimdLevel level)
{
  check_patterns (level, 0x39000000, 0x43000000, 499);
  check_patterns (level, 0xb9000000, 0xc3000000, 499);
}

static void
test_error_of_ordinary_numbers (void)
{
  for_each_level (check_ordinary);
}

static void
check_limits (HybSimdLevel level)
{
  const float x[] = { INFINITY, -INFINITY, 0.f, -0.f, 1e30f, -1e30f };
  float       y[G_N_ELEMENTS (x)];

  hyb_vector_exp (G_N_ELEMENTS (x), x, y);
  g_assert_true (isinf (y[0]) && y[1] == 0 && y[2] == 1 && y[3] == 1 && isinf (y[4]) && y[5] == 0);
  hyb_vector_tanh (G_N_ELEMENTS (x), x, y);
  g_assert_true (y[0] == 1 && y[1] == -1 && y[4] == 1 && y[5] == -1);
  g_assert_true (y[2] == 0 && !signbit (y[2]) && y[3] == 0 && signbit (y[3]));
  hyb_vector_sigmoid (G_N_ELEMENTS (x), x, y);
  g_assert_true (y[0] == 1 && y[1] == 0 && y[2] == 0.5f && y[3] == 0.5f && y[4] == 1 && y[5] == 0);
  hyb_vector_erf (G_N_ELEMENTS (x), x, y);
  g_assert_true (y[0] == 1 && y[1] == -1 && y[4] == 1 && y[5] == -1);
  g_assert_true (y[2] == 0 && !signbit (y[2]) && y[3] == 0 && signbit (y[3]));
  hyb_vector_softplus (G_N_ELEMENTS (x), x, y);
  g_assert_true (isinf (y[0]) && y[1] == 0 && y[2] == (float) log (2) && y[4] == 1e30f &&
                 y[5] == 0);
}

static void
test_limits (void)
{
  for_each_level (check_limits);
}

static void
check_tanh_is_odd (HybSimdLevel level)
{
  enum
  {
    N = 4000
  };
  float x[N], y[N];

  for (guint i = 0; i < N; i += 2)
    {
      x[i] = ldexpf (1.f + (float) i / N, (int) (i / 2 % 40) - 34);
      x[i + 1] = -x[i];
    }
  hyb_vector_tanh (N, x, y);
  for (guint i = 0; i < N; i += 2)
    g_assert_cmpfloat (y[i + 1], ==, -y[i]);
}

static void
test_tanh_is_odd (void)
{
  for_each_level (check_tanh_is_odd);
}

/* −0 gives −0, and ends of the range are those of the C library. */
static void
check_ends (HybSimdLevel level)
{
  const float ends[] = { 0.f,        -0.f,      1.f,     -1.f,  0x1p-149f,
                         -0x1p-149f, 0x1p-126f, 0x1p18f, 1e30f, -1e30f,
                         INFINITY,   -INFINITY, NAN,     88.7f, 0x1.fffffep127f };
  float       y[G_N_ELEMENTS (ends)];

  for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
    {
      pairs[f].vector (G_N_ELEMENTS (ends), ends, y);
      for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
        {
          double exact = pairs[f].exact ((double) ends[i]);

          if (!(units_apart (y[i], exact) <= 2.1) ||
              (exact == 0 && (y[i] != 0 || !signbit (y[i]) != !signbit (exact))))
            g_error ("function %u of %a gives %a, not %a", f, (double) ends[i], (double) y[i],
                     exact);
        }
    }
}

static void
test_ends (void)
{
  for_each_level (check_ends);
}

/* Every part of an array gives the same bytes, with and without numbers whose exponential is
 * beyond the normal range beside them. */
static void
check_place (HybSimdLevel level)
{
  enum
  {
    N = 101
  };
  float x[N], whole[N], part[N];

  for (guint i = 0; i < N; i++)
    x[i] = i % 17 == 3    ? (float) i * 4.f - 200.f
           : i % 23 == 20 ? (float) i * 1e5f
           : i % 3 == 0   ? (float) i * 0.019f - 0.98f
                          : (float) i * 0.377f - 19.f;

  for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
    {
      pairs[f].vector (N, x, whole);
      for (guint begin = 0; begin < N; begin++)
        for (guint end = begin; end <= N; end++)
          {
            memcpy (part, x, sizeof part);
            pairs[f].vector (end - begin, part + begin, part + begin);
            g_assert_cmpmem (part, begin * sizeof (float), x, begin * sizeof (float));
            g_assert_cmpmem (part + begin, (end - begin) * sizeof (float), whole + begin,
                             (end - begin) * sizeof (float));
            g_assert_cmpmem (part + end, (N - end) * sizeof (float), x + end,
                             (N - end) * sizeof (float));
          }
    }
}

static void
test_value_does_not_depend_on_place (void)
{
  for_each_level (check_place);
}

TEST_PROGRAM (test_vector_math)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/vector-math/error-is-at-most-two-units",
                   test_error_is_at_most_two_units);
  g_test_add_func ("/engine/kernels/vector-math/error-of-ordinary-numbers",
                   test_error_of_ordinary_numbers);
  g_test_add_func ("/engine/kernels/vector-math/limits", test_limits);
  g_test_add_func ("/engine/kernels/vector-math/ends", test_ends);
  g_test_add_func ("/engine/kernels/vector-math/tanh-is-odd", test_tanh_is_odd);
  g_test_add_func ("/engine/kernels/vector-math/value-does-not-depend-on-place",
                   test_value_does_not_depend_on_place);

  return g_test_run ();
}
