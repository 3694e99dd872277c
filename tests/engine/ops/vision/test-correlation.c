/* test-correlation.c — Correlation: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Correlation", "padded", "pad_size=1", { "f32[1,2,3,3]", "f32[1,2,3,3]" } },
  { "Correlation",
    "strides and patches",
    "kernel_size=3 max_displacement=2 stride1=2 stride2=2 pad_size=3",
    { "f32[1,1,4,5]", "f32[1,1,4,5]" } },
  { "Correlation",
    "differences",
    "pad_size=1 is_multiply=False",
    { "f32[1,2,3,3]", "f32[1,2,3,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Correlation", "no room", "max_displacement=2", { "f32[1,1,4,4]", "f32[1,1,4,4]" }, "no room" },
  { "Correlation",
    "even patches",
    "kernel_size=2",
    { "f32[1,1,4,4]", "f32[1,1,4,4]" },
    "kernel_size" },
  { "Correlation",
    "images of two sizes",
    NULL,
    { "f32[1,1,4,4]", "f32[1,1,4,5]" },
    "(1, 1, 4, 5)" },
  { 0 },
};

TEST_PROGRAM (test_correlation)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("correlation", hyb_ops_correlation, samples, refusals);

  return g_test_run ();
}
