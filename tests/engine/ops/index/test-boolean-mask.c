/* test-boolean-mask.c — tests of boolean_mask: samples and refusals for op-check.h, and that the mask
 * sets the number of rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_boolean_mask", "rows", NULL, { "f32[4,2]", "f32[4] = 1,0,2,0" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_boolean_mask",
    "another number of rows",
    NULL,
    { "f32[4,2]", "f32[3]" },
    "the numbers of rows and of mask" },
  { "_contrib_boolean_mask", "another axis", "axis=1", { "f32[4,2]", "f32[4]" }, "only axis 0" },
  { 0 },
};

static void
test_the_mask_decides_how_many (void)
{
  g_autoptr (HybTensor) data = op_tensor ("f32[3,2]", 1., 2., 3., 4., 5., 6.);
  g_autoptr (HybTensor) some = op_run ("_contrib_boolean_mask", NULL, hyb_tensor_ref (data),
                                       op_tensor ("i32[3]", 1., 0., -1.), NULL);
  g_autoptr (HybTensor) none = op_run ("_contrib_boolean_mask", NULL, hyb_tensor_ref (data),
                                       op_tensor ("i32[3]", 0., 0., 0.), NULL);

  op_assert_type (some, "float32 (2, 2)");
  op_assert_near (some, 0, 1., 2., 5., 6.);
  op_assert_type (none, "float32 (0, 2)");
}

TEST_PROGRAM (test_boolean_mask)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("boolean-mask", hyb_ops_boolean_mask, samples, refusals);
  g_test_add_func ("/engine/ops/boolean-mask/the-mask-decides-how-many",
                   test_the_mask_decides_how_many);

  return g_test_run ();
}
