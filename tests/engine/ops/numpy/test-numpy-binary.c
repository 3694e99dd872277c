/* test-numpy-binary.c — tests of functions of two tensors of one type, or of a tensor and a number: samples and refusals for
 * op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_copysign _npi_arctan2 _npi_ldexp",
    "both enlarged",
    NULL,
    { "f32[2,1,3] 0.31..2", "f32[1,4,1] -1.5..-0.5" } },
  { "_npi_copysign _npi_arctan2 _npi_ldexp",
    "no dimensions",
    NULL,
    { "f32[] 0.31..2", "f32[2] 0.5..1.5" } },
  { "_npi_copysign _npi_ldexp", "integers", NULL, { "i32[3] = 1,-2,3", "i32[3] = 2,1,-1" } },
  { "_npi_bitwise_and _npi_bitwise_or _npi_bitwise_xor _npi_lcm",
    "integers",
    NULL,
    { "i32[2,3] 0..9", "i32[3] 0..9" } },
  { "_npi_bitwise_and _npi_bitwise_or _npi_bitwise_xor _npi_lcm",
    "bools",
    NULL,
    { "bool[2] = 1,0", "bool[2] = 1,1" } },
  { "_npi_bitwise_and _npi_bitwise_or _npi_bitwise_xor _npi_lcm",
    "no element",
    NULL,
    { "i64[0]", "i64[1]" } },
  { "_npi_copysign_scalar _npi_rcopysign_scalar _npi_arctan2_scalar _npi_rarctan2_scalar "
    "_npi_ldexp_scalar _npi_rldexp_scalar _npi_true_divide_scalar _npi_rtrue_divide_scalar",
    "positive number",
    "scalar=1.5 is_int=False",
    { "f32[2,3] 0.31..2" } },
  { "_npi_copysign_scalar _npi_rcopysign_scalar _npi_arctan2_scalar _npi_rarctan2_scalar "
    "_npi_ldexp_scalar _npi_rldexp_scalar _npi_true_divide_scalar _npi_rtrue_divide_scalar",
    "negative number",
    "scalar=-1.5 is_int=False",
    { "f32[2,3] -2..-0.31" } },
  { "_npi_copysign_scalar _npi_rcopysign_scalar _npi_arctan2_scalar _npi_rarctan2_scalar "
    "_npi_ldexp_scalar _npi_rldexp_scalar _npi_true_divide_scalar _npi_rtrue_divide_scalar",
    "integers",
    "scalar=3",
    { "i32[3] = 1,2,3" } },
  { "_npi_copysign_scalar _npi_rcopysign_scalar _npi_arctan2_scalar _npi_rarctan2_scalar "
    "_npi_ldexp_scalar _npi_rldexp_scalar _npi_true_divide_scalar _npi_rtrue_divide_scalar",
    "bool",
    "scalar=3",
    { "bool[2] = 1,1" } },
  { "_npi_bitwise_and_scalar _npi_bitwise_or_scalar _npi_bitwise_xor_scalar _npi_lcm_scalar",
    "integers",
    "scalar=6",
    { "i32[4] = 3,2,1,7" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_bitwise_and", "floats", NULL, { "f32[2]", "f32[2]" }, "this needs integers" },
  { "_npi_arctan2", "integers", NULL, { "i32[2]", "i32[2]" }, "this needs floats" },
  { 0 },
};

TEST_PROGRAM (test_numpy_binary)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-binary", hyb_ops_numpy_binary, samples, refusals);
  return g_test_run ();
}
