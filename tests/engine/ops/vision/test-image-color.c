/* test-image-color.c — brightness, contrast, saturation, hue and lighting of images: the checks of
 * op-check.h on samples and refusals; bytes; what has no effect.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_image_random_brightness _image_random_contrast _image_random_saturation _image_random_hue",
    "colours",
    "min_factor=0.3 max_factor=1.4",
    { "f32[2,3,3] 0..255" } },
  { "_image_random_brightness _image_random_contrast _image_random_saturation _image_random_hue",
    "grey bytes",
    "min_factor=0.3 max_factor=1.4",
    { "u8[2,3,1]" } },
  { "_image_random_color_jitter",
    "colours",
    "brightness=0.1 contrast=0.2 saturation=0.3 hue=0.4",
    { "f32[2,3,3] 0..255" } },
  { "_image_random_lighting", "colours", NULL, { "f32[2,3,3] 0..255" } },
  { "_image_adjust_lighting", "colours", "alpha=(0.1, -0.2, 0.3)", { "f32[2,3,3] 0..255" } },
  { "_image_adjust_lighting", "bytes", "alpha=(0.1, -0.2, 0.3)", { "u8[2,3,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_image_adjust_lighting", "two parts", "alpha=(1, 2)", { "f32[2,3,3]" }, "alpha has 2" },
  { "_image_random_hue",
    "two channels",
    "min_factor=0 max_factor=1",
    { "f32[2,3,2]" },
    "1 or 3 channels" },
  { "_image_random_brightness",
    "several images",
    "min_factor=0 max_factor=1",
    { "f32[1,2,3,3]" },
    "data: " },
  { "_image_random_brightness",
    "negative factor",
    "min_factor=-1 max_factor=1",
    { "f32[2,3,3]" },
    "min_factor" },
  { 0 },
};

static void
test_bytes_are_clamped (void)
{
  g_autoptr (HybTensor) bright =
      op_run ("_image_random_brightness", "min_factor=1.5 max_factor=1.5",
              op_tensor ("u8[1,1,3]", 3., 170., 171.), NULL);

  op_assert_near (bright, 0, 4., 255., 255.);
}

/* A third of the circle turns red to green, green to blue and blue to red. */
static void
test_a_third_of_the_circle_exchanges_colours (void)
{
  g_autoptr (HybTensor) turned =
      op_run ("_image_random_hue", "min_factor=0.33333333333 max_factor=0.33333333333",
              op_tensor ("f32[1,2,3]", 200., 50., 20., 7., 7., 7.), NULL);

  op_assert_near (turned, 1e-4, 20., 200., 50., 7., 7., 7.);
}

static void
test_a_grey_image_has_no_hue (void)
{
  g_autoptr (HybTensor) turned = op_run ("_image_random_hue", "min_factor=0.2 max_factor=0.2",
                                         op_tensor ("f32[2,1,1]", 200., -3.), NULL);

  op_assert_near (turned, 0, 200., -3.);
}

static void
test_no_jitter_changes_nothing (void)
{
  g_autoptr (HybTensor) same =
      op_run ("_image_random_color_jitter", "brightness=0 contrast=0 saturation=0 hue=0",
              op_tensor ("f32[1,1,3]", 1., 2., 3.), NULL);

  op_assert_near (same, 0, 1., 2., 3.);
}

TEST_PROGRAM (test_image_color)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("image-color", hyb_ops_image_color, samples, refusals);
  g_test_add_func ("/engine/ops/image-color/bytes-are-clamped", test_bytes_are_clamped);
  g_test_add_func ("/engine/ops/image-color/a-third-of-the-circle-exchanges-colours",
                   test_a_third_of_the_circle_exchanges_colours);
  g_test_add_func ("/engine/ops/image-color/a-grey-image-has-no-hue", test_a_grey_image_has_no_hue);
  g_test_add_func ("/engine/ops/image-color/no-jitter-changes-nothing",
                   test_no_jitter_changes_nothing);

  return g_test_run ();
}
