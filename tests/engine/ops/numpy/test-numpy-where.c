/* test-numpy-where.c — tests of choices between tensors or numbers: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_where", "broadcast", NULL, { "bool[3] = 1,0,1", "f32[2,3]", "f32[]" } },
  { "_npi_where", "integers", NULL, { "f32[2,1] = 0,1", "i32[2]", "i32[2]" } },
  { "_npi_where", "no element", NULL, { "f32[0]", "f32[2,1]", "f32[1]" } },
  { "_npi_where_lscalar _npi_where_rscalar",
    "a number",
    "scalar=2.5",
    { "i32[2,1] = 0,1", "f32[2,2]" } },
  { "_npi_where_scalar2", "two numbers", "x=1 y=2.5", { "bool[2] = 1,0" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_where", "two types", NULL, { "bool[2] = 1,0", "f32[2]", "i32[2]" }, "float32" },
  { 0 },
};

TEST_PROGRAM (test_numpy_where)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-where", hyb_ops_numpy_where, samples, refusals);
  return g_test_run ();
}
