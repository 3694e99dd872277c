/* test-linalg-cholesky.c — Cholesky factors and inverses from them: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_potrf", "one matrix", NULL, { "f32[3,3] = 4,9,9, 1,5,9, -1,0.5,3" } },
  { "_linalg_potrf", "a batch", NULL, { "f64[2,2,2] = 4,1,1,3, 9,0,-2,1" } },
  { "_linalg_potrf", "1 × 1", NULL, { "f32[1,1] = 2" } },
  { "_linalg_potrf", "empty", NULL, { "f32[2,0,0]" } },
  { "_linalg_potri", "one matrix", NULL, { "f64[3,3] = 2,9,9, 0.5,1,9, -1,0.5,3" } },
  { "_linalg_potri", "a batch", NULL, { "f32[2,2,2] = 2,0,1,3, 1,0,-2,1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_potrf",
    "not positive definite",
    NULL,
    { "f32[2,2] = 1,2,2,1" },
    "matrix 0 is not positive definite" },
  { "_linalg_potrf", "the second is not", NULL, { "f32[2,1,1] = 1,-1" }, "matrix 1 is not" },
  { "_linalg_potrf", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { "_linalg_potrf", "a vector", NULL, { "f32[2]" }, "A has 1 dimensions" },
  { "_linalg_potrf", "integers", NULL, { "i32[2,2]" }, "its type is int32" },
  { "_linalg_potrf", "half floats", NULL, { "f16[2,2]" }, "its type is float16" },
  { "_linalg_potri", "zero", NULL, { "f32[2,2] = 1,0,1,0" }, "has a zero on its diagonal" },
  { 0 },
};

TEST_PROGRAM (test_linalg_cholesky)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-cholesky", hyb_ops_linalg_cholesky, samples, refusals);

  return g_test_run ();
}
