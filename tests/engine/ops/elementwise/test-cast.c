/* test-cast.c — tests of Cast, amp_cast, amp_multicast and _cast_like: samples and refusals for
 * op-check.h, and the values of conversions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "Cast amp_cast", "nothing to do", "dtype=float32", { "f32[2,3]" }, OP_COARSE },
  { "Cast amp_cast", "wider", "dtype=float64", { "f32[2,3]" }, OP_COARSE },
  { "Cast amp_cast", "narrower", "dtype=float16", { "f32[2,3]" }, OP_SKIP_GRADIENT },
  { "Cast", "to integers", "dtype=int32", { "f32[5] -3..3" }, OP_SKIP_GRADIENT },
  { "Cast amp_cast", "from integers", "dtype=float32", { "i64[5]" } },
  { "Cast", "to truth values", "dtype=bool", { "f32[3] = 0,0.5,-1" }, OP_SKIP_GRADIENT },
  { "amp_multicast",
    "widest",
    "num_outputs=3",
    { "f16[2]", "f32[3]", "i32[2]" },
    OP_SKIP_GRADIENT },
  { "amp_multicast",
    "narrowest",
    "num_outputs=2 cast_narrow=True",
    { "f16[2]", "f32[3]" },
    OP_SKIP_GRADIENT },
  { "amp_multicast", "one type", "num_outputs=2", { "f32[2]", "f32[3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Cast", "no such type", "dtype=float31", { "f32[2]" }, "dtype" },
  { "Cast", "type missing", NULL, { "f32[2]" }, "dtype" },
  { 0 },
};

static void
test_fractions_are_cut (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Cast", "dtype=int8", op_tensor ("f32[4]", -2.7, -0.5, 1.5, 100.9), NULL);
  g_autoptr (HybTensor) z = op_run ("Cast", "dtype=bool", op_tensor ("f32[3]", 0., 0.3, NAN), NULL);

  op_assert_near (y, 0, -2., 0., 1., 100.);
  op_assert_near (z, 0, 0., 1., 1.);
}

static void
test_mixed_precision_leaves_integers_alone (void)
{
  g_autoptr (HybTensor) y =
      op_run ("amp_cast", "dtype=float16", op_tensor ("i32[1]", 70000.), NULL);

  op_assert_type (y, "int32 (1,)");
  op_assert_near (y, 0, 70000.);
}

TEST_PROGRAM (test_cast)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("cast", hyb_ops_cast, samples, refusals);
  g_test_add_func ("/engine/ops/cast/fractions-are-cut", test_fractions_are_cut);
  g_test_add_func ("/engine/ops/cast/mixed-precision-leaves-integers-alone",
                   test_mixed_precision_leaves_integers_alone);

  return g_test_run ();
}
