/* test-linalg-pinv.c — NumPy's pseudo-inverses: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_pinv_scalar_rcond", "wide", NULL, { "f64[2,3] = 1,2,3, -3,4,1" } },
  { "_npi_pinv_scalar_rcond", "tall", "rcond=0.1", { "f64[2,3,2] = 1,2,3,-3,4,1, 1,0,0,0,0,2" } },
  { "_npi_pinv_scalar_rcond", "zero", NULL, { "f32[2,2] = 0,0,0,0" } },
  { "_npi_pinv_scalar_rcond", "empty", NULL, { "f32[0,2]" } },
  { "_npi_pinv", "one number", NULL, { "f64[2,3] = 1,2,3, -3,4,1", "f64[] = 0.1" } },
  { "_npi_pinv", "one for each", NULL, { "f64[3,2,1] = 1,2,3,-3,4,1", "f64[3] = 0.1,0,2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_pinv", "too many", NULL, { "f32[2,2,3]", "f32[3]" }, "axis 0 of rcond" },
  { "_npi_pinv", "two dimensions", NULL, { "f32[2,2,3]", "f32[2,1]" }, "axis 0 of rcond" },
  { "_npi_pinv_scalar_rcond", "a vector", NULL, { "f32[2]" }, "A has 1 dimensions" },
  { 0 },
};

TEST_PROGRAM (test_linalg_pinv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-pinv", hyb_ops_linalg_pinv, samples, refusals);

  return g_test_run ();
}
