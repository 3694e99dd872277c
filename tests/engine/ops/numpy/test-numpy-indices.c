/* test-numpy-indices.c — tests of indices of elements: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_npi_diag_indices_from", "a matrix", NULL, { "f32[3,3]" } },
  { "_npi_diag_indices_from", "three axes", NULL, { "i32[2,2,2]" } },
  { "_npi_diag_indices_from", "no elements", NULL, { "f32[0,0]" } },
  { "_npi_nonzero", "a matrix", NULL, { "f32[2,3] = 0,2,0,1,0,3" } },
  { "_npi_nonzero", "none", NULL, { "i32[2,2] = 0,0,0,0" } },
  { "_npi_nonzero", "all", NULL, { "f32[3] = 1,2,3" } },
  { "_npi_nonzero", "a number", NULL, { "f32[] = 3" } },
  { "_npi_nonzero", "no elements", NULL, { "f32[0,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_npi_diag_indices_from", "a vector", NULL, { "f32[2]" }, "1 dimensions" },
  { "_npi_diag_indices_from", "no square", NULL, { "f32[2,3]" }, "the sizes of the axes" },
  { 0 },
};

TEST_PROGRAM (test_numpy_indices)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-indices", hyb_ops_numpy_indices, samples, refusals);
  return g_test_run ();
}
