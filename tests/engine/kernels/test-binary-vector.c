/* test-binary-vector.c — sums, differences, products, quotients and extremes have the bytes of
 * plain loops at every level of vector instructions, for every length, stride and place of the result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/binary-vector.h"

#include "engine/base/random.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define MOST 150

static float a[MOST], b[MOST];

static gboolean
has_loop (guint function)
{
  return function <= HYB_BINARY_DIV || function == HYB_BINARY_MAXIMUM ||
         function == HYB_BINARY_MINIMUM;
}

static float
plain (HybBinary function, float left, float right)
{
  return function == HYB_BINARY_ADD       ? left + right
         : function == HYB_BINARY_SUB     ? left - right
         : function == HYB_BINARY_MUL     ? left * right
         : function == HYB_BINARY_DIV     ? left / right
         : left != left                   ? left
         : function == HYB_BINARY_MAXIMUM ? (left > right ? left : right)
                                          : (left < right ? left : right);
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
  hyb_binary_vector_loop (function, HYB_F32) (a, sa, b, sb, got, n);
  g_assert_cmpmem (got, sizeof got, want, sizeof want);

  if (sa == 1)
    {
      hyb_binary_vector_loop (function, HYB_F32) (in_a, sa, b, sb, in_a, n);
      g_assert_cmpmem (in_a, sizeof (float) * (gsize) n, want, sizeof (float) * (gsize) n);
    }
  if (sb == 1)
    {
      hyb_binary_vector_loop (function, HYB_F32) (a, sa, in_b, sb, in_b, n);
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
      for (guint function = HYB_BINARY_ADD; function < HYB_N_BINARY; function++)
        for (gint64 n = 0; n <= MOST && has_loop (function); n++)
          for (guint strides = 0; strides < 4; strides++)
            check ((HybBinary) function, strides & 1, strides >> 1, n);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_extremes_keep_nan_and_zero (void)
{
  const float special[] = { NAN, -0.f, 0.f, INFINITY, -INFINITY, 1.f };

  for (guint i = 0; i < MOST; i++)
    {
      a[i] = special[i % G_N_ELEMENTS (special)];
      b[i] = special[i / G_N_ELEMENTS (special) % G_N_ELEMENTS (special)];
    }
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint strides = 0; strides < 4; strides++)
        {
          check (HYB_BINARY_MAXIMUM, strides & 1, strides >> 1, MOST);
          check (HYB_BINARY_MINIMUM, strides & 1, strides >> 1, MOST);
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* The remainder is exact, so it has to be that of the C library; of any bits. */
static void
test_remainders_are_exact (void)
{
  for (guint64 i = 0; i < 200000; i++)
    {
      float    left, right, got;
      float    near = (float) (1000 * hyb_random_uniform (7, i) - 500);
      gboolean is_wide = i % 2;
      guint32  bits[2] = { (guint32) (hyb_random_uniform (5, i) * 0x1p32),
                           (guint32) (hyb_random_uniform (6, i) * 0x1p32) };
      double   want;

      memcpy (&left, &bits[0], sizeof left);
      memcpy (&right, &bits[1], sizeof right);
      if (!is_wide)
        left = near, right = i % 3 ? (float) (i % 97) / 8 : near / (float) (i % 89 + 1);
      hyb_binary_loop (HYB_BINARY_MOD, HYB_F32) (&left, 1, &right, 1, &got, 1);
      want = right == 0 ? 0 : fmod ((double) left, (double) right);
      if (want != 0 && (want < 0) != (right < 0))
        want = (double) ((float) want + right);
      if (isnan (want) ? !isnan (got) : (double) got != want)
        g_error ("%a mod %a is %a, not %a", (double) left, (double) right, (double) got, want);
    }
}

static void
test_remainders_of_infinite_divisors (void)
{
  static const struct
  {
    float left, right, want;
  } cases[] = { { 5, INFINITY, 5 },
                { -5, -INFINITY, -5 },
                { 5, -INFINITY, -INFINITY },
                { -5, INFINITY, INFINITY } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      float got;

      hyb_binary_loop (HYB_BINARY_MOD, HYB_F32) (&cases[i].left, 1, &cases[i].right, 1, &got, 1);
      g_assert_cmpfloat (got, ==, cases[i].want);
    }
}

/* A result in 64 bits, from which narrower integers keep their bits. */
static guint64
plain_integer (HybBinary function, gint64 left, gint64 right)
{
  return function == HYB_BINARY_ADD       ? (guint64) left + (guint64) right
         : function == HYB_BINARY_SUB     ? (guint64) left - (guint64) right
         : function == HYB_BINARY_MUL     ? (guint64) left * (guint64) right
         : function == HYB_BINARY_MAXIMUM ? (guint64) MAX (left, right)
                                          : (guint64) MIN (left, right);
}

