/* test-matmul.c — tests of products of matrices in the last two axes: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_matmul", "matrices", NULL, { "f32[2,3]", "f32[3,2]" } },
  { "_npi_matmul", "vectors", NULL, { "f32[3]", "f32[3]" } },
  { "_npi_matmul", "vector and matrices", NULL, { "f32[3]", "f32[2,3,2]" } },
  { "_npi_matmul", "matrices and vector", NULL, { "f32[2,2,3]", "f32[3]" } },
  { "_npi_matmul", "broadcast", NULL, { "f32[2,1,1,3]", "f32[2,3,2]" } },
  { "_npi_matmul", "no element", NULL, { "f32[2,0]", "f32[0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_matmul", "a number", NULL, { "f32[]", "f32[2]" }, "does not multiply by numbers" },
  { "_npi_matmul",
    "sizes that differ",
    NULL,
    { "f32[2,3]", "f32[2,3]" },
    "the columns of the first" },
  { 0 },
};

enum
{
  B = 5,
  C = 3,
  M = 40,
  K = 30,
  N = 20
};

static int
element (int seed, gint64 at)
{
  return (int) ((at * 7 + seed) % 11) - 5;
}

static HybTensor *
numbers (int rank, const gint64 *dims, int seed)
{
  HybType    type = { hyb_shape_make (rank, dims), HYB_F32 };
  HybTensor *x = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_shape_size (&type.shape); i++)
    ((float *) hyb_tensor_get_data (x))[i] = (float) element (seed, i);
  return x;
}

/* Products of (b, c) matrices, of which either operand has `b` or 1 and `c` or 1; small whole numbers, so sums are exact. */
static void
check_batch (gint64 left_b, gint64 left_c, gint64 right_b, gint64 right_c)
{
  HybTensor *y = op_run ("_npi_matmul", "", numbers (4, (gint64[]){ left_b, left_c, M, K }, 1),
                         numbers (4, (gint64[]){ right_b, right_c, K, N }, 2), NULL);
  gint64     n_b = MAX (left_b, right_b), n_c = MAX (left_c, right_c);

  for (gint64 at = 0; at < n_b * n_c * M * N; at++)
    {
      gint64 j = at % N, i = at / N % M, c = at / (M * N) % n_c, b = at / (M * N * n_c);
      gint64 left = b % left_b * left_c + c % left_c, right = b % right_b * right_c + c % right_c;
      int    want = 0;

      for (gint64 l = 0; l < K; l++)
        want += element (1, (left * M + i) * K + l) * element (2, (right * K + l) * N + j);
      g_assert_cmpfloat (hyb_tensor_get_value (y, at), ==, want);
    }
  hyb_tensor_unref (y);
}

/* One matrix on the right is multiplied with all on the left at once; threads share the other pairs. */
static void
test_pairs_are_multiplied_alone_and_at_once (void)
{
  for (guint threads = 1; threads <= 3; threads++)
    {
      hyb_parallel_set_threads (threads);
      check_batch (B, C, 1, 1);
      check_batch (1, C, 1, 1);
      check_batch (B, C, B, C);
      check_batch (B, 1, 1, C);
      check_batch (1, C, B, 1);
      check_batch (1, 1, B, C);
    }
  hyb_parallel_set_threads (0);
}

TEST_PROGRAM (test_matmul)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/matmul/pairs-are-multiplied-alone-and-at-once",
                   test_pairs_are_multiplied_alone_and_at_once);
  op_check_family ("matmul", hyb_ops_matmul, samples, refusals);
  return g_test_run ();
}
