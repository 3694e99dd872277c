/* test-update-lamb.c — steps of LAMB, and AdaGrad by rows: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "mp_lamb_update_phase1",
    "half floats",
    "t=2 wd=0.1",
    { "f16[3]", "f16[3]", "f32[3] 0.1..2", "f32[3] 0.1..2", "f32[3]" } },
  { "lamb_update_phase2", "plain", "lr=0.1", { "f32[3]", "f32[3]", "f32[1] = 2", "f32[1] = 3" } },
  { "mp_lamb_update_phase2",
    "half floats",
    "lr=0.1 lower_bound=0 upper_bound=1",
    { "f16[3]", "f32[3]", "f32[1] = 2", "f32[1] = 3", "f32[3]" } },
  { "_contrib_group_adagrad_update",
    "plain",
    "lr=0.1 clip_gradient=0.5",
    { "f32[2,3]", "f32[2,3]", "f32[2,1] 0.1..2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "lamb_update_phase2",
    "a norm of two numbers",
    "lr=0.1",
    { "f32[3]", "f32[3]", "f32[2]", "f32[1]" },
    "r1 has 2 elements" },
  { "_contrib_group_adagrad_update",
    "a history of another length",
    "lr=0.1",
    { "f32[2,3]", "f32[2,3]", "f32[3,1]" },
    "(3, 1)" },
  { "_contrib_group_adagrad_update",
    "a scalar",
    "lr=0.1",
    { "f32[]", "f32[]", "f32[]" },
    "has no rows" },
  { 0 },
};

/* Expected numbers: h = 1 + (0.09 + 0.16) / 2, w − 0.1 g / (√h + 1e-5). */
static void
test_group_adagrad (void)
{
  g_autoptr (HybTensor) history = op_tensor ("f32[1,1]", 1.0);
  g_autoptr (HybTensor) new =
      op_run ("_contrib_group_adagrad_update", "lr=0.1", op_tensor ("f32[1,2]", 1.0, 2.0),
              op_tensor ("f32[1,2]", 0.3, -0.4), hyb_tensor_ref (history), NULL);

  op_assert_near (new, 1e-6, 0.97171601, 2.03771199);
  op_assert_near (history, 1e-6, 1.125);
}

TEST_PROGRAM (test_update_lamb)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("update-lamb", hyb_ops_update_lamb, samples, refusals);
  g_test_add_func ("/engine/ops/update-lamb/group-adagrad-keeps-one-history-a-row",
                   test_group_adagrad);

  return g_test_run ();
}
