/* test-group-norm.c — GroupNorm and InstanceNorm: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "GroupNorm", "one group", NULL, { "f32[2,4,3]", "f32[1]", "f32[1]" } },
  { "GroupNorm", "two groups", "num_groups=2", { "f32[2,4,2,2]", "f32[2]", "f32[2]" } },
  { "GroupNorm",
    "statistics shown",
    "num_groups=2 output_mean_var=True",
    { "f32[2,4,3]", "f32[2]", "f32[2]" },
    OP_SKIP_GRADIENT },
  { "InstanceNorm", "plane", NULL, { "f32[2,3,3,2]", "f32[3]", "f32[3]" } },
  { "InstanceNorm", "line", "eps=1e-5", { "f32[2,2,4]", "f32[2]", "f32[2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "GroupNorm",
    "channels that cannot be grouped",
    "num_groups=2",
    { "f32[2,3,4]", "f32[2]", "f32[2]" },
    "3 channels cannot be split into 2 groups" },
  { "GroupNorm InstanceNorm",
    "no spatial axis",
    NULL,
    { "f32[2,3]", "f32[1]", "f32[1]" },
    "dimensions" },
  { 0 },
};

TEST_PROGRAM (test_group_norm)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("group-norm", hyb_ops_group_norm, samples, refusals);

  return g_test_run ();
}
