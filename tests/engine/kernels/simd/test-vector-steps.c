/* test-vector-steps.c — compares vectorised rounding and cut lines with the C library, at each level of vector
 * instructions, in arrays of every length.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-steps.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

enum
{
  N = 70
};

static const struct
{
  void (*vector) (gsize n, const float *x, float *y);
  float (*exact) (float x);
} pairs[] = {
  { hyb_vector_floor, floorf },
  { hyb_vector_ceil, ceilf },
  { hyb_vector_trunc, truncf },
  { hyb_vector_even, rintf },
};

/* Halves, their neighbours, what is too large to have a fraction, zeros, infinities and NaN. */
static void
fill (float x[N])
{
  const float others[] = { 0.f,
                           -0.f,
                           0x1p23f,
                           -0x1.8p22f,
                           0x1p-140f,
                           INFINITY,
                           -INFINITY,
                           nextafterf (0.5f, 0.f),
                           nextafterf (-0.5f, 0.f),
                           NAN };

  for (guint i = 0; i < N; i++)
    x[i] = i < G_N_ELEMENTS (others) ? others[i] : (float) i * 0.25f - 9.f;
}

/* The same number, also in its sign, or both NaN. */
static void
assert_same (float got, float want)
{
  g_assert_true (isnan (want) ? isnan (got) : memcmp (&got, &want, sizeof got) == 0);
}

/* Rounded once with fused multiply-add, and twice without. */
static float
exact_hard_sigmoid (float x)
{
  float product = 0.2f * x;
  float line = hyb_simd_level () == HYB_SIMD_PLAIN ? product + 0.5f : fmaf (0.2f, x, 0.5f);

  return line < 0 ? 0 : line > 1 ? 1 : line;
}

static void
test_level (gconstpointer level)
{
  float x[N], y[N + 1];

  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  fill (x);
  for (guint n = 0; n <= N; n++)
    {
      for (guint f = 0; f < G_N_ELEMENTS (pairs); f++)
        {
          y[n] = 77;
          pairs[f].vector (n, x, y);
          for (guint i = 0; i < n; i++)
            assert_same (y[i], pairs[f].exact (x[i]));
          g_assert_cmpfloat (y[n], ==, 77);
        }
      memcpy (y, x, sizeof x);
      hyb_vector_hard_sigmoid (n, y, 0.2f, 0.5f, y);
      for (guint i = 0; i < N; i++)
        assert_same (y[i], i < n ? exact_hard_sigmoid (x[i]) : x[i]);
      memcpy (y, x, sizeof x);
      hyb_vector_clip (n, y, -0.75f, INFINITY, y);
      for (guint i = 0; i < N; i++)
        assert_same (y[i], i < n && x[i] < -0.75f ? -0.75f : x[i]);
      hyb_vector_clip (n, x, -2.25f, 0.5f, y);
      for (guint i = 0; i < n; i++)
        assert_same (y[i], x[i] > 0.5f ? 0.5f : x[i] < -2.25f ? -2.25f : x[i]);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_vector_steps)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/kernels/vector-steps/plain-loops-are-exact",
                        GUINT_TO_POINTER (HYB_SIMD_PLAIN), test_level);
  g_test_add_data_func ("/engine/kernels/vector-steps/avx2-is-exact",
                        GUINT_TO_POINTER (HYB_SIMD_AVX2), test_level);
  g_test_add_data_func ("/engine/kernels/vector-steps/avx512-is-exact",
                        GUINT_TO_POINTER (HYB_SIMD_AVX512), test_level);

  return g_test_run ();
}
