/* test-embedding.c — tests of Embedding: samples and refusals for op-check.h, and that indices outside
 * of the table are clamped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Embedding", "float indices", "input_dim=5 output_dim=3", { "f32[4] = 0,4,2,2", "f32[5,3]" } },
  { "Embedding", "integer indices", "input_dim=4 output_dim=2", { "i64[2,3] 0..3", "f32[4,2]" } },
  { "Embedding",
    "half floats",
    "input_dim=4 output_dim=2",
    { "i32[3]", "f16[4,2]" },
    OP_SKIP_GRADIENT },
  { "Embedding",
    "double table",
    "input_dim=4 output_dim=2 dtype=float64",
    { "f32[3] = 0,1,3", "f64[4,2]" },
    OP_SKIP_DOUBLE },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Embedding",
    "table of another size",
    "input_dim=5 output_dim=3",
    { "f32[4]", "f32[5,2]" },
    "weight: " },
  { "Embedding", "no size", "input_dim=5", { "f32[4]", "f32[5,2]" }, "output_dim" },
  { 0 },
};

static void
test_indices_outside_take_the_nearest_row (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Embedding", "input_dim=2 output_dim=1", op_tensor ("f32[4]", -7., 1e30, 0.9, 1.),
              op_tensor ("f32[2,1]", 5., 6.), NULL);

  op_assert_near (y, 0, 5., 6., 5., 6.);
}

TEST_PROGRAM (test_embedding)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("embedding", hyb_ops_embedding, samples, refusals);
  g_test_add_func ("/engine/ops/embedding/indices-outside-take-the-nearest-row",
                   test_indices_outside_take_the_nearest_row);

  return g_test_run ();
}
