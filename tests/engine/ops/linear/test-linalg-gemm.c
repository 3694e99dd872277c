/* test-linalg-gemm.c — tests of _linalg_gemm and _linalg_gemm2: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_gemm", "plain", NULL, { "f32[2,3]", "f32[3,4]", "f32[2,4]" } },
  { "_linalg_gemm",
    "factors",
    "alpha=2 beta=-0.5 transpose_a=True",
    { "f32[2,3,2]", "f32[2,3,3]", "f32[2,2,3]" } },
  { "_linalg_gemm2", "plain", NULL, { "f32[2,3]", "f32[3,4]" } },
  { "_linalg_gemm2",
    "both transposed",
    "alpha=0.5 transpose_a=True transpose_b=True",
    { "f32[3,2]", "f32[4,3]" } },
  { "_linalg_gemm2", "batch", "transpose_b=True", { "f32[2,2,3]", "f32[2,4,3]" } },
  { "_linalg_gemm2", "left transposed", "transpose_a=True", { "f32[2,3,2]", "f32[2,3,4]" } },
  { "_linalg_gemm2", "rows along the first axis", "axis=0", { "f32[2,3,4]", "f32[4,3,2]" } },
  { "_linalg_gemm2",
    "rows along the first axis, transposed",
    "axis=0 transpose_a=True",
    { "f32[4,3,2]", "f32[4,3,2]" } },
  { "_linalg_gemm2",
    "rows in the middle",
    "axis=1 transpose_b=True",
    { "f32[2,2,2,3]", "f32[2,4,2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_gemm2",
    "rows are columns",
    "axis=-1",
    { "f32[2,3]", "f32[3,2]" },
    "cannot hold the rows" },
  { "_linalg_gemm2",
    "vectors",
    NULL,
    { "f32[3]", "f32[3]" },
    "needs inputs of at least 2 dimensions" },
  { "_linalg_gemm2",
    "inner dimensions differ",
    NULL,
    { "f32[2,3]", "f32[2,3]" },
    "the columns of A" },
  { "_linalg_gemm",
    "C of another shape",
    NULL,
    { "f32[2,3]", "f32[3,4]", "f32[4,2]" },
    "the rows" },
  { 0 },
};

TEST_PROGRAM (test_linalg_gemm)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-gemm", hyb_ops_linalg_gemm, samples, refusals);

  return g_test_run ();
}
