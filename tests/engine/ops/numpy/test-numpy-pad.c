/* test-numpy-pad.c — tests of pads: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_npi_pad", "zeros", "pad_width=((1,0),(2,1))", { "f32[2,3]" } },
  { "_npi_pad", "a constant", "pad_width=((1,1),) constant_value=2.5", { "f32[3]" } },
  { "_npi_pad", "less", "pad_width=((-1,0),(1,-2))", { "f32[2,3]" } },
  { "_npi_pad", "edges", "pad_width=((1,0),(2,1)) mode=edge", { "f32[2,3]" } },
  { "_npi_pad", "reflected", "pad_width=((1,0),(2,1)) mode=reflect", { "f32[2,3]" } },
  { "_npi_pad", "reflected often", "pad_width=((7,5),) mode=reflect", { "f32[3]" } },
  { "_npi_pad", "one reflected", "pad_width=((2,1),) mode=reflect", { "f32[1]" } },
  { "_npi_pad", "symmetric often", "pad_width=((0,0),(7,5)) mode=symmetric", { "f32[2,3]" } },
  { "_npi_pad",
    "largest",
    "pad_width=((1,0),(2,1)) mode=maximum",
    { "f32[2,3]" },
    OP_SKIP_GRADIENT },
  { "_npi_pad",
    "smallest",
    "pad_width=((1,1),(1,0),(0,1)) mode=minimum",
    { "f32[1,2,2]" },
    OP_SKIP_GRADIENT },
  { "_npi_pad", "around nothing", "pad_width=((2,1),(0,0))", { "f32[0,2]" } },
  { "_npi_pad", "a number", "pad_width=()", { "f32[]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_npi_pad", "a word", "pad_width=((a,1),)", { "f32[3]" }, "two numbers" },
  { "_npi_pad",
    "the smallest integer",
    "pad_width=((-9223372036854775808,1),)",
    { "f32[3]" },
    "two numbers" },
  { "_npi_pad", "one width", "pad_width=((1),)", { "f32[3]" }, "two numbers" },
  { "_npi_pad", "too few widths", "pad_width=((1,1),)", { "f32[3,2]" }, "2 widths for 2" },
  { "_npi_pad", "below nothing", "pad_width=((-2,-2),)", { "f32[3]" }, "cannot be padded" },
  { "_npi_pad", "less of edges", "pad_width=((-1,0),) mode=edge", { "f32[3]" }, "negative widths" },
  { "_npi_pad",
    "edges of nothing",
    "pad_width=((1,0),) mode=edge",
    { "f32[0]" },
    "nothing to repeat" },
  { 0 },
};

TEST_PROGRAM (test_numpy_pad)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-pad", hyb_ops_numpy_pad, samples, refusals);
  return g_test_run ();
}
