/* test-slice.c — tests of slice, slice_axis and slice_like: samples and refusals for op-check.h, and
 * the values of slices with negative steps, without elements and of pairs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "slice", "plain", "begin=(0, 1) end=(2, 3)", { "f32[3,4]" } },
  { "slice", "leading axes only", "begin=(1,) end=(2,)", { "f32[3,4]" } },
  { "slice", "open ends", "begin=(None, 1) end=(None, None)", { "f32[3,4]" } },
  { "slice", "negative", "begin=(-2, -3) end=(3, -1)", { "f32[3,4]" } },
  { "slice", "steps", "begin=(0, 0) end=(4, 5) step=(2, 3)", { "f32[4,5]" } },
  { "slice", "backwards", "begin=(None, 3) end=(None, None) step=(-1, -2)", { "f32[3,4]" } },
  { "slice", "beyond the end", "begin=(1, 0) end=(9, 9)", { "f32[3,2]" } },
  { "slice", "nothing left", "begin=2 end=1", { "f32[3,2]" } },
  { "slice",
    "huge steps",
    "begin=(0, None) end=(3, None) step=(9223372036854775807, -9223372036854775807)",
    { "f32[3,4]" } },
  { "slice", "integers", "begin=1 end=3", { "i32[4,2]" } },
  { "slice_axis", "inner", "axis=1 begin=1 end=3", { "f32[2,4]" } },
  { "slice_axis", "to the end", "axis=0 begin=1 end=None", { "f32[3,2]" } },
  { "slice_axis", "negative", "axis=-1 begin=-3 end=-1", { "f32[2,4]" } },
  { "slice_axis", "behind an axis of one", "axis=1 begin=1 end=2", { "f32[1,3,2]" } },
  { "slice_like", "all axes", NULL, { "f32[3,4]", "f32[2,3]" } },
  { "slice_like", "named axes", "axes=(0, -1)", { "f32[3,4,5]", "f32[2,9,3]" } },
  { "slice_like", "like integers", NULL, { "f32[3,4]", "i32[3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "slice", "step of zero", "begin=0 end=2 step=0", { "f32[3]" }, "a step cannot be 0" },
  { "slice",
    "lengths differ",
    "begin=(0, 1) end=2",
    { "f32[3,2]" },
    "begin has 2 elements but end has 1" },
  { "slice",
    "too many axes",
    "begin=(0, 0) end=(1, 1)",
    { "f32[3]" },
    "begin names 2 axes but the input has 1" },
  { "slice_axis",
    "end outside",
    "axis=1 begin=2 end=9",
    { "f32[2,3]" },
    "select nothing from an axis of 3" },
  { "slice_axis",
    "begin outside",
    "axis=1 begin=-4 end=2",
    { "f32[2,3]" },
    "select nothing from an axis of 3" },
  { "slice_axis", "axis outside", "axis=3 begin=0 end=1", { "f32[2,3]" }, "axis 3 is outside" },
  { "slice_like", "longer", NULL, { "f32[2,3]", "f32[2,4]" }, "fewer than the 4" },
  { "slice_like", "other dimensions", NULL, { "f32[2,3]", "f32[2]" }, "have no common axes" },
  { 0 },
};

/* The result is two of the rows, so that an output of other rows is refused. */
static void
test_output_of_another_shape_is_refused (void)
{
  static const struct
  {
    gint64   rows;
    gboolean fits;
  } cases[] = { { 2, TRUE }, { 3, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const HybOp *op = hyb_op_find ("slice_axis");
      g_auto (GStrv) pairs = op_attributes_from_text ("axis=0 begin=1 end=3");
      g_autoptr (GError) error = NULL;
      HybType types[] = { { hyb_shape_2d (4, 5), HYB_F32 },
                          { hyb_shape_2d (cases[i].rows, 5), HYB_F32 } };
      HybCall call = {
        .op = op, .input = types, .n_inputs = 1, .output = types + 1, .n_outputs = 1
      };

      call.params =
          hyb_params_parse (op->params, op->params_size, (const char *const *) pairs, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (op->infer_shape (&call, &error), ==, cases[i].fits);
      g_assert_cmpint (!error, ==, cases[i].fits);
      hyb_params_unref ((gpointer) call.params);
    }
}

static void
test_negative_steps_go_backwards (void)
{
  g_autoptr (HybTensor) y =
      op_run ("slice", "begin=(None, 3) end=(None, None) step=(-1, -2)",
              op_tensor ("f32[2,4]", 0., 1., 2., 3., 10., 11., 12., 13.), NULL);
  g_autoptr (HybTensor) z =
      op_run ("slice", "begin=9 end=0 step=-2", op_tensor ("f32[5]", 0., 1., 2., 3., 4.), NULL);

  op_assert_type (y, "float32 (2, 2)");
  op_assert_near (y, 0, 13., 11., 3., 1.);
  op_assert_type (z, "float32 (2,)");
  op_assert_near (z, 0, 4., 2.);
}

/* Rows of five elements do not consist of whole pairs, so pairs must not be copied as one element. */
static void
test_pairs_are_cut_out_of_odd_rows (void)
{
  g_autoptr (HybTensor) y =
      op_run ("slice", "begin=(0, 1) end=(2, 3)",
              op_tensor ("f32[2,5]", 0., 1., 2., 3., 4., 10., 11., 12., 13., 14.), NULL);

  op_assert_near (y, 0, 1., 2., 11., 12.);
}

static void
test_an_empty_slice_has_no_elements (void)
{
  g_autoptr (HybTensor) y =
      op_run ("slice", "begin=2 end=1", op_tensor ("f32[3]", 0., 1., 2.), NULL);

  op_assert_type (y, "float32 (0,)");
}

TEST_PROGRAM (test_slice)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("slice", hyb_ops_slice, samples, refusals);
  g_test_add_func ("/engine/ops/slice/negative-steps-go-backwards",
                   test_negative_steps_go_backwards);
  g_test_add_func ("/engine/ops/slice/an-empty-slice-has-no-elements",
                   test_an_empty_slice_has_no_elements);

  g_test_add_func ("/engine/ops/slice/pairs-are-cut-out-of-odd-rows",
                   test_pairs_are_cut_out_of_odd_rows);
  g_test_add_func ("/engine/ops/slice/output-of-another-shape-is-refused",
                   test_output_of_another_shape_is_refused);

  return g_test_run ();
}
