/* test-adaptive-pooling.c — AdaptiveAvgPooling2D: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "*", "one mean", NULL, { "f32[2,3,3,4]" } },
  { "*", "unequal windows", "output_size=(2, 3)", { "f32[1,2,5,7]" } },
  { "*", "more windows than cells", "output_size=4", { "f32[1,1,3,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_AdaptiveAvgPooling2D",
    "no window",
    "output_size=0",
    { "f32[1,1,3,2]" },
    "output_size" },
  { "_contrib_AdaptiveAvgPooling2D", "three axes", NULL, { "f32[1,3,2]" }, "data: " },
  { 0 },
};

TEST_PROGRAM (test_adaptive_pooling)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("adaptive-pooling", hyb_ops_adaptive_pooling, samples, refusals);

  return g_test_run ();
}
