/* test-comparison.c — tests of comparisons whose result is bool: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_equal _npi_not_equal _npi_greater _npi_less _npi_greater_equal _npi_less_equal",
    "both enlarged",
    NULL,
    { "f32[2,1,3] = 0,1,2,0,-1,7", "f32[1,4,1] = 1,0,2,7" } },
  { "_npi_equal _npi_not_equal _npi_greater _npi_less _npi_greater_equal _npi_less_equal",
    "integers",
    NULL,
    { "i64[2,3]", "i64[2,1]" } },
  { "_npi_equal _npi_not_equal _npi_greater _npi_less _npi_greater_equal _npi_less_equal",
    "bools",
    NULL,
    { "bool[2] = 1,0", "bool[1] = 1" } },
  { "_npi_equal _npi_not_equal _npi_greater _npi_less _npi_greater_equal _npi_less_equal",
    "no dimensions",
    NULL,
    { "f32[]", "f32[]" } },
  { "_npi_equal _npi_not_equal _npi_greater _npi_less _npi_greater_equal _npi_less_equal",
    "no element",
    NULL,
    { "f32[0,3]", "f32[3]" } },
  { "_npi_equal_scalar _npi_not_equal_scalar _npi_greater_scalar _npi_less_scalar "
    "_npi_greater_equal_scalar _npi_less_equal_scalar",
    "floats",
    "scalar=0.5 is_int=False",
    { "f32[2,3]" } },
  { "_npi_equal_scalar _npi_not_equal_scalar _npi_greater_scalar _npi_less_scalar "
    "_npi_greater_equal_scalar _npi_less_equal_scalar",
    "integers",
    "scalar=2.5 is_int=False",
    { "i32[4] = 1,2,3,4" } },
  { "_npi_equal_scalar _npi_not_equal_scalar _npi_greater_scalar _npi_less_scalar "
    "_npi_greater_equal_scalar _npi_less_equal_scalar",
    "bools",
    "scalar=1",
    { "bool[2] = 1,0" } },
  { "_npi_logical_not _npi_isnan _npi_isinf _npi_isposinf _npi_isneginf _npi_isfinite",
    "floats",
    NULL,
    { "f32[5] = 0,1,nan,inf,-inf" } },
  { "_npi_logical_not _npi_isnan _npi_isinf _npi_isposinf _npi_isneginf _npi_isfinite",
    "integers",
    NULL,
    { "i32[2] = 0,1" } },
  { "_npi_logical_not _npi_isnan _npi_isinf _npi_isposinf _npi_isneginf _npi_isfinite",
    "no dimensions",
    NULL,
    { "f32[]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_equal", "two element types", NULL, { "f32[2]", "i32[2]" }, "float32" },
  { 0 },
};

TEST_PROGRAM (test_comparison)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("comparison", hyb_ops_comparison, samples, refusals);
  return g_test_run ();
}
