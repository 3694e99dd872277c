/* test-linalg-determinant.c — inverses and determinants: samples and refusals for op-check.h, and the
 * least numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_inverse _linalg_det _linalg_slogdet",
    "one matrix",
    NULL,
    { "f64[3,3] = 2,1,0, -1,3,1, 0.5,0,-2" } },
  { "_linalg_inverse _linalg_det _linalg_slogdet",
    "a batch",
    NULL,
    { "f64[2,1,2,2] = 2,1,-1,3, 0,1,1,4" } },
  { "_linalg_inverse _linalg_det _linalg_slogdet", "1 × 1", NULL, { "f32[1,1] = -2" } },
  { "_linalg_inverse _linalg_det _linalg_slogdet", "float32", NULL, { "f32[2,2] = 2,1,-1,3" } },
  { "_linalg_inverse _linalg_det", "no matrices", NULL, { "f32[0,2,2]" } },
  { "_linalg_det",
    "singular: MXNet sets the gradient to 0",
    NULL,
    { "f32[2,2] = 1,2,2,4" },
    OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_inverse", "singular", NULL, { "f32[2,2] = 1,2,2,4" }, "matrix 0 is singular" },
  { "_linalg_inverse",
    "the second is singular",
    NULL,
    { "f32[2,1,1] = 1,0" },
    "matrix 1 is singular" },
  { "_linalg_inverse", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { "_linalg_det", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { "_linalg_det", "integers", NULL, { "i32[2,2]" }, "its type is int32" },
  { "_linalg_slogdet", "a vector", NULL, { "f32[2]" }, "A has 1 dimensions" },
  { 0 },
};

/* Neither the least doubles nor their products with large ones vanish. */
static void
test_denormal_diagonal (void)
{
  const double least = 0x1p-1074;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (HybTensor) small =
      op_run ("_linalg_det", NULL, op_tensor ("f64[2,2]", 1., 0., 0., least), NULL);
  g_autoptr (HybTensor) ordinary =
      op_run ("_linalg_det", NULL, op_tensor ("f64[2,2]", 0x1p1000, 0., 0., -least), NULL);

  g_assert_cmpfloat (hyb_tensor_get_value (small, 0), ==, least);
  g_assert_cmpfloat (hyb_tensor_get_value (ordinary, 0), ==, -0x1p-74);

  g_ptr_array_add (inputs, op_tensor ("f64[2,2]", 1., 0., 0., least));
  outputs = op_run_all ("_linalg_slogdet", NULL, FALSE, inputs);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 0), ==, 1);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs->pdata[1], 0), -1074 * G_LN2, 1e-9);
}

TEST_PROGRAM (test_linalg_determinant)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-determinant", hyb_ops_linalg_determinant, samples, refusals);
  g_test_add_func ("/engine/ops/linalg-determinant/denormal-diagonal", test_denormal_diagonal);

  return g_test_run ();
}
