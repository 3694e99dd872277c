/* test-binary-vector.c — sums, differences, products and quotients of floats have the bytes of plain
 * loops at every level of vector instructions, for every length, stride and place of the result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/binary-vector.h"

#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <string.h>

#define MOST 150

static float a[MOST], b[MOST];

static float
plain (HybBinary function, float left, float right)
{
  return function == HYB_BINARY_ADD   ? left + right
         : function == HYB_BINARY_SUB ? left - right
         : function == HYB_BINARY_MUL ? left * right
                                      : left / right;
}

static void
check (HybBinary function, gint64 sa, gint64 sb, gint64 n)
{
  float want[MOST], got[MOST], in_a[MOST], in_b[MOST];

  memset (got, 7, sizeof got);
  memcpy (want, got, sizeof want);
  memcpy (in_a, a, sizeof a);
  memcpy (in_b, b, sizeof b);
  for (gint64 i = 0; i < n; i++)
    want[i] = plain (function, a[i * sa], b[i * sb]);
  hyb_binary_vector_loop (function) (a, sa, b, sb, got, n);
  g_assert_cmpmem (got, sizeof got, want, sizeof want);

  if (sa == 1)
    {
      hyb_binary_vector_loop (function) (in_a, sa, b, sb, in_a, n);
      g_assert_cmpmem (in_a, sizeof (float) * (gsize) n, want, sizeof (float) * (gsize) n);
    }
  if (sb == 1)
    {
      hyb_binary_vector_loop (function) (a, sa, in_b, sb, in_b, n);
      g_assert_cmpmem (in_b, sizeof (float) * (gsize) n, want, sizeof (float) * (gsize) n);
    }
}

static void
test_bytes_are_those_of_plain_loops (void)
{
  for (guint i = 0; i < MOST; i++)
    {
      a[i] = (float) (8 * hyb_random_uniform (3, i) - 3);
      b[i] = i % 41 == 40 ? 0 : (float) (8 * hyb_random_uniform (4, i) - 4);
    }
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint function = HYB_BINARY_ADD; function <= HYB_BINARY_DIV; function++)
        for (gint64 n = 0; n <= MOST; n++)
          for (guint strides = 0; strides < 4; strides++)
            check ((HybBinary) function, strides & 1, strides >> 1, n);
    }
}

static void
test_other_functions_have_none (void)
{
  for (guint function = HYB_BINARY_MOD; function < HYB_N_BINARY; function++)
    g_assert_true (!hyb_binary_vector_loop ((HybBinary) function));
}

TEST_PROGRAM (test_binary_vector)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/binary-vector/bytes-are-those-of-plain-loops",
                   test_bytes_are_those_of_plain_loops);
  g_test_add_func ("/engine/kernels/binary-vector/other-functions-have-none",
                   test_other_functions_have_none);

  return g_test_run ();
}
