/* test-division.c — compares quotients and remainders of integers with those that C computes in 64 bits, and remainders of
 * doubles with fmod().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/binary.h"

#include "engine/tensor/dtype.h"
#include "tests/program.h"

#include <math.h>

#define N 512

/* Truncated, 0 for a divisor of 0; the last bits where −1 overflows. */
static gint64
exact_quotient (gint64 a, gint64 b)
{
  return b == 0 ? 0 : b == -1 ? (gint64) (0 - (guint64) a) : a / b;
}

static gint64
exact_rest (gint64 a, gint64 b)
{
  gint64 rest = b == 0 || b == -1 ? 0 : a % b;

  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static void
set (gpointer data, HybDType dtype, guint i, gint64 value)
{
  hyb_dtype_convert ((char *) data + i * hyb_dtype_size (dtype), dtype, &value, HYB_I64, 1);
}

static void
check (HybDType dtype, const guint64 *x, const guint64 *w, gint64 stride_x, gint64 stride_w)
{
  guint64 y[N];

  for (guint rest = 0; rest < 2; rest++)
    {
      hyb_binary_loop (rest ? HYB_BINARY_MOD : HYB_BINARY_DIV, dtype) (x, stride_x, w, stride_w, y,
                                                                       N);
      for (guint i = 0; i < N; i++)
        {
          gint64  a = hyb_dtype_get_int (x, dtype, i * (gsize) stride_x);
          gint64  b = hyb_dtype_get_int (w, dtype, i * (gsize) stride_w), got;
          guint64 want;

          set (&want, dtype, 0, rest ? exact_rest (a, b) : exact_quotient (a, b));
          got = hyb_dtype_get_int (y, dtype, i);
          if (got != hyb_dtype_get_int (&want, dtype, 0))
            g_error ("%s: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " give %" G_GINT64_FORMAT,
                     hyb_dtype_name (dtype), a, b, got);
        }
    }
}

/* Every pair of bytes. */
static void
test_bytes (void)
{
  const HybDType dtypes[] = { HYB_U8, HYB_I8 };
  guint64        x[N], w[N];

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gint64 b = 0; b < 256; b++)
      {
        for (guint i = 0; i < N; i++)
          {
            set (x, dtypes[d], i, i);
            set (w, dtypes[d], i, b);
          }
        check (dtypes[d], x, w, 1, 1);
        check (dtypes[d], x, w, 1, 0);
        check (dtypes[d], w, x, 0, 1);
      }
}

/* Random numbers of every length, and multiples of the divisor and their neighbours, which rounding would change first. */
static void
test_words (void)
{
  const HybDType dtypes[] = { HYB_I32, HYB_I64, HYB_U32 };
  const gint64 ends[] = { 0, 1, -1, 2, -2, G_MAXINT32, G_MININT32, G_MAXINT32 - 1, G_MININT32 + 1 };
  guint64      x[N], w[N];
  GRand       *rand = g_rand_new_with_seed (7);

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (guint turn = 0; turn < 400; turn++)
      {
        for (guint i = 0; i < N; i++)
          {
            gint32 a = (gint32) g_rand_int (rand) >> g_rand_int_range (rand, 0, 31);
            gint32 b = (gint32) g_rand_int (rand) >> g_rand_int_range (rand, 0, 31);

            if (i % 4 == 1 && b != 0 && b != -1)
              a = a / b * b + g_rand_int_range (rand, -1, 2) * (ABS (a) < G_MAXINT32 / 2);
            set (x, dtypes[d], i, i % 16 == 0 ? ends[i / 16 % G_N_ELEMENTS (ends)] : a);
            set (w, dtypes[d], i, i % 16 == 0 ? ends[(i / 16 + turn) % G_N_ELEMENTS (ends)] : b);
          }
        check (dtypes[d], x, w, 1, 1);
        check (dtypes[d], x, w, 1, 0);
        check (dtypes[d], x, w, 0, 1);
      }
  g_rand_free (rand);
}

