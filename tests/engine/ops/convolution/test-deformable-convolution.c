/* test-deformable-convolution.c — DeformableConvolution and ModulatedDeformableConvolution: the
 * checks of op-check.h on samples and refusals; without offsets they are a convolution; positions
 * around the image.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

/* Offsets keep every position away from cells and from the edge, where the value has a kink. */
static const OpSample samples[] = {
  { "_contrib_DeformableConvolution",
    "padded",
    "kernel=(2, 2) num_filter=2 pad=(1, 0)",
    { "f32[2,2,3,3]", "f32[2,8,4,2] 0.1..0.9", "f32[2,2,2,2]", "f32[2]" } },
  { "_contrib_DeformableConvolution",
    "groups, stride, dilation",
    "kernel=(1, 2) num_filter=4 stride=(2, 1) dilate=(1, 2) num_group=2 num_deformable_group=4 "
    "no_bias=True",
    { "f32[1,4,3,4]", "f32[1,16,2,2] 0.1..0.9", "f32[4,2,1,2]" } },
  { "_contrib_ModulatedDeformableConvolution",
    "padded",
    "kernel=(2, 2) num_filter=2 pad=(1, 0)",
    { "f32[1,2,3,3]", "f32[1,8,4,2] 0.1..0.9", "f32[1,4,4,2]", "f32[2,2,2,2]", "f32[2]" } },
  { "_contrib_ModulatedDeformableConvolution",
    "groups of offsets, steps of two images",
    "kernel=(1, 1) num_filter=2 num_deformable_group=2 num_group=2 no_bias=True im2col_step=2",
    { "f32[4,2,2,2]", "f32[4,4,2,2] -0.9..-0.1", "f32[4,2,2,2]", "f32[2,1,1,1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_DeformableConvolution",
    "offsets of other taps",
    "kernel=(2, 2) num_filter=1 no_bias=True",
    { "f32[1,1,3,3]", "f32[1,4,2,2]", "f32[1,1,2,2]" },
    "offset: " },
  { "_contrib_DeformableConvolution",
    "one axis",
    "kernel=(2,) num_filter=1 no_bias=True",
    { "f32[1,1,3]", "f32[1,4,2]", "f32[1,1,2]" },
    "kernel has 1 elements" },
  { "_contrib_DeformableConvolution",
    "channels that cannot be split",
    "kernel=(1, 1) num_filter=1 num_deformable_group=2 no_bias=True",
    { "f32[1,3,3,3]", "f32[1,4,3,3]", "f32[1,3,1,1]" },
    "num_deformable_group" },
  { "_contrib_DeformableConvolution",
    "window larger than the image",
    "kernel=(4, 1) num_filter=1 no_bias=True",
    { "f32[1,1,3,3]", "f32[1,8,1,3]", "f32[1,1,4,1]" },
    "the window spans 4 cells" },
  { "_contrib_DeformableConvolution",
    "layout of one axis",
    "kernel=(1, 1) num_filter=1 no_bias=True layout=NCW",
    { "f32[1,1,3,3]", "f32[1,2,3,3]", "f32[1,1,1,1]" },
    "layout is NCW" },
  { "_contrib_ModulatedDeformableConvolution",
    "mask of another size",
    "kernel=(1, 1) num_filter=1 no_bias=True",
    { "f32[1,1,3,3]", "f32[1,2,3,3]", "f32[1,1,3,2]", "f32[1,1,1,1]" },
    "mask: " },
  { "_contrib_ModulatedDeformableConvolution",
    "a batch that cannot be split",
    "kernel=(1, 1) num_filter=1 no_bias=True im2col_step=2",
    { "f32[3,1,1,1]", "f32[3,2,1,1]", "f32[3,1,1,1]", "f32[1,1,1,1]" },
    "the batch size 3 is not a multiple of im2col_step, 2" },
  { 0 },
};

static void
test_without_offsets_it_is_a_convolution (void)
{
  const char *attributes = "kernel=(3, 2) num_filter=3 stride=(1, 2) pad=(1, 1)";
  g_autoptr (HybTensor) plain =
      op_run ("Convolution", attributes, op_tensor_from_text ("f32[2,2,4,5]", 0),
              op_tensor_from_text ("f32[3,2,3,2]", 1), op_tensor_from_text ("f32[3]", 2), NULL);
  g_autoptr (HybTensor) deformable =
      op_run ("_contrib_DeformableConvolution", attributes, op_tensor_from_text ("f32[2,2,4,5]", 0),
              op_tensor_from_text ("f32[2,12,4,3] = 0", 0), op_tensor_from_text ("f32[3,2,3,2]", 1),
              op_tensor_from_text ("f32[3]", 2), NULL);
  g_autoptr (HybTensor) modulated =
      op_run ("_contrib_ModulatedDeformableConvolution", attributes,
              op_tensor_from_text ("f32[2,2,4,5]", 0), op_tensor_from_text ("f32[2,12,4,3] = 0", 0),
              op_tensor_from_text ("f32[2,6,4,3] = 1", 0), op_tensor_from_text ("f32[3,2,3,2]", 1),
              op_tensor_from_text ("f32[3]", 2), NULL);

  op_assert_same (deformable, plain, 1e-5);
  op_assert_same (modulated, plain, 1e-5);
}

/* A row of 2 and 3, read half a cell before, within and half a cell after, and at NaN.  The plain
 * kind has nothing before the first cell and keeps the last one; the modulated kind fades out. */
static void
test_positions_around_the_image (void)
{
  g_autoptr (HybTensor) deformable =
      op_run ("_contrib_DeformableConvolution",
              "kernel=(1, 1) num_filter=1 no_bias=True pad=(0, 1)",
              op_tensor ("f32[1,1,1,2]", 2., 3.),
              op_tensor ("f32[1,2,1,4]", 0., 0., 0., 0., 0.5, 0.25, 0.5, NAN),
              op_tensor ("f32[1,1,1,1]", 1.), NULL);
  g_autoptr (HybTensor) modulated =
      op_run ("_contrib_ModulatedDeformableConvolution",
              "kernel=(1, 1) num_filter=1 no_bias=True pad=(0, 1)",
              op_tensor ("f32[1,1,1,2]", 2., 3.),
              op_tensor ("f32[1,2,1,4]", 0., 0., 0., 0., 0.5, 0.25, 0.5, NAN),
              op_tensor ("f32[1,1,1,4]", 1., 1., 1., 1.), op_tensor ("f32[1,1,1,1]", 1.), NULL);

  op_assert_near (deformable, 0, 0., 2.25, 3., 0.);
  op_assert_near (modulated, 0, 1., 2.25, 1.5, 0.);
}

TEST_PROGRAM (test_deformable_convolution)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("deformable-convolution", hyb_ops_deformable_convolution, samples, refusals);
  g_test_add_func ("/engine/ops/deformable-convolution/without-offsets-it-is-a-convolution",
                   test_without_offsets_it_is_a_convolution);
  g_test_add_func ("/engine/ops/deformable-convolution/positions-around-the-image",
                   test_positions_around_the_image);

  return g_test_run ();
}
