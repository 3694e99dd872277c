/* test-numpy-axes.c — tests of moved axes, rotations and diagonals: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_np_moveaxis", "one axis", "source=(0,) destination=(-1,)", { "f32[2,3,1]" } },
  { "_np_moveaxis", "two axes", "source=(0,1) destination=(-1,0)", { "f32[2,3,2]" } },
  { "_np_moveaxis", "no element", "source=(0,) destination=(1,)", { "f32[0,2]" } },
  { "_npi_rot90", "a quarter", "k=1 axes=(0,1)", { "f32[2,3]" } },
  { "_npi_rot90", "a half", "k=2", { "f32[2,3]" } },
  { "_npi_rot90", "back", "k=-1 axes=(1,2)", { "f32[2,2,3]" } },
  { "_np_diag", "vector", "k=1", { "f32[3]" } },
  { "_np_diag", "matrix", "k=-1", { "f32[2,3]" } },
  { "_np_diag", "outside", "k=5", { "f32[2,3]" } },
  { "_np_diag", "no element", NULL, { "f32[0]" } },
  { "_np_diagflat", "matrix", "k=-1", { "f32[2,2]" } },
  { "_np_diagonal _np_trace", "matrix", NULL, { "f32[2,3]" } },
  { "_np_diagonal _np_trace", "other axes", "offset=1 axis1=2 axis2=0", { "f32[2,3,3]" } },
  { "_np_diagonal _np_trace", "outside", "offset=9", { "f32[2,3]" } },
  { "_np_trace", "integers", NULL, { "i32[2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_np_moveaxis",
    "an axis twice",
    "source=(0,0) destination=(0,1)",
    { "f32[2,3]" },
    "named twice" },
  { "_np_moveaxis",
    "an axis that is not there",
    "source=(2,) destination=(0,)",
    { "f32[2,3]" },
    "axis 2 is outside" },
  { "_np_moveaxis",
    "a place that is not there",
    "source=(0,) destination=(-3,)",
    { "f32[2,3]" },
    "axis -3 is outside" },
  { "_npi_rot90", "one axis", "axes=(0,)", { "f32[2,3]" }, "two axes" },
  { "_np_diag", "three axes", NULL, { "f32[2,2,2]" }, "1 or 2 are needed" },
  { "_np_trace", "one axis twice", "axis1=0 axis2=0", { "f32[2,2]" }, "both axis 0" },
  { 0 },
};

TEST_PROGRAM (test_numpy_axes)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-axes", hyb_ops_numpy_axes, samples, refusals);
  return g_test_run ();
}
