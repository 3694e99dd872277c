/* test-linalg-factor.c — LQ factors and eigenvectors: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_gelqf", "wide", NULL, { "f64[2,3] = 1,2,3, 3,4,7" } },
  { "_linalg_gelqf", "a batch of square ones", NULL, { "f64[2,2,2] = 1,2,3,4, 0.5,-1,2,2" } },
  { "_linalg_gelqf", "float32", NULL, { "f32[2,3] = 1,2,3, 3,4,7" } },
  { "_linalg_syevd", "one matrix", NULL, { "f64[3,3] = 2,9,9, 1,3,9, 0.5,-1,5" } },
  { "_linalg_syevd", "a batch", NULL, { "f32[2,2,2] = 1,2,2,3, 4,1,1,-1" } },
  { "_linalg_syevd", "empty", NULL, { "f32[2,0,0]" } },
  { "_linalg_syevd_core",
    "two matrices",
    NULL,
    { "f64[2,2,2]", "f64[2,2] = 1,2,3,5", "f64[2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_gelqf", "tall", NULL, { "f32[3,2]" }, "3 rows and 2 columns" },
  { "_linalg_gelqf", "integers", NULL, { "i32[2,3]" }, "its type is int32" },
  { "_linalg_syevd", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { 0 },
};

TEST_PROGRAM (test_linalg_factor)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-factor", hyb_ops_linalg_factor, samples, refusals);

  return g_test_run ();
}
