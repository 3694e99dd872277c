/* test-convolution.c — Convolution: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Convolution",
    "plane",
    "kernel=(3, 3) num_filter=2",
    { "f32[1,2,5,4]", "f32[2,2,3,3]", "f32[2]" } },
  { "Convolution",
    "one cell",
    "kernel=(1, 1) num_filter=3",
    { "f32[2,2,3,2]", "f32[3,2,1,1]", "f32[3]" } },
  { "Convolution",
    "one cell and a stride",
    "kernel=(1, 1) stride=(2, 2) num_filter=2 no_bias=True",
    { "f32[1,2,3,3]", "f32[2,2,1,1]" } },
  { "Convolution",
    "every attribute differs by axis",
    "kernel=(2, 3) stride=(1, 2) dilate=(2, 1) pad=(0, 2) num_filter=2",
    { "f32[1,2,5,4]", "f32[2,2,2,3]", "f32[2]" } },
  { "Convolution",
    "padding wider than the window",
    "kernel=(2, 2) pad=(3, 3) stride=(3, 3) num_filter=1 no_bias=True",
    { "f32[1,1,2,2]", "f32[1,1,2,2]" } },
  { "Convolution",
    "groups",
    "kernel=(2, 2) num_filter=4 num_group=2 pad=(1, 1)",
    { "f32[2,4,2,2]", "f32[4,2,2,2]", "f32[4]" } },
  { "Convolution",
    "one channel a group",
    "kernel=(3, 2) num_filter=4 num_group=2 pad=(1, 0) stride=(1, 2)",
    { "f32[2,2,3,5]", "f32[4,1,3,2]", "f32[4]" } },
  { "Convolution",
    "line",
    "kernel=(3,) num_filter=2 pad=(1,)",
    { "f32[2,2,5]", "f32[2,2,3]", "f32[2]" } },
  { "Convolution",
    "space",
    "kernel=(2, 1, 2) num_filter=2 stride=(2, 1, 1) pad=(1, 0, 0)",
    { "f32[1,2,3,2,3]", "f32[2,2,2,1,2]", "f32[2]" } },
  { "Convolution",
    "half floats",
    "kernel=(2,) num_filter=1",
    { "f16[1,1,3]", "f16[1,1,2]", "f16[1]" },
    OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Convolution",
    "data without spatial axes enough",
    "kernel=(3, 3) num_filter=2",
    { "f32[2,3,5]", "f32[2,3,3,3]", "f32[2]" },
    "data: it must have 4 dimensions" },
  { "Convolution",
    "channels that cannot be grouped",
    "kernel=(1, 1) num_filter=4 num_group=2 no_bias=True",
    { "f32[1,3,4,4]", "f32[4,1,1,1]" },
    "3 channels cannot be split into 2 groups" },
  { "Convolution",
    "filters that cannot be grouped",
    "kernel=(1, 1) num_filter=3 num_group=2 no_bias=True",
    { "f32[1,4,4,4]", "f32[3,2,1,1]" },
    "3 filters cannot be split into 2 groups" },
  { "Convolution",
    "kernel larger than the data",
    "kernel=(5, 5) num_filter=2 no_bias=True",
    { "f32[1,1,3,3]", "f32[2,1,5,5]" },
    "spans 5 cells" },
  { "Convolution",
    "channels last",
    "kernel=(2, 2) num_filter=2 no_bias=True layout=NHWC",
    { "f32[1,3,3,2]", "f32[2,2,2,2]" },
    "NHWC is supported on GPUs only" },
  { "Convolution",
    "stride of another length",
    "kernel=(2, 2) num_filter=2 no_bias=True stride=(2,)",
    { "f32[1,1,3,3]", "f32[2,1,2,2]" },
    "stride: " },
  { "Convolution",
    "stride 0",
    "kernel=(2, 2) num_filter=2 no_bias=True stride=(0, 1)",
    { "f32[1,1,3,3]", "f32[2,1,2,2]" },
    "stride: " },
  { 0 },
};

TEST_PROGRAM (test_convolution)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("convolution", hyb_ops_convolution, samples, refusals);

  return g_test_run ();
}
