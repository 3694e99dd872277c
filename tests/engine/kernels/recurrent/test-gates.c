/* test-gates.c — one pass over a row of gates gives the bytes of one function after the other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/gates.h"

#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "engine/kernels/simd/vector-math.h"
#include "tests/program.h"

#include <string.h>

#define MAX_N 70
#define SIZE  (4 * MAX_N)
#define GUARD 8

/* Random numbers, most of which are where the functions change. */
static void
fill (float *values, guint64 seed)
{
  for (guint i = 0; i < SIZE + GUARD; i++)
    values[i] = 8 * ((float) hyb_random_uniform (seed, i) - 0.5f);
}

/* The arrays of a row: what is computed from, and what is computed. */
typedef struct
{
  float sums[SIZE + GUARD], bias[SIZE + GUARD], recurrent[SIZE + GUARD];
  float candidate_bias[SIZE + GUARD], before[SIZE + GUARD];
  float cell[SIZE + GUARD], h[SIZE + GUARD], candidate[SIZE + GUARD];
} Row;

static Row *
row_new (void)
{
  Row   *row = g_new (Row, 1);
  float *arrays[] = { row->sums,   row->bias, row->recurrent, row->candidate_bias,
                      row->before, row->cell, row->h,         row->candidate };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    fill (arrays[i], i);
  return row;
}

static void
add_bias (gint64 n, float *sums, const float *bias)
{
  for (gint64 i = 0; i < n && bias; i++)
    sums[i] += bias[i];
}

static void
compute_lstm_plainly (gint64 n, Row *row, const float *bias)
{
  float *i = row->sums, *f = i + n, *g = f + n, *o = g + n;

  add_bias (4 * n, row->sums, bias);
  hyb_vector_sigmoid ((gsize) n, i, i);
  hyb_vector_sigmoid ((gsize) n, f, f);
  hyb_vector_tanh ((gsize) n, g, g);
  hyb_vector_sigmoid ((gsize) n, o, o);
  for (gint64 j = 0; j < n; j++)
    row->cell[j] = f[j] * row->before[j] + i[j] * g[j];
  hyb_vector_tanh ((gsize) n, row->cell, row->h);
  for (gint64 j = 0; j < n; j++)
    row->h[j] *= o[j];
}

static void
compute_gru_plainly (gint64 n, Row *row, const float *bias)
{
  float *r = row->sums, *z = r + n, *candidate = z + n;

  add_bias (3 * n, row->sums, bias);
  add_bias (2 * n, row->sums, row->recurrent);
  hyb_vector_sigmoid ((gsize) n, r, r);
  hyb_vector_sigmoid ((gsize) n, z, z);
  for (gint64 j = 0; j < n; j++)
    {
      row->candidate[j] = row->recurrent[2 * n + j] + row->candidate_bias[j];
      candidate[j] += r[j] * row->candidate[j];
    }
  hyb_vector_tanh ((gsize) n, candidate, candidate);
  for (gint64 j = 0; j < n; j++)
    row->h[j] = (1.f - z[j]) * candidate[j] + z[j] * row->before[j];
}

/* keeps: the gates are written over their sums, else these stay. */
static void
check_lstm (gint64 n, gboolean has_bias, gboolean keeps)
{
  g_autofree Row *want = row_new (), *got = row_new ();

  compute_lstm_plainly (n, want, has_bias ? want->bias : NULL);
  hyb_lstm_gates (&(HybLstmGates){ .n = n,
                                   .sums = got->sums,
                                   .bias = has_bias ? got->bias : NULL,
                                   .before = got->before,
                                   .cell = got->cell,
                                   .h = got->h,
                                   .kept = keeps ? got->sums : NULL });
  if (!keeps)
    fill (want->sums, 0);
  g_assert_cmpmem (got, sizeof *got, want, sizeof *want);
}

static void
check_gru (gint64 n, gboolean has_bias, gboolean keeps)
{
  g_autofree Row *want = row_new (), *got = row_new ();

  compute_gru_plainly (n, want, has_bias ? want->bias : NULL);
  hyb_gru_gates (&(HybGruGates){ .n = n,
                                 .sums = got->sums,
                                 .bias = has_bias ? got->bias : NULL,
                                 .recurrent = got->recurrent,
                                 .candidate_bias = got->candidate_bias,
                                 .before = got->before,
                                 .h = got->h,
                                 .kept = keeps ? got->sums : NULL,
                                 .candidate = keeps ? got->candidate : NULL });
  if (!keeps)
    {
      fill (want->sums, 0);
      fill (want->candidate, 7);
    }
  g_assert_cmpmem (got, sizeof *got, want, sizeof *want);
}

static void
test_one_pass_changes_no_byte (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (gint64 n = 1; n <= MAX_N; n++)
      for (guint form = 0; form < 4; form++)
        {
          hyb_simd_cap ((HybSimdLevel) level);
          check_lstm (n, form & 1, form >> 1);
          check_gru (n, form & 1, form >> 1);
        }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_gates)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/kernels/recurrent/one-pass-changes-no-byte",
                   test_one_pass_changes_no_byte);
  return g_test_run ();
}
