/* test-kl-sparse-reg.c — IdentityAttachKLSparseReg: the checks of op-check.h on samples and
 * refusals; when the moving average is updated.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "IdentityAttachKLSparseReg", "matrix", NULL, { "f32[3,4] 0.1..0.9", "f32[4] 0.1..0.9" } },
  { "IdentityAttachKLSparseReg",
    "three axes",
    "sparseness_target=0.3 penalty=0.1 momentum=0.5",
    { "f32[2,3,2] 0.1..0.9", "f32[3] 0.1..0.9" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "IdentityAttachKLSparseReg", "a vector", NULL, { "f32[3]", "f32[3]" }, "dimensions" },
  { 0 },
};

static void
test_training_moves_the_average (void)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;

  g_ptr_array_add (inputs, op_tensor ("f32[2,2]", 0.2, 0.4, 0.4, 0.8));
  g_ptr_array_add (inputs, op_tensor ("f32[2]", 0.5, 0.));
  outputs = op_run_all ("IdentityAttachKLSparseReg", "momentum=0.5", TRUE, inputs);
  op_assert_near (outputs->pdata[0], 0, 0.2f, 0.4f, 0.4f, 0.8f);
  op_assert_near (inputs->pdata[1], 1e-6, 0.4, 0.3);
}

TEST_PROGRAM (test_kl_sparse_reg)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("kl-sparse-reg", hyb_ops_kl_sparse_reg, samples, refusals);
  g_test_add_func ("/engine/ops/kl-sparse-reg/training-moves-the-average",
                   test_training_moves_the_average);

  return g_test_run ();
}