/* Above 2⁵³, where doubles are no longer exact, and above 2⁶³. */
static void
test_unsigned (void)
{
  const guint64 x[] = { G_MAXUINT64, (1ull << 53) + 1, 1ull << 63, 7, 3, 0 };
  const guint64 w[] = { 10, (1ull << 53) + 3, (1ull << 63) + 1, 0, 5, G_MAXUINT64 };
  const guint64 want[][G_N_ELEMENTS (x)] = {
    [HYB_BINARY_ADD] = { 9, (1ull << 54) + 4, 1, 7, 8, G_MAXUINT64 },
    [HYB_BINARY_SUB] = { G_MAXUINT64 - 10, (guint64) -2, (guint64) -1, 7, (guint64) -2, 1 },
    [HYB_BINARY_MUL] = { (guint64) -10, (1ull << 55) + 3, 1ull << 63, 0, 15, 0 },
    [HYB_BINARY_DIV] = { G_MAXUINT64 / 10, 0, 0, 0, 0, 0 },
    [HYB_BINARY_MOD] = { 5, (1ull << 53) + 1, 1ull << 63, 0, 3, 0 },
    [HYB_BINARY_MAXIMUM] = { G_MAXUINT64, (1ull << 53) + 3, (1ull << 63) + 1, 7, 5, G_MAXUINT64 },
    [HYB_BINARY_MINIMUM] = { 10, (1ull << 53) + 1, 1ull << 63, 0, 3, 0 },
    [HYB_BINARY_GREATER] = { 1, 0, 0, 1, 0, 0 },
  };
  guint64 y[G_N_ELEMENTS (x)];

  for (guint function = 0; function < G_N_ELEMENTS (want); function++)
    if (function != HYB_BINARY_POWER &&
        (function < HYB_BINARY_HYPOT || function == HYB_BINARY_GREATER))
      {
        hyb_binary_loop ((HybBinary) function, HYB_U64) (x, 1, w, 1, y, G_N_ELEMENTS (x));
        for (guint i = 0; i < G_N_ELEMENTS (x); i++)
          g_assert_cmpuint (y[i], ==, want[function][i]);
      }
  hyb_binary_loop (HYB_BINARY_POWER, HYB_U64) ((guint64[]){ 3 }, 1, (guint64[]){ 40 }, 1, y, 1);
  g_assert_cmpuint (y[0], ==, 12157665459056928801ull);
}

static void
test_doubles (void)
{
  const double ends[] = {
    0.,     -0.,     1,          -1,         3,     -3,       0.5,       -2.5,
    0x1p52, -0x1p52, 0x1p52 - 1, 0x1p53 + 2, 1e300, INFINITY, -INFINITY, NAN
  };
  double x[N], w[N], y[N];
  GRand *rand = g_rand_new_with_seed (8);

  for (guint turn = 0; turn < 400; turn++)
    {
      for (guint i = 0; i < N; i++)
        {
          gint64 b = (gint64) g_rand_int (rand) >> g_rand_int_range (rand, 0, 31);
          gint64 q = (gint64) g_rand_int (rand) >> g_rand_int_range (rand, 12, 31);

          w[i] = (double) (g_rand_boolean (rand) ? -b : b);
          x[i] =
              (double) (b * q + g_rand_int_range (rand, -1, 2)) * (g_rand_boolean (rand) ? 1 : -1);
          if (i % 8 == 0)
            x[i] = ends[i / 8 % G_N_ELEMENTS (ends)];
          if (i % 8 == 0)
            w[i] = ends[(i / 8 + turn) % G_N_ELEMENTS (ends)];
        }
      hyb_binary_loop (HYB_BINARY_MOD, HYB_F64) (x, 1, w, 1, y, N);
      for (guint i = 0; i < N; i++)
        {
          double rest = w[i] == 0 ? 0 : fmod (x[i], w[i]);

          if (rest != 0 && (rest < 0) != (w[i] < 0))
            rest += w[i];
          if (isnan (rest) ? !isnan (y[i])
                           : y[i] != rest || (rest == 0 && signbit (y[i]) != signbit (rest)))
            g_error ("%a and %a give %a, not %a", x[i], w[i], y[i], rest);
        }
    }
  g_rand_free (rand);
}

TEST_PROGRAM (test_division)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/division/bytes", test_bytes);
  g_test_add_func ("/engine/kernels/division/words", test_words);
  g_test_add_func ("/engine/kernels/division/unsigned-words-are-exact", test_unsigned);
  g_test_add_func ("/engine/kernels/division/doubles", test_doubles);

  return g_test_run ();
}
