/* test-linalg-svd.c — NumPy's svd: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_svd", "wide", NULL, { "f64[2,3] = 1,2,3, -3,4,1" } },
  { "_npi_svd", "square", NULL, { "f64[2,2] = 1,2,3,-4" } },
  { "_npi_svd", "a batch", NULL, { "f32[2,1,2] = 1,2, 3,-4" } },
  { "_npi_svd", "empty", NULL, { "f32[2,0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_svd", "tall", NULL, { "f32[3,2]" }, "3 rows and 2 columns" },
  { "_npi_svd", "integers", NULL, { "i32[2,2]" }, "its type is int32" },
  { 0 },
};

TEST_PROGRAM (test_linalg_svd)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-svd", hyb_ops_linalg_svd, samples, refusals);

  return g_test_run ();
}
