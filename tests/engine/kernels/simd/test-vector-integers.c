/* test-vector-integers.c — vectorised conversions give what hyb_dtype_convert() gives, at every level of vector
 * instructions, also where an integer cannot hold a float.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-integers.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

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
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Fills N elements of a type with numbers of both signs whose way over a double is exact. */
static void
fill_type (gpointer to, HybDType dtype)
{
  for (guint i = 0; i < N; i++)
    hyb_dtype_set_double (to, dtype, i, (double) ((gint64) i * i * i * (i % 2 ? 435 : -1)));
  if (dtype == HYB_BOOL)
    for (guint i = 0; i < N; i++)
      ((guint8 *) to)[i] = i % 3 == 0;
}

/* All pairs of types; lengths around the size of a vector and of a piece. */
static void
test_all_pairs (void)
{
  static const gsize lengths[] = { 0, 1, 15, 16, 17, 63, 65, 511, 512, 513, N };
  gint64             from[N], want[N], got[N + 1];

  for (int from_dtype = 0; from_dtype < HYB_N_DTYPES; from_dtype++)
    for (int to_dtype = 0; to_dtype < HYB_N_DTYPES; to_dtype++)
      for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
        for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
          {
            gsize bytes = lengths[i] * hyb_dtype_size (to_dtype);

            hyb_simd_cap ((HybSimdLevel) level);
            fill_type (from, from_dtype);
            memset (got, 0xa5, sizeof got);
            if (!hyb_vector_convert (got, to_dtype, from, from_dtype, lengths[i]))
              continue;
            hyb_dtype_convert (want, to_dtype, from, from_dtype, lengths[i]);
            g_assert_cmpmem (got, bytes, want, bytes);
            g_assert_cmpint (((guint8 *) got)[bytes], ==, 0xa5);
          }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Numbers by the definition of each conversion. */
static void
test_known_numbers (void)
{
  const gint64  wide[] = { -1, 256, 511, 1ll << 32, 0, -300 };
  const double  numbers[] = { -1.9, 0.5, 255.9, 256, NAN, 65504 };
  const guint16 halves[] = { 0x3c00, 0xc000, 0x7bff, 0x8000, 0x3800, 0x7e00 };
  gint64        y[6];

  g_assert_true (hyb_vector_convert (y, HYB_U8, wide, HYB_I64, 6));
  g_assert_cmpmem (y, 6, ((guint8[]){ 255, 0, 255, 0, 0, 212 }), 6);
  g_assert_true (hyb_vector_convert (y, HYB_BOOL, wide, HYB_I64, 6));
  g_assert_cmpmem (y, 6, ((guint8[]){ 1, 1, 1, 1, 0, 1 }), 6);
  g_assert_true (hyb_vector_convert (y, HYB_I32, numbers, HYB_F64, 6));
  g_assert_cmpmem (y, 24, ((gint32[]){ -1, 0, 255, 256, 0, 65504 }), 24);
  g_assert_true (hyb_vector_convert (y, HYB_I64, halves, HYB_F16, 6));
  g_assert_cmpmem (y, 48, ((gint64[]){ 1, -2, 65504, 0, 0, 0 }), 48);
  g_assert_true (hyb_vector_convert (y, HYB_BOOL, halves, HYB_F16, 6));
  g_assert_cmpmem (y, 6, ((guint8[]){ 1, 1, 1, 0, 1, 1 }), 6);
}

static void
test_others_are_refused (void)
{
  gint64 x[1] = { 1 }, y[1];

  g_assert_false (hyb_vector_convert (y, HYB_U64, x, HYB_F32, 1));
  g_assert_false (hyb_vector_convert (y, HYB_I64, x, HYB_U16, 1));
  g_assert_false (hyb_vector_convert (y, HYB_I64, x, HYB_I64, 1));
}

TEST_PROGRAM (test_vector_integers)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/vector-integers/floats", test_floats);
  g_test_add_func ("/engine/kernels/vector-integers/all-pairs", test_all_pairs);
  g_test_add_func ("/engine/kernels/vector-integers/known-numbers", test_known_numbers);
  g_test_add_func ("/engine/kernels/vector-integers/others-are-refused", test_others_are_refused);

  return g_test_run ();
}
