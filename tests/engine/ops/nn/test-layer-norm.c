/* test-layer-norm.c — LayerNorm: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "LayerNorm", "last axis", NULL, { "f32[3,5]", "f32[5]", "f32[5]" } },
  { "LayerNorm", "axis in the middle", "axis=1 eps=0.01", { "f32[2,3,4]", "f32[3]", "f32[3]" } },
  { "LayerNorm", "first axis", "axis=0", { "f32[4,3]", "f32[4]", "f32[4]" } },
  { "LayerNorm",
    "longer than a block of sums",
    NULL,
    { "f32[1,70]", "f32[70]", "f32[70]" },
    OP_COARSE },
  { "LayerNorm",
    "statistics shown",
    "output_mean_var=True",
    { "f32[2,4]", "f32[4]", "f32[4]" },
    OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "LayerNorm",
    "axis out of range",
    "axis=2",
    { "f32[2,4]", "f32[4]", "f32[4]" },
    "axis 2 is outside" },
  { "LayerNorm", "beta of another size", NULL, { "f32[2,4]", "f32[4]", "f32[2]" }, "beta: " },
  { 0 },
};

TEST_PROGRAM (test_layer_norm)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("layer-norm", hyb_ops_layer_norm, samples, refusals);

  return g_test_run ();
}
