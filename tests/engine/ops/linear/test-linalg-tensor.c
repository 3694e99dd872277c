/* test-linalg-tensor.c — inverse and equations of arrays: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_tensorinv", "two axes of rows", NULL, { "f64[2,1,2] = 1,2,3,-4" } },
  { "_npi_tensorinv",
    "one axis of rows",
    "ind=1",
    { "f64[4,2,2] = 1,2,0,0, 0,3,1,0, 0,0,2,1, 1,0,0,3" } },
  { "_npi_tensorsolve", "axes in order", NULL, { "f64[2,1,2] = 1,2,3,-4", "f64[2,1]" } },
  { "_npi_tensorsolve",
    "axes moved",
    "a_axes=(0,-2)",
    { "f64[2,2,4] = 1,2,0,0, 0,3,1,0, 0,0,2,1, 1,0,0,3", "f64[4]" } },
  { "_npi_tensorsolve", "integers", NULL, { "i32[2,2] = 1,2,3,-4", "i32[2] = 1,2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_tensorinv", "not square", NULL, { "f32[2,3,2]" }, "matrix of 6 × 2" },
  { "_npi_tensorinv", "singular", NULL, { "f32[2,1,2] = 1,2,2,4" }, "matrix 0 is singular" },
  { "_npi_tensorinv", "too few dimensions", "ind=3", { "f32[1,1]" }, "ind is 3" },
  { "_npi_tensorsolve", "not square", NULL, { "f32[2,3,2]", "f32[2]" }, "matrix of 2 × 6" },
  { "_npi_tensorsolve", "other elements", NULL, { "f32[2,3,6]", "f32[2,2]" }, "B has 4 elements" },
  { "_npi_tensorsolve",
    "one axis twice",
    "a_axes=(0,0)",
    { "f32[2,2]", "f32[2]" },
    "axis 0 of a_axes" },
  /* The last place of the first axis would be before the array of axes. */
  { "_npi_tensorsolve",
    "one axis more than A has",
    "a_axes=(0,0)",
    { "f32[1]", "f32[1]" },
    "a_axes has 2 axes, more than the 1 of A" },
  { "_npi_tensorsolve",
    "many more axes than A has",
    "a_axes=(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)",
    { "f32[1]", "f32[1]" },
    "a_axes has 16 axes" },
  { "_npi_tensorsolve",
    "no such axis",
    "a_axes=(2,)",
    { "f32[2,2]", "f32[2]" },
    "axis 2 of a_axes" },
  { "_npi_tensorsolve",
    "singular",
    NULL,
    { "f32[2,2] = 1,2,2,4", "f32[2]" },
    "matrix 0 is singular" },
  { 0 },
};

TEST_PROGRAM (test_linalg_tensor)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-tensor", hyb_ops_linalg_tensor, samples, refusals);

  return g_test_run ();
}
