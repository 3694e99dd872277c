/* test-numpy-diff.c — tests of differences: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_npi_diff", "last axis", NULL, { "f32[2,4]" } },
  { "_npi_diff", "twice, first axis", "n=2 axis=0", { "f32[4,2]" } },
  { "_npi_diff", "three times", "n=3", { "f32[2,5]" } },
  { "_npi_diff", "never", "n=0", { "f32[2,2]" } },
  { "_npi_diff", "as often as there are elements", "n=3", { "f32[2,3]" } },
  { "_npi_diff", "more often than possible", "n=100", { "f32[2,3]" } },
  { "_npi_diff", "the last order", "n=60", { "f32[60]" } },
  { "_npi_diff", "no elements", NULL, { "f32[2,0]" } },
  { "_npi_diff", "integers", NULL, { "i32[2,3] = 1,4,9,2,5,1" } },
  { "_npi_ediff1d", "a matrix", NULL, { "f32[2,3]" } },
  { "_npi_ediff1d",
    "both ends",
    "to_begin_arr_given=True to_end_arr_given=True",
    { "f32[4]", "f32[2,1]", "f32[3]" } },
  { "_npi_ediff1d",
    "an end and a number",
    "to_end_arr_given=True to_begin_scalar=7",
    { "f32[4]", "f32[2]" } },
  { "_npi_ediff1d", "a number behind", "to_end_scalar=7", { "f32[4]" } },
  { "_npi_ediff1d", "one element", "to_end_scalar=7", { "f32[1]" } },
  { "_npi_ediff1d", "no element", "to_end_arr_given=True", { "f32[0]", "f32[2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_npi_diff", "no axis", NULL, { "f32[]" }, "axis -1" },
  { "_npi_diff", "another axis", "axis=2", { "f32[2,3]" }, "axis 2" },
  { "_npi_diff", "too often", "n=61", { "f32[62]" }, "up to the 60th" },
  { "_npi_ediff1d",
    "two beginnings",
    "to_begin_arr_given=True to_begin_scalar=1",
    { "f32[2]", "f32[2]" },
    "both an input and a number" },
  { 0 },
};

TEST_PROGRAM (test_numpy_diff)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-diff", hyb_ops_numpy_diff, samples, refusals);
  return g_test_run ();
}
