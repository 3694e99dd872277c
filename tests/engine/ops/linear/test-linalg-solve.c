/* test-linalg-solve.c — NumPy's solve: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_solve", "a vector", NULL, { "f64[2,2] = 2,1,-1,3", "f64[2]" } },
  { "_npi_solve", "two columns", NULL, { "f64[3,3] = 0,1,0.5, -1,3,1, 2,0,-2", "f64[3,2]" } },
  { "_npi_solve", "a batch", NULL, { "f32[2,2,2] = 2,1,-1,3, 0,1,1,4", "f32[2,2,1]" } },
  { "_npi_solve", "empty", NULL, { "f32[0,0]", "f32[0,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_solve", "singular", NULL, { "f32[2,2] = 1,2,2,4", "f32[2]" }, "matrix 0 is singular" },
  { "_npi_solve", "rows differ", NULL, { "f32[2,2]", "f32[3]" }, "the rows of A and B" },
  { "_npi_solve",
    "too few dimensions",
    NULL,
    { "f32[2,2,2,2]", "f32[2,2]" },
    "they differ by 1 at most" },
  { 0 },
};

TEST_PROGRAM (test_linalg_solve)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-solve", hyb_ops_linalg_solve, samples, refusals);

  return g_test_run ();
}
