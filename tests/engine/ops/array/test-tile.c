/* test-tile.c — tests of tile and repeat: samples and refusals for op-check.h, and the order of the
 * copies, in which the two differ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "tile", "all axes", "reps=(2, 3)", { "f32[2,2]" } },
  { "tile", "more than axes", "reps=(2, 1, 2)", { "f32[2,2]" } },
  { "tile", "fewer than axes", "reps=2", { "f32[2,3]" } },
  { "tile", "not at all", "reps=(1, 0)", { "f32[2,2]" } },
  { "tile", "integers", "reps=(2, 2)", { "i32[2,2]" } },
  { "repeat", "flattened", "repeats=2", { "f32[2,3]" } },
  { "repeat", "an axis", "repeats=3 axis=1", { "f32[2,2]" } },
  { "repeat", "negative axis", "repeats=2 axis=-2", { "f32[2,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "tile", "negative", "reps=(-1, 2)", { "f32[2,2]" }, "cannot be negative" },
  { "tile",
    "absurd size of nothing",
    "reps=(1, 9223372036854775807)",
    { "f32[0,2]" },
    "would not fit any memory" },
  { "repeat", "negative", "repeats=-1", { "f32[2,2]" }, "repeats" },
  { "repeat", "axis outside", "repeats=2 axis=2", { "f32[2,2]" }, "axis 2 is outside" },
  { 0 },
};

static void
test_tile_and_repeat_differ_in_order (void)
{
  g_autoptr (HybTensor) y = op_run ("tile", "reps=2", op_tensor ("f32[2]", 1., 2.), NULL);
  g_autoptr (HybTensor) z = op_run ("repeat", "repeats=2", op_tensor ("f32[2]", 1., 2.), NULL);

  op_assert_near (y, 0, 1., 2., 1., 2.);
  op_assert_near (z, 0, 1., 1., 2., 2.);
}

TEST_PROGRAM (test_tile)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("tile", hyb_ops_tile, samples, refusals);
  g_test_add_func ("/engine/ops/tile/tile-and-repeat-differ-in-order",
                   test_tile_and_repeat_differ_in_order);

  return g_test_run ();
}
