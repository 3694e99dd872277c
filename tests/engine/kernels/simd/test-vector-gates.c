/* test-vector-gates.c — compares GELU, SiLU and hard swish over arrays with the C library in double, at each level of vector
 * instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-gates.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

enum
{
  N = 1000
};

static double
exact_gelu (double x)
{
  return 0.5 * x * (1 + erf (x * M_SQRT1_2));
}

static double
exact_gelu_tanh (double x)
{
  return 0.5 * x * (1 + tanh (sqrt (2 / G_PI) * (x + 0.044715 * x * x * x)));
}

static double
exact_silu (double x)
{
  return x * (1 / (1 + exp (-x)));
}

static double
exact_hard_swish (double x)
{
  return x * (x < -3 ? 0 : x > 3 ? 6 : x + 3) / 6;
}

static const struct
{
  void (*vector) (gsize n, const float *x, float *y);
  double (*exact) (double x);
} pairs[] = {
  { hyb_vector_gelu, exact_gelu },
  { hyb_vector_gelu_tanh, exact_gelu_tanh },
  { hyb_vector_silu, exact_silu },
  { hyb_vector_hard_swish, exact_hard_swish },
};

static void
check_value (guint function, float x, float y)
{
  double exact = pairs[function].exact ((double) x);
  double scale = MAX (1, fabs (exact));

  if (isnan (exact)   ? !isnan (y)
      : isinf (exact) ? (double) y != exact
                      : !(fabs ((double) y - exact) <= 1e-6 * scale) ||
                            (exact != 0 && y != 0 && signbit (y) != signbit (x)))
    g_error ("function %u of %a gives %a, not %a", function, (double) x, (double) y, exact);
}

/* Bit patterns: all signs, exponents, NaNs and subnormals occur; numbers from 2⁻¹³ to 128 more often. */
static void
check_patterns (guint64 bits, guint64 last, guint step)
{
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
          pairs[f].vector (n, x, y);
          for (guint i = 0; i < n; i++)
            check_value (f, x[i], y[i]);
        }
    }
}

static void
check_ends (void)
{
  const float ends[] = { 0.f,        -0.f,  3.f,      -3.f,      0x1p-149f,
                         -0x1p-149f, 1e30f, INFINITY, -INFINITY, NAN };
  float       y[G_N_ELEMENTS (ends)];

  for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
    {
      pairs[f].vector (G_N_ELEMENTS (ends), ends, y);
      for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
        check_value (f, ends[i], y[i]);
      g_assert_true (y[0] == 0 && !signbit (y[0]) && y[1] == 0 && signbit (y[1]));
    }
}

/* Every part of an array gives the same bytes, also in place, and nothing is written beyond it. */
static void
check_places (void)
{
  enum
  {
    COUNT = 101
  };
  float x[COUNT], whole[COUNT], part[COUNT];

  for (guint i = 0; i < COUNT; i++)
    x[i] = i % 17 == 3 ? (float) i * 4.f - 200.f : (float) i * 0.177f - 9.f;
  for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
    {
      pairs[f].vector (COUNT, x, whole);
      for (guint begin = 0; begin < COUNT; begin++)
        for (guint end = begin; end <= COUNT; end++)
          {
            memcpy (part, x, sizeof part);
            pairs[f].vector (end - begin, part + begin, part + begin);
            g_assert_cmpmem (part, begin * sizeof (float), x, begin * sizeof (float));
            g_assert_cmpmem (part + begin, (end - begin) * sizeof (float), whole + begin,
                             (end - begin) * sizeof (float));
            g_assert_cmpmem (part + end, (COUNT - end) * sizeof (float), x + end,
                             (COUNT - end) * sizeof (float));
          }
    }
}

static void
test_level (gconstpointer level)
{
  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  check_patterns (0, G_MAXUINT32, 20011);
  check_patterns (0x39000000, 0x43000000, 1999);
  check_patterns (0xb9000000, 0xc3000000, 1999);
  check_ends ();
  check_places ();
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_vector_gates)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/kernels/vector-gates/plain-loops",
                        GUINT_TO_POINTER (HYB_SIMD_PLAIN), test_level);
  g_test_add_data_func ("/engine/kernels/vector-gates/avx2", GUINT_TO_POINTER (HYB_SIMD_AVX2),
                        test_level);
  g_test_add_data_func ("/engine/kernels/vector-gates/avx512", GUINT_TO_POINTER (HYB_SIMD_AVX512),
                        test_level);

  return g_test_run ();
}
