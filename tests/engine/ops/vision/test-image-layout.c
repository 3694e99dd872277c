/* test-image-layout.c — to_tensor, normalize, crop and flips of images: the checks of op-check.h on
 * samples and refusals; integers; an odd width; what is random.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_image_to_tensor", "one image", NULL, { "f32[2,3,3] 0..255" }, OP_COARSE },
  { "_image_to_tensor", "images of bytes", NULL, { "u8[2,2,3,1]" } },
  { "_image_normalize", "one image", "mean=(0.1, 0.2, 0.3) std=(0.5, 2, 1)", { "f32[3,2,2]" } },
  { "_image_normalize", "the same for all channels", "mean=(0.1,) std=(0.5,)", { "f64[2,3,2,1]" } },
  { "_image_normalize", "bytes", "mean=(1,) std=(2,)", { "u8[1,2,3] = 0,1,2,9,254,255" } },
  { "_image_crop", "one image", "x=1 y=0 width=2 height=1", { "f32[2,3,3]" } },
  { "_image_crop", "up to the last row", "x=0 y=1 width=3 height=2", { "f32[2,3,3,1]" } },
  { "_image_flip_left_right _image_flip_top_bottom", "odd", NULL, { "f32[3,3,3]" } },
  { "_image_flip_left_right _image_flip_top_bottom", "bytes", NULL, { "u8[2,4,1]" } },
  { "_image_random_flip_left_right _image_random_flip_top_bottom", "one", NULL, { "f32[2,3,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_image_to_tensor", "a matrix", NULL, { "f32[2,3]" }, "data" },
  { "_image_normalize", "two channels", "mean=(0,) std=(1,)", { "f32[2,3,3]" }, "1 or 3 channels" },
  { "_image_normalize",
    "two means",
    "mean=(0, 1) std=(1,)",
    { "f32[3,3,3]" },
    "mean has 2 numbers" },
  { "_image_crop", "too wide", "x=2 y=0 width=2 height=1", { "f32[2,3,3]" }, "ends at column 4" },
  { "_image_crop", "too high", "x=0 y=1 width=1 height=2", { "f32[2,3,3]" }, "ends at row 3" },
  { "_image_crop", "before the image", "x=-1 y=0 width=1 height=1", { "f32[2,3,3]" }, "x" },
  { "_image_flip_left_right", "several images", NULL, { "f32[2,2,3,3]" }, "data" },
  { "_image_flip_left_right", "four channels", NULL, { "f32[2,3,4]" }, "1 or 3 channels" },
  { 0 },
};

static void
test_bytes_become_parts_of_one (void)
{
  g_autoptr (HybTensor) tensor =
      op_run ("_image_to_tensor", NULL, op_tensor ("u8[1,2,3]", 0., 51., 255., 1., 2., 3.), NULL);

  op_assert_type (tensor, "float32 (3, 1, 2)");
  op_assert_near (tensor, 1e-7, 0., 1. / 255, 0.2, 2. / 255, 1., 3. / 255);
}

static void
test_the_middle_column_stays (void)
{
  g_autoptr (HybTensor) flipped =
      op_run ("_image_flip_left_right", NULL, op_tensor ("i32[1,3,1]", 1., 2., 3.), NULL);

  op_assert_near (flipped, 0, 3., 2., 1.);
}

TEST_PROGRAM (test_image_layout)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("image-layout", hyb_ops_image_layout, samples, refusals);
  g_test_add_func ("/engine/ops/image-layout/bytes-become-parts-of-one",
                   test_bytes_become_parts_of_one);
  g_test_add_func ("/engine/ops/image-layout/the-middle-column-stays",
                   test_the_middle_column_stays);

  return g_test_run ();
}
