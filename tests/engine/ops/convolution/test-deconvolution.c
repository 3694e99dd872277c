/* test-deconvolution.c — Deconvolution: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Deconvolution", "plane", "kernel=(3, 3) num_filter=2", { "f32[1,2,3,2]", "f32[2,2,3,3]" } },
  { "Deconvolution",
    "bias",
    "kernel=(2, 2) num_filter=3 no_bias=False",
    { "f32[2,2,2,2]", "f32[2,3,2,2]", "f32[3]" } },
  { "Deconvolution",
    "one cell with bias",
    "kernel=(1,) num_filter=3 no_bias=False",
    { "f32[2,2,3]", "f32[2,3,1]", "f32[3]" } },
  { "Deconvolution",
    "every attribute differs by axis",
    "kernel=(2, 3) stride=(3, 2) dilate=(2, 1) pad=(1, 0) adj=(2, 1) num_filter=2",
    { "f32[1,2,2,3]", "f32[2,2,2,3]" } },
  { "Deconvolution",
    "wanted size",
    "kernel=(4, 3) stride=(2, 2) target_shape=(6, 6) num_filter=1",
    { "f32[1,2,3,3]", "f32[2,1,4,3]" } },
  { "Deconvolution",
    "groups",
    "kernel=(2, 2) num_filter=4 num_group=2",
    { "f32[1,4,2,2]", "f32[4,2,2,2]" } },
  { "Deconvolution",
    "windows side by side with bias, groups",
    "kernel=(2, 3) stride=(2, 3) num_filter=4 num_group=2 no_bias=False",
    { "f32[2,4,2,3]", "f32[4,2,2,3]", "f32[4]" } },
  { "Deconvolution",
    "one channel a group",
    "kernel=(4, 4) stride=(2, 2) pad=(1, 1) num_filter=3 num_group=3",
    { "f32[1,3,2,2]", "f32[3,1,4,4]" } },
  { "Deconvolution",
    "space",
    "kernel=(2, 2, 1) stride=(2, 1, 2) num_filter=2",
    { "f32[1,1,2,2,3]", "f32[1,2,2,2,1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Deconvolution",
    "adj not below stride",
    "kernel=(3,) stride=(2,) adj=(2,) num_filter=1",
    { "f32[1,1,3]", "f32[1,1,3]" },
    "adj: " },
  { "Deconvolution",
    "wanted size too large",
    "kernel=(3,) target_shape=(9,) num_filter=1",
    { "f32[1,1,3]", "f32[1,1,3]" },
    "cannot become 9" },
  { "Deconvolution",
    "channels that cannot be grouped",
    "kernel=(1,) num_filter=2 num_group=2",
    { "f32[1,3,3]", "f32[3,1,1]" },
    "3 channels cannot be split into 2 groups" },
  { "Deconvolution",
    "channels last",
    "kernel=(2, 2) num_filter=2 layout=NHWC",
    { "f32[1,3,3,2]", "f32[2,2,2,2]" },
    "NHWC is supported on GPUs only" },
  { 0 },
};

TEST_PROGRAM (test_deconvolution)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("deconvolution", hyb_ops_deconvolution, samples, refusals);

  return g_test_run ();
}
