/* test-im2col.c — im2col and col2im: the checks of op-check.h on samples and refusals; the order of
 * the rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "im2col", "plain", "kernel=(2, 2)", { "f32[1,2,3,3]" } },
  { "im2col", "stride and padding", "kernel=(3, 3) stride=(2, 2) pad=(1, 1)", { "f32[2,1,4,4]" } },
  { "im2col", "dilation", "kernel=(2, 2) dilate=(2, 1) pad=(0, 1)", { "f32[1,2,4,3]" } },
  { "im2col", "one axis", "kernel=3 pad=2 stride=2", { "f32[2,2,5]" } },
  { "im2col", "three axes", "kernel=(2, 1, 2)", { "f32[1,1,2,2,3]" } },
  { "im2col", "padding only", "kernel=(1, 1) pad=(2, 2) stride=(5, 5)", { "f32[1,1,1,1]" } },
  { "col2im", "plain", "kernel=(2, 2) output_size=(3, 3)", { "f32[1,8,4]" } },
  { "col2im",
    "stride and padding",
    "kernel=(3, 3) stride=(2, 2) pad=(1, 1) output_size=(4, 4)",
    { "f32[1,9,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "im2col",
    "window too large",
    "kernel=(4, 1)",
    { "f32[1,1,3,3]" },
    "the window does not fit axis 2" },
  { "im2col", "other dimensions", "kernel=(2, 2)", { "f32[1,1,3]" }, "a window of 2 axes" },
  { "im2col",
    "no stride",
    "kernel=(2, 2) stride=(0, 1)",
    { "f32[1,1,3,3]" },
    "stride has an element of 0" },
  { "col2im",
    "another number of places",
    "kernel=(2, 2) output_size=(3, 3)",
    { "f32[1,8,5]" },
    "does not match" },
  { "col2im",
    "rows do not divide",
    "kernel=(2, 2) output_size=(3, 3)",
    { "f32[1,7,4]" },
    "7 rows do not divide" },
  { 0 },
};

static void
test_rows_are_elements_of_the_window (void)
{
  g_autoptr (HybTensor) y =
      op_run ("im2col", "kernel=2 pad=1", op_tensor ("f32[1,1,3]", 1., 2., 3.), NULL);
  g_autoptr (HybTensor) z =
      op_run ("col2im", "kernel=2 pad=1 output_size=3", hyb_tensor_ref (y), NULL);

  op_assert_type (y, "float32 (1, 2, 4)");
  op_assert_near (y, 0, 0., 1., 2., 3., 1., 2., 3., 0.);
  op_assert_near (z, 0, 2., 4., 6.);
}

TEST_PROGRAM (test_im2col)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("im2col", hyb_ops_im2col, samples, refusals);
  g_test_add_func ("/engine/ops/im2col/rows-are-elements-of-the-window",
                   test_rows_are_elements_of_the_window);

  return g_test_run ();
}
