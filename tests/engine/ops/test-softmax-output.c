/* test-softmax-output.c — what the common operator checks cannot know about SoftmaxOutput.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

static const OpSample samples[] = {
  { "SoftmaxOutput", "rows", NULL, { "f32[4,3]", "f32[4] = 0,2,1,1" } },
  { "SoftmaxOutput", "integer labels", NULL, { "f32[4,3]", "i32[4]" } },
  { "SoftmaxOutput", "probabilities as labels", NULL, { "f32[2,3]", "f32[2,3] 0..1" } },
  { "SoftmaxOutput", "labels outside", NULL, { "f32[3,2]", "f32[3] = -1,5,1e30" } },
  { "SoftmaxOutput",
    "channels",
    "multi_output=True normalization=valid use_ignore=True ignore_label=0",
    { "f32[2,3,2,2]", "f32[2,2,2] = 0,1,2,1" } },
  { "SoftmaxOutput",
    "flat labels of channels",
    "multi_output=True normalization=batch",
    { "f32[2,3,2,2]", "f32[2,4] = 0,1,2,1" } },
  { "SoftmaxOutput", "last axis", "preserve_shape=True", { "f32[2,3,4]", "f32[2,3] = 0,1,3" } },
  { "SoftmaxOutput", "smooth", "smooth_alpha=0.1", { "f32[3,4]", "f32[3] = 0,1,2" } },
  { "SoftmaxOutput", "incoming gradient", "out_grad=True", { "f32[3,4]", "f32[3] = 0,1,2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "SoftmaxOutput", "labels of another number", NULL, { "f32[4,3]", "f32[3]" }, "label: " },
  { "SoftmaxOutput",
    "smoothing above 1",
    "smooth_alpha=2",
    { "f32[4,3]", "f32[4]" },
    "smooth_alpha" },
  { 0 },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("softmax-output", hyb_ops_softmax_output, samples, refusals);

  return g_test_run ();
}
