/* test-bit-cast.c — tests of _bit_cast: samples and refusals for op-check.h, and bits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_bit_cast", "float to integer", "dtype=int32", { "f32[2,3]" }, OP_SKIP_GRADIENT },
  { "_bit_cast", "two bytes", "dtype=uint16", { "bf16[4]" }, OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_bit_cast", "another size", "dtype=float64", { "f32[2]" }, "different numbers of bits" },
  { 0 },
};

static void
test_bits_stay (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_bit_cast", "dtype=int32", op_tensor ("f32[3]", 1., -2., 0.), NULL);
  g_autoptr (HybTensor) z = op_run ("_bit_cast", "dtype=int8", op_tensor ("u8[2]", 200., 3.), NULL);

  op_assert_near (y, 0, 1065353216., -1073741824., 0.);
  op_assert_near (z, 0, -56., 3.);
}

TEST_PROGRAM (test_bit_cast)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("bit-cast", hyb_ops_bit_cast, samples, refusals);
  g_test_add_func ("/engine/ops/bit-cast/bits-stay", test_bits_stay);
  return g_test_run ();
}
