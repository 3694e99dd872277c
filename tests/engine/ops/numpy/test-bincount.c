/* test-bincount.c — tests of counts of whole numbers: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {

  { "_npi_bincount", "numbers", NULL, { "i32[4] = 1,3,1,0" } },
  { "_npi_bincount", "a least length", "minlength=6", { "u8[4] = 1,3,1,0" } },
  { "_npi_bincount", "a least length that is reached", "minlength=4", { "i32[4] = 1,3,1,0" } },
  { "_npi_bincount", "weights", "has_weights=True", { "i32[4] = 1,3,1,0", "f32[4]" } },
  { "_npi_bincount", "no numbers", NULL, { "i32[0]" } },
  { "_npi_bincount", "no numbers, a least length", "minlength=3", { "i32[0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_npi_bincount", "a negative number", NULL, { "i32[2] = 1,-1" }, "element 1 is -1" },
  { "_npi_bincount", "floats", NULL, { "f32[2] = 1,2" }, "whole numbers" },
  { "_npi_bincount", "a matrix", NULL, { "i32[1,2] = 1,2" }, "data" },
  { "_npi_bincount", "too few weights", "has_weights=True", { "i32[2] = 1,2", "f32[1]" }, "(2,)" },
  { 0 },
};

TEST_PROGRAM (test_bincount)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("bincount", hyb_ops_bincount, samples, refusals);
  return g_test_run ();
}
