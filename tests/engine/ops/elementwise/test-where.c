/* test-where.c — tests of where: samples and refusals for op-check.h, and that elements which are not
 * chosen, such as NaN, have no influence.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "where", "same shape", NULL, { "f32[2,3] = 0,1,2,0,-1,0", "f32[2,3]", "f32[2,3]" } },
  { "where", "rows", NULL, { "i32[3] = 0,1,0", "f32[3,2]", "f32[3,2]" } },
  { "where", "one axis", NULL, { "u8[4] = 0,3,0,1", "f32[4]", "f32[4]" } },
  { "where", "doubles choose integers", NULL, { "f64[4] = 0,0.5,0,1", "i32[4]", "i32[4]" } },
  { "where", "no element", NULL, { "f32[0,2]", "f32[0,2]", "f32[0,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "where",
    "condition of another shape",
    NULL,
    { "f32[3,2]", "f32[2,3]", "f32[2,3]" },
    "the condition: " },
  { "where",
    "rows of another number",
    NULL,
    { "f32[3]", "f32[2,3]", "f32[2,3]" },
    "the sizes of the condition" },
  { "where", "arrays differ", NULL, { "f32[2]", "f32[2]", "f32[3]" }, "does not match" },
  { 0 },
};

static void
test_what_is_not_chosen_does_not_show (void)
{
  g_autoptr (HybTensor) y =
      op_run ("where", NULL, op_tensor ("f32[3]", 0., NAN, 1e-30),
              op_tensor ("f32[3]", NAN, 2., 3.), op_tensor ("f32[3]", 4., NAN, INFINITY), NULL);

  op_assert_near (y, 0, 4., 2., 3.);
}

TEST_PROGRAM (test_where)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("where", hyb_ops_where, samples, refusals);
  g_test_add_func ("/engine/ops/where/what-is-not-chosen-does-not-show",
                   test_what_is_not_chosen_does_not_show);

  return g_test_run ();
}
