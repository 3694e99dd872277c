/* test-numpy-unary.c — tests of roundings, replacements and inverted bits: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_around", "decimals", "decimals=1", { "f32[4] = 0.25,-1.26,3,0.15" } },
  { "_npi_around", "integers", "decimals=-1", { "i32[3] = 14,15,26" } },
  { "_npi_around", "no dimensions", NULL, { "f32[]" } },
  { "_npi_nan_to_num", "floats", "nan=3", { "f32[4] = nan,1,-2,0" }, OP_SKIP_GRADIENT },
  { "_npi_nan_to_num", "finite", NULL, { "f32[4]" } },
  { "_npi_nan_to_num", "bool", NULL, { "bool[2] = 1,0" } },
  { "_npi_bitwise_not", "integers", NULL, { "i8[3] = 1,-2,0" } },
  { "_npi_bitwise_not", "bools", NULL, { "bool[2] = 1,0" } },
  { "_npi_bitwise_not", "no element", NULL, { "i64[0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_bitwise_not", "floats", NULL, { "f32[2]" }, "this needs integers" },
  { 0 },
};

TEST_PROGRAM (test_numpy_unary)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-unary", hyb_ops_numpy_unary, samples, refusals);
  return g_test_run ();
}
