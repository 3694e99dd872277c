/* test-warp-ctc.c — tests of WarpCTC: samples and refusals for op-check.h, and the softmax by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "WarpCTC",
    "two sequences of three steps",
    "label_length=2 input_length=3",
    { "f32[6,4]", "i32[4]" } },
  { "WarpCTC", "float labels", "label_length=1 input_length=2", { "f32[2,3]", "f32[1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "WarpCTC", "other labels", "label_length=2 input_length=3", { "f32[6,4]", "i32[5]" }, "label" },
  { "WarpCTC", "one axis", "label_length=2 input_length=3", { "f32[6]", "i32[4]" }, "data" },
  { 0 },
};

/* e⁰ : e^(ln 3) = 1 : 3. */
static void
test_rows_are_softmaxes (void)
{
  g_autoptr (HybTensor) y =
      op_run ("WarpCTC", "label_length=1 input_length=2",
              op_tensor ("f32[2,2]", 0., 1.09861228866811, 5., 5.), op_tensor ("i32[1]", 1.), NULL);

  op_assert_near (y, 1e-6, 0.25, 0.75, 0.5, 0.5);
}

TEST_PROGRAM (test_warp_ctc)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("warp-ctc", hyb_ops_warp_ctc, samples, refusals);
  g_test_add_func ("/engine/ops/warp-ctc/rows-are-softmaxes", test_rows_are_softmaxes);

  return g_test_run ();
}
