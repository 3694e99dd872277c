/* test-upsampling.c — UpSampling: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "UpSampling", "repeated cells", "scale=2 sample_type=nearest num_args=1", { "f32[2,2,2,3]" } },
  { "UpSampling",
    "channels after channels",
    "scale=2 sample_type=nearest num_args=2",
    { "f32[1,2,2,4]", "f32[1,1,4,2]" } },
  { "UpSampling",
    "sum",
    "scale=2 sample_type=nearest num_args=2 multi_input_mode=sum",
    { "f32[1,2,2,2]", "f32[1,2,1,1]" } },
  { "UpSampling",
    "weighted, even",
    "scale=2 sample_type=bilinear num_args=2 num_filter=2",
    { "f32[1,2,2,3]", "f32[2,1,4,4]" } },
  { "UpSampling",
    "weighted, odd",
    "scale=3 sample_type=bilinear num_args=2 num_filter=1",
    { "f32[2,1,2,2]", "f32[1,1,5,5]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "UpSampling",
    "a size that does not divide",
    "scale=2 sample_type=nearest num_args=2",
    { "f32[1,2,2,2]", "f32[1,1,3,3]" },
    "cannot be scaled to 4" },
  { "UpSampling",
    "three axes",
    "scale=2 sample_type=nearest num_args=1",
    { "f32[2,2,3]" },
    "4 dimensions" },
  { "UpSampling", "no scale", "sample_type=nearest num_args=1", { "f32[1,2,2,2]" }, "scale" },
  { 0 },
};

TEST_PROGRAM (test_upsampling)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("upsampling", hyb_ops_upsampling, samples, refusals);

  return g_test_run ();
}
