/* test-pad.c — Pad: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Pad",
    "constant",
    "mode=constant constant_value=3 pad_width=(0,0,0,0,1,2,0,1)",
    { "f32[1,2,2,3]" } },
  { "Pad", "edge", "mode=edge pad_width=(0,0,0,0,2,1,1,0)", { "f32[1,1,2,3]" } },
  { "Pad", "reflection", "mode=reflect pad_width=(0,0,0,0,2,1,1,2)", { "f32[1,1,3,4]" } },
  { "Pad", "space", "mode=reflect pad_width=(0,0,0,0,1,0,0,1,1,1)", { "f32[1,1,2,2,2]" } },
  { "Pad", "integers", "mode=edge pad_width=(0,0,0,0,1,1,1,1)", { "i32[1,1,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Pad",
    "channels",
    "mode=constant pad_width=(0,0,1,0,0,0,0,0)",
    { "f32[1,1,2,2]" },
    "only 0 is supported" },
  { "Pad",
    "reflection of more than there is",
    "mode=reflect pad_width=(0,0,0,0,0,0,2,0)",
    { "f32[1,1,2,2]" },
    "too few for 2 of padding" },
  { "Pad", "two axes", "mode=edge pad_width=(1,1,1,1)", { "f32[2,2]" }, "pad_width" },
  { "Pad",
    "data of other dimensions",
    "mode=edge pad_width=(0,0,0,0,1,1,1,1)",
    { "f32[1,2,2]" },
    "data" },
  { "Pad", "negative", "mode=edge pad_width=(0,0,0,0,-1,0,0,0)", { "f32[1,1,2,2]" }, "pad_width" },
  { 0 },
};

TEST_PROGRAM (test_pad)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("pad", hyb_ops_pad, samples, refusals);

  return g_test_run ();
}
