/* test-linalg-triangular.c — products and equations with triangular matrices: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_trmm _linalg_trsm", "plain", NULL, { "f64[2,2] = 2,9,0.5,1.5", "f64[2,3]" } },
  { "_linalg_trmm _linalg_trsm",
    "transposed",
    "transpose=True alpha=2",
    { "f64[2,2] = 2,9,0.5,1.5", "f64[2,3]" } },
  { "_linalg_trmm _linalg_trsm",
    "right",
    "rightside=True alpha=-0.5",
    { "f64[2,2] = 2,9,0.5,1.5", "f64[3,2]" } },
  { "_linalg_trmm _linalg_trsm",
    "right, transposed",
    "rightside=True transpose=True",
    { "f32[2,2] = 2,9,0.5,1.5", "f32[3,2]" } },
  { "_linalg_trmm _linalg_trsm",
    "upper",
    "lower=False",
    { "f64[2,2] = 2,0.25,9,1.5", "f64[2,3]" } },
  { "_linalg_trmm _linalg_trsm",
    "upper, right, transposed",
    "lower=False rightside=True transpose=True alpha=3",
    { "f64[2,2] = 2,0.25,9,1.5", "f64[1,2]" } },
  { "_linalg_trmm _linalg_trsm",
    "a batch",
    NULL,
    { "f64[2,2,2] = 2,9,0.5,1.5, 1,9,-1,3", "f64[2,2,1]" } },
  { "_linalg_trmm _linalg_trsm", "no columns", NULL, { "f32[2,2] = 2,9,0.5,1.5", "f32[2,0]" } },
  { "_linalg_triangle", "lower", "part=lower", { "f64[2,3,3]" } },
  { "_linalg_triangle", "upper", "part=upper", { "f64[3,3]" } },
  { "_linalg_triangle", "mirrored", "part=mirror", { "f64[3,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_trmm", "sizes differ", NULL, { "f32[2,2]", "f32[3,2]" }, "the sizes of A and B" },
  { "_linalg_trsm",
    "sizes differ on the right",
    "rightside=True",
    { "f32[2,2]", "f32[2,3]" },
    "the sizes of A and B" },
  { "_linalg_trmm",
    "numbers of matrices differ",
    NULL,
    { "f32[2,2,2]", "f32[3,2,2]" },
    "the numbers of matrices" },
  { "_linalg_trmm", "not square", NULL, { "f32[2,3]", "f32[2,3]" }, "A has matrices of 2 × 3" },
  { "_linalg_trsm", "integers", NULL, { "i32[2,2]", "i32[2,2]" }, "its type is int32" },
  { 0 },
};

TEST_PROGRAM (test_linalg_triangular)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-triangular", hyb_ops_linalg_triangular, samples, refusals);

  return g_test_run ();
}