/* x and y are of int32 or int64. */
static void
check_integers (HybBinary function, HybDType dtype, gconstpointer x, gconstpointer y, guint strides)
{
  gint64        sa = strides & 1, sb = strides >> 1;
  HybBinaryLoop loop = hyb_binary_vector_loop (function, dtype);
  gint64        got[MOST];

  for (gint64 n = 0; n <= MOST; n++)
    {
      loop (x, sa, y, sb, got, n);
      for (gint64 i = 0; i < n; i++)
        if (dtype == HYB_I32)
          g_assert_cmpint (((gint32 *) got)[i], ==,
                           (gint32) plain_integer (function, ((const gint32 *) x)[i * sa],
                                                   ((const gint32 *) y)[i * sb]));
        else
          g_assert_cmpint (got[i], ==,
                           (gint64) plain_integer (function, ((const gint64 *) x)[i * sa],
                                                   ((const gint64 *) y)[i * sb]));
    }
}

/* Of any bits, so that many results wrap. */
static void
test_integers_wrap (void)
{
  static const HybBinary functions[] = { HYB_BINARY_ADD, HYB_BINARY_SUB, HYB_BINARY_MUL,
                                         HYB_BINARY_MAXIMUM, HYB_BINARY_MINIMUM };
  gint64                 x[MOST], y[MOST];

  for (guint i = 0; i < MOST; i++)
    {
      x[i] = (gint64) (i * 0x9e3779b97f4a7c15ull);
      y[i] = (gint64) ((i + 7) * 0xc2b2ae3d27d4eb4full);
    }
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
        for (guint strides = 0; strides < 4; strides++)
          {
            check_integers (functions[i], HYB_I32, x, y, strides);
            check_integers (functions[i], HYB_I64, x, y, strides);
          }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static double
plain_double (HybBinary function, double left, double right)
{
  return function == HYB_BINARY_ADD       ? left + right
         : function == HYB_BINARY_SUB     ? left - right
         : function == HYB_BINARY_MUL     ? left * right
         : function == HYB_BINARY_DIV     ? left / right
         : left != left                   ? left
         : function == HYB_BINARY_MAXIMUM ? (left > right ? left : right)
                                          : (left < right ? left : right);
}

static void
test_doubles_are_those_of_plain_loops (void)
{
  const double special[] = { NAN, -0., 0., INFINITY, -INFINITY, 1., 0x1p-1074, 3.7 };
  double       x[MOST], y[MOST], got[MOST], want[MOST];

  for (guint i = 0; i < MOST; i++)
    {
      x[i] = i % 3 ? hyb_random_uniform (8, i) : special[i / 3 % G_N_ELEMENTS (special)];
      y[i] = i % 5 ? hyb_random_uniform (9, i) - 0.5 : special[i / 7 % G_N_ELEMENTS (special)];
    }
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (HybBinary function = HYB_BINARY_ADD; function < HYB_N_BINARY; function++)
        for (gint64 n = 0; n <= MOST && has_loop (function); n++)
          for (guint strides = 0; strides < 4; strides++)
            {
              for (gint64 i = 0; i < n; i++)
                want[i] = plain_double (function, x[i * (strides & 1)], y[i * (strides >> 1)]);
              hyb_binary_vector_loop (function, HYB_F64) (x, strides & 1, y, strides >> 1, got, n);
              for (gint64 i = 0; i < n; i++)
                g_assert_true (isnan (want[i]) ? isnan (got[i])
                                               : memcmp (&want[i], &got[i], sizeof *got) == 0);
            }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_other_functions_have_none (void)
{
  for (guint function = HYB_BINARY_MOD; function < HYB_N_BINARY; function++)
    g_assert_true (has_loop (function) ==
                   (hyb_binary_vector_loop ((HybBinary) function, HYB_F32) != NULL));
}

TEST_PROGRAM (test_binary_vector)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/binary-vector/bytes-are-those-of-plain-loops",
                   test_bytes_are_those_of_plain_loops);
  g_test_add_func ("/engine/kernels/binary-vector/doubles-are-those-of-plain-loops",
                   test_doubles_are_those_of_plain_loops);
  g_test_add_func ("/engine/kernels/binary-vector/integers-wrap", test_integers_wrap);
  g_test_add_func ("/engine/kernels/binary-vector/other-functions-have-none",
                   test_other_functions_have_none);

  g_test_add_func ("/engine/kernels/binary-vector/extremes-keep-nan-and-zero",
                   test_extremes_keep_nan_and_zero);
  g_test_add_func ("/engine/kernels/binary-vector/remainders-are-exact", test_remainders_are_exact);
  g_test_add_func ("/engine/kernels/binary-vector/remainders-of-infinite-divisors-are-right",
                   test_remainders_of_infinite_divisors);

  return g_test_run ();
}
