/* test-linalg-eigen.c — NumPy's eigenvalues: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_eig _npi_eigvals", "real eigenvalues", NULL, { "f64[3,3] = 2,1,0, 0,3,1, 0,0,-1" } },
  { "_npi_eig _npi_eigvals", "integers", NULL, { "i32[2,2] = 2,1,1,3" } },
  { "_npi_eigh _npi_eigvalsh", "a batch", NULL, { "f32[2,2,2] = 2,9,1,3, 0,9,2,1" } },
  { "_npi_eigh _npi_eigvalsh", "upper", "UPLO=U", { "f64[2,2] = 2,1,9,3" } },
  { "_npi_eigh _npi_eigvalsh", "empty", NULL, { "f32[2,0,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_eig",
    "complex eigenvalues",
    NULL,
    { "f32[2,2] = 0,1,-1,0" },
    "matrix 0 has complex eigenvalues" },
  { "_npi_eigvals", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { "_npi_eigh", "half floats", NULL, { "f16[2,2]" }, "its type is float16" },
  { 0 },
};

TEST_PROGRAM (test_linalg_eigen)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-eigen", hyb_ops_linalg_eigen, samples, refusals);

  return g_test_run ();
}
