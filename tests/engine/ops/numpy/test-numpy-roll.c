/* test-numpy-roll.c — tests of rolls: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_np_roll", "all", "shift=(1,)", { "f32[2,3]" } },
  { "_np_roll", "one axis", "shift=(-1,) axis=(1,)", { "f32[2,3]" } },
  { "_np_roll", "two axes", "shift=(1,2) axis=(0,-1)", { "f32[2,3]" } },
  { "_np_roll", "one shift of two axes", "shift=(1,) axis=(0,1)", { "f32[2,3]" } },
  { "_np_roll", "farther than the axis", "shift=(-7,) axis=(0,)", { "f32[3,2]" } },
  { "_np_roll", "no elements", "shift=(1,)", { "f32[0,3]" } },
  { "_np_roll", "a number", "shift=(1,)", { "f32[]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_np_roll", "no shift", NULL, { "f32[3]" }, "shift is empty" },
  { "_np_roll", "two shifts of a row", "shift=(1,2)", { "f32[3]" }, "2 shifts for 0" },
  { "_np_roll", "too many shifts", "shift=(1,2) axis=(0,)", { "f32[3]" }, "2 shifts for 1" },
  { "_np_roll", "an axis twice", "shift=(1,2) axis=(0,-1)", { "f32[3]" }, "named twice" },
  { "_np_roll", "no such axis", "shift=(1,) axis=(1,)", { "f32[3]" }, "axis 1" },
  { 0 },
};

TEST_PROGRAM (test_numpy_roll)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-roll", hyb_ops_numpy_roll, samples, refusals);
  return g_test_run ();
}
