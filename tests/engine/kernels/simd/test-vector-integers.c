/* test-vector-integers.c — vectorised conversions give what hyb_dtype_convert() gives, at every level of vector
 * instructions, also where an integer cannot hold a float.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-integers.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>

enum
{
  N = 1500
};

static const HybDType integers[] = { HYB_I64, HYB_I32, HYB_U8, HYB_I8, HYB_BOOL };

static void
check_from_floats (const float *x, gsize n)
{
  gint64 want[N], got[N];

  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      g_assert_true (hyb_vector_convert (got, integers[i], x, HYB_F32, n));
      hyb_dtype_convert (want, integers[i], x, HYB_F32, n);
      g_assert_cmpmem (got, n * hyb_dtype_size (integers[i]), want,
                       n * hyb_dtype_size (integers[i]));
    }
}

static void
test_floats (void)
{
  const float ends[] = { 0x1p31f, -0x1p31f, 0x1p63f,   -0x1p63f, 3e9f,
                         1e30f,   INFINITY, -INFINITY, NAN,      -0.f };
  float       x[N];

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint i = 0; i < N; i++)
        x[i] = ((float) i - 700.f) * (i % 5 ? 0.37f : 2e5f);
      check_from_floats (x, N);
      check_from_floats (x, 37);
      for (guint end = 0; end < G_N_ELEMENTS (ends); end++)
        {
          x[600 + end] = ends[end];
          check_from_floats (x, N);
        }
    }
}

/* Up to 2⁵³, where the way over a double is exact. */
static void
test_integers (void)
{
  gint64 wide[N];
  gint32 bytes[N];
  float  want[N], got[N];

  for (guint i = 0; i < N; i++)
    {
      wide[i] = (gint64) i * i * i * (i % 2 ? 2654435 : -1);
      bytes[i] = (gint32) (i * 2654435761u);
    }
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
      if (integers[i] != HYB_I32 && integers[i] != HYB_BOOL)
        {
          gconstpointer from = integers[i] == HYB_I64 ? (gconstpointer) wide : bytes;

          hyb_simd_cap ((HybSimdLevel) level);
          g_assert_true (hyb_vector_convert (got, HYB_F32, from, integers[i], N));
          hyb_dtype_convert (want, HYB_F32, from, integers[i], N);
          g_assert_cmpmem (got, sizeof got, want, sizeof want);
        }
}

static void
test_others_are_refused (void)
{
  float  x[1] = { 1 };
  gint64 y[1];

  g_assert_false (hyb_vector_convert (y, HYB_F64, x, HYB_F32, 1));
  g_assert_false (hyb_vector_convert (x, HYB_F32, y, HYB_F64, 1));
}

TEST_PROGRAM (test_vector_integers)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/vector-integers/floats", test_floats);
  g_test_add_func ("/engine/kernels/vector-integers/integers", test_integers);
  g_test_add_func ("/engine/kernels/vector-integers/others-are-refused", test_others_are_refused);

  return g_test_run ();
}
