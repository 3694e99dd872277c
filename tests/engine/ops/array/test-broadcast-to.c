/* test-broadcast-to.c — tests of broadcast_to, broadcast_axis and broadcast_like: samples and
 * refusals for op-check.h, and the order of repeated elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_broadcast_to", "axes in front", "shape=(4,2,3)", { "f32[2,1]" } },
  { "_npi_broadcast_to", "no dimensions", "shape=(2,)", { "f32[]" } },
  { "_npi_broadcast_to", "kept", "shape=(2,-2,3)", { "f32[2,1]" } },
  { "_npi_broadcast_to", "no element", "shape=(0,3)", { "f32[1,3]" } },
  { "broadcast_to", "one axis", "shape=(2, 3)", { "f32[1,3]" } },
  { "broadcast_to", "zero keeps", "shape=(4, 0)", { "f32[1,3]" } },
  { "broadcast_to", "inner axes", "shape=(2, 3, 4)", { "f32[2,1,1]" } },
  { "broadcast_to", "nothing changes", "shape=(2, 3)", { "f32[2,3]" } },
  { "broadcast_to",
    "as many axes as an array can have",
    "shape=(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)",
    { "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]" } },
  { "broadcast_to", "integers", "shape=(2, 3)", { "i32[1,3]" } },
  { "broadcast_axis", "one axis", "axis=1 size=3", { "f32[2,1]" } },
  { "broadcast_axis", "two axes", "axis=(0, 2) size=(2, 4)", { "f32[1,3,1]" } },
  { "broadcast_like", "all axes", NULL, { "f32[1,3]", "f32[2,3]" } },
  { "broadcast_like", "named axes", "lhs_axes=(0,) rhs_axes=(-1,)", { "f32[1,2]", "f32[3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "broadcast_to",
    "axis of more elements",
    "shape=(2, 4)",
    { "f32[2,3]" },
    "axis 1 has 3 elements and cannot be broadcast to 4" },
  { "broadcast_to",
    "other dimensions",
    "shape=(2, 3)",
    { "f32[3]" },
    "shape has 2 dimensions but the input has 1" },
  { "broadcast_axis",
    "lengths differ",
    "axis=(0, 1) size=3",
    { "f32[1,1]" },
    "axis has 2 elements but size has 1" },
  { "broadcast_axis", "axis outside", "axis=2 size=3", { "f32[1,1]" }, "axis 2 is outside" },
  { "broadcast_like",
    "axes differ in number",
    "lhs_axes=(0, 1) rhs_axes=0",
    { "f32[1,1]", "f32[2,2]" },
    "differ in length" },
  { "broadcast_like",
    "other dimensions",
    NULL,
    { "f32[1]", "f32[2,2]" },
    "cannot be broadcast like" },
  { 0 },
};

static void
test_elements_are_repeated_along_their_axis (void)
{
  g_autoptr (HybTensor) y =
      op_run ("broadcast_to", "shape=(2, 2)", op_tensor ("f32[2,1]", 1., 2.), NULL);

  op_assert_near (y, 0, 1., 1., 2., 2.);
}

TEST_PROGRAM (test_broadcast_to)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("broadcast-to", hyb_ops_broadcast_to, samples, refusals);
  g_test_add_func ("/engine/ops/broadcast-to/elements-are-repeated-along-their-axis",
                   test_elements_are_repeated_along_their_axis);

  return g_test_run ();
}
