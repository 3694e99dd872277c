/* test-tensordot.c — tests of sums of products over pairs of axes: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_np_dot", "matrices", NULL, { "f32[2,3]", "f32[3,4]" } },
  { "_np_dot", "vectors", NULL, { "f32[3]", "f32[3]" } },
  { "_np_dot", "a number", NULL, { "f32[]", "f32[2,3]" } },
  { "_np_dot", "two numbers", NULL, { "f32[]", "f32[]" } },
  { "_np_dot", "more axes", NULL, { "f32[2,1,3]", "f32[2,3,2]" } },
  { "_np_dot", "a vector on the right", NULL, { "f32[2,3]", "f32[3]" } },
  { "_np_dot", "no element", NULL, { "f32[2,0]", "f32[0,3]" } },
  { "_npi_tensordot",
    "two pairs",
    "a_axes_summed=(0,1) b_axes_summed=(1,0)",
    { "f32[2,3,1]", "f32[3,2,2]" } },
  { "_npi_tensordot",
    "negative axes",
    "a_axes_summed=(-2) b_axes_summed=(-1)",
    { "f32[2,3]", "f32[4,2]" } },
  { "_npi_tensordot_int_axes", "outer product", "axes=0", { "f32[2]", "f32[3]" } },
  { "_npi_tensordot_int_axes", "all axes", "axes=2", { "f32[2,3]", "f32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_np_dot", "sizes that differ", NULL, { "f32[2,3]", "f32[2,3]" }, "summed axes" },
  { "_npi_tensordot",
    "numbers of axes that differ",
    "a_axes_summed=(0,1) b_axes_summed=(0,)",
    { "f32[2,3]", "f32[2,3]" },
    "are summed with" },
  { "_npi_tensordot_int_axes",
    "too many axes",
    "axes=2",
    { "f32[2]", "f32[2,2]" },
    "2 axes are summed" },
  { 0 },
};

TEST_PROGRAM (test_tensordot)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("tensordot", hyb_ops_tensordot, samples, refusals);
  return g_test_run ();
}
