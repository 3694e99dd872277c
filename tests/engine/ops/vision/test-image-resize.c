/* test-image-resize.c — image_resize: the checks of op-check.h on samples and refusals; a shorter
 * edge; halving.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_image_resize", "linear", "size=(3, 2)", { "f32[4,5,3]" } },
  { "_image_resize", "bytes in a batch", "size=(5,)", { "u8[2,3,4,1]" } },
  { "_image_resize", "cubic", "size=(2, 5) interp=2", { "f64[3,4,1]" } },
  { "_image_resize", "area, smaller", "size=(2, 2) interp=3", { "f32[5,3,1]" } },
  { "_image_resize", "area, larger", "size=(7, 4) interp=3", { "f32[2,3,1]" } },
  { "_image_resize", "Lanczos", "size=(7, 3) interp=4", { "f32[4,4,2]" } },
  { "_image_resize", "nearest", "size=(3, 3) interp=0", { "i32[2,2,1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_image_resize", "no size", NULL, { "f32[4,5,3]" }, "size has 0 numbers" },
  { "_image_resize", "empty", "size=(0,)", { "f32[4,5,3]" }, "size has an edge of 0" },
  { "_image_resize", "a matrix", "size=(2,)", { "f32[4,5]" }, "data" },
  { "_image_resize", "no rows", "size=(2,)", { "f32[0,5,3]" }, "an edge of 0" },
  { "_image_resize", "integers", "size=(2,)", { "i32[4,5,3]" }, "int32 images cannot be scaled" },
  { "_image_resize", "unknown method", "size=(2,) interp=5", { "f32[4,5,3]" }, "interp" },
  { 0 },
};

static void
test_one_number_can_be_the_shorter_edge (void)
{
  g_autoptr (HybTensor) wide = op_run ("_image_resize", "size=3 keep_ratio=True",
                                       op_tensor_from_text ("f32[4,6,1]", 0), NULL);
  g_autoptr (HybTensor) high = op_run ("_image_resize", "size=3 keep_ratio=True",
                                       op_tensor_from_text ("f32[7,4,1]", 0), NULL);

  op_assert_type (wide, "float32 (3, 4, 1)");
  op_assert_type (high, "float32 (5, 3, 1)");
}

static void
test_half_the_size_is_the_mean_of_four (void)
{
  g_autoptr (HybTensor) half =
      op_run ("_image_resize", "size=(1, 1)", op_tensor ("u8[2,2,1]", 1., 2., 3., 4.), NULL);

  op_assert_near (half, 0, 3.);
}

TEST_PROGRAM (test_image_resize)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("image-resize", hyb_ops_image_resize, samples, refusals);
  g_test_add_func ("/engine/ops/image-resize/one-number-can-be-the-shorter-edge",
                   test_one_number_can_be_the_shorter_edge);
  g_test_add_func ("/engine/ops/image-resize/half-the-size-is-the-mean-of-four",
                   test_half_the_size_is_the_mean_of_four);

  return g_test_run ();
}
