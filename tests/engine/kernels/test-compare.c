/* test-compare.c — comparisons are those of plain loops at every level of vector instructions, for every type, function,
 * length and stride; nothing but “not equal” holds for NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/compare.h"

#include "engine/kernels/binary.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define MOST 150

static guint64 a[MOST], b[MOST];

static gboolean
holds (HybBinary function, double x, double y)
{
  return function == HYB_BINARY_EQUAL           ? x == y
         : function == HYB_BINARY_NOT_EQUAL     ? x != y
         : function == HYB_BINARY_GREATER       ? x > y
         : function == HYB_BINARY_GREATER_EQUAL ? x >= y
         : function == HYB_BINARY_LESSER        ? x < y
                                                : x <= y;
}

static void
fill (HybDType dtype)
{
  const double special[] = { NAN, INFINITY, -INFINITY, -0. };

  for (guint i = 0; i < MOST; i++)
    {
      hyb_dtype_set_double (a, dtype, i, i * 7919 % 5);
      hyb_dtype_set_double (b, dtype, i, i * 104729 % 7);
      if (hyb_dtype_is_float (dtype) && i % 11 == 3)
        hyb_dtype_set_double (a, dtype, i, special[i % 4]);
      if (hyb_dtype_is_float (dtype) && i % 13 < 2)
        hyb_dtype_set_double (b, dtype, i, special[i / 13 % 4]);
    }
}

static void
check (HybBinary function, HybDType dtype, gint64 n, guint strides)
{
  gint64 sa = strides & 1, sb = strides >> 1;
  guint8 got[MOST + 1];

  memset (got, 7, sizeof got);
  hyb_compare_loop (function, dtype) (a, sa, b, sb, got, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (got[i], ==,
                     holds (function, hyb_dtype_get_double (a, dtype, (gsize) (i * sa)),
                            hyb_dtype_get_double (b, dtype, (gsize) (i * sb))));
  g_assert_cmpint (got[n], ==, 7);
}

static void
test_results_are_those_of_plain_loops (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
      {
        if (!(HYB_DTYPES_ELEMENTWISE & HYB_DTYPE_BIT (dtype)))
          continue;
        hyb_simd_cap ((HybSimdLevel) level);
        fill (dtype);
        for (HybBinary function = HYB_BINARY_EQUAL; function <= HYB_BINARY_LESSER_EQUAL; function++)
          for (gint64 n = 0; n <= MOST; n++)
            for (guint strides = 0; strides < 4; strides++)
              check (function, dtype, n, strides);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_compare)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/compare/results-are-those-of-plain-loops",
                   test_results_are_those_of_plain_loops);

  return g_test_run ();
}
