/* test-mixed-arithmetic.c — tests of arithmetic of two tensors that may differ in element type: samples and refusals for
 * op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "one shape",
    NULL,
    { "f32[2,3] 0.31..2", "f32[2,3] 0.5..1.5" } },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "both enlarged",
    NULL,
    { "f32[2,1,3] 0.31..2", "f32[1,4,1] 0.5..1.5" } },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "no dimensions",
    NULL,
    { "f32[] 0.31..2", "f32[3] 0.5..1.5" } },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "two floats",
    NULL,
    { "f32[2,3] 0.31..2", "f64[3] 0.5..1.5" },
    OP_SKIP_GRADIENT },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "float and integer",
    NULL,
    { "f32[2,3] 0.31..2", "i32[3] 1..4" } },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "integer and float",
    NULL,
    { "i64[2,3] 1..4", "f32[3] 1.2..2" } },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "integers",
    NULL,
    { "i32[2,3] 1..4", "i32[2,3] 1..4" } },
  { "_npi_add _npi_subtract _npi_multiply _npi_mod _npi_power _npi_true_divide",
    "no element",
    NULL,
    { "f32[0,3]", "f32[1,3]" } },
  { "_npi_add _npi_multiply", "bool and integer", NULL, { "i8[3] 1..4", "bool[3] = 1,0,1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_subtract",
    "two bools",
    NULL,
    { "bool[2] = 1,0", "bool[2] = 1,1" },
    "cannot be combined" },
  { "_npi_mod",
    "two kinds of integer",
    NULL,
    { "i32[2] 1..3", "i64[2] 1..3" },
    "int32 and int64 cannot be combined" },
  { "_npi_add", "shapes that do not fit", NULL, { "f32[2,3]", "f32[2]" }, "(2, 3)" },
  { 0 },
};

TEST_PROGRAM (test_mixed_arithmetic)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("mixed-arithmetic", hyb_ops_mixed_arithmetic, samples, refusals);
  return g_test_run ();
}
