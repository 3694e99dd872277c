/* test-numpy-where.c — tests of choices between tensors or numbers: samples and refusals for op-check.h, and
 * all ways to broadcast.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_where", "broadcast", NULL, { "bool[3] = 1,0,1", "f32[2,3]", "f32[]" } },
  { "_npi_where", "integers", NULL, { "f32[2,1] = 0,1", "i32[2]", "i32[2]" } },
  { "_npi_where", "no element", NULL, { "f32[0]", "f32[2,1]", "f32[1]" } },
  { "_npi_where_lscalar _npi_where_rscalar",
    "a number",
    "scalar=2.5",
    { "i32[2,1] = 0,1", "f32[2,2]" } },
  { "_npi_where_scalar2", "two numbers", "x=1 y=2.5", { "bool[2] = 1,0" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_where", "two types", NULL, { "bool[2] = 1,0", "f32[2]", "i32[2]" }, "float32" },
  { 0 },
};

/* Operand k has axis i of 4, 5 and 6 elements where bit 3 k + i of `axes` is set, else one element. */
static HybTensor *
counted (HybDType dtype, guint axes, guint k, double scale)
{
  guint      has = axes >> 3 * k;
  HybType    type = { hyb_shape_3d (has & 1 ? 4 : 1, has & 2 ? 5 : 1, has & 4 ? 6 : 1), dtype };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (int i = 0; i < hyb_shape_size (&type.shape); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, (gsize) i,
                          k == 0 ? i % 3 == 0 || i % 5 == 2 : scale * (i + 1));
  return tensor;
}

/* The element of a tensor of counted() at an index of the broadcast result. */
static double
element (const HybTensor *tensor, int i, int j, int k)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);
  gint64          at =
      ((shape->dim[0] > 1 ? i : 0) * shape->dim[1] + (shape->dim[1] > 1 ? j : 0)) * shape->dim[2] +
      (shape->dim[2] > 1 ? k : 0);

  return hyb_dtype_get_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor),
                               (gsize) at);
}

/* Every choice of the axes that each operand has. */
static void
test_each_element_is_chosen_by_its_condition (void)
{
  static const HybDType dtypes[] = { HYB_U8, HYB_F16, HYB_F32, HYB_I64 };

  for (guint axes = 0; axes < 512; axes++)
    {
      HybDType dtype = dtypes[axes % G_N_ELEMENTS (dtypes)];
      g_autoptr (HybTensor) condition = counted (HYB_BOOL, axes, 0, 1);
      g_autoptr (HybTensor) x = counted (dtype, axes, 1, 1);
      g_autoptr (HybTensor) y = counted (dtype, axes, 2, 2);
      g_autoptr (HybTensor) out = op_run ("_npi_where", NULL, hyb_tensor_ref (condition),
                                          hyb_tensor_ref (x), hyb_tensor_ref (y), NULL);
      const HybShape *shape = hyb_tensor_get_shape (out);

      for (int i = 0; i < shape->dim[0]; i++)
        for (int j = 0; j < shape->dim[1]; j++)
          for (int k = 0; k < shape->dim[2]; k++)
            g_assert_cmpfloat (element (out, i, j, k), ==,
                               element (element (condition, i, j, k) != 0 ? x : y, i, j, k));
    }
}

TEST_PROGRAM (test_numpy_where)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-where", hyb_ops_numpy_where, samples, refusals);
  g_test_add_func ("/engine/ops/numpy-where/each-element-is-chosen-by-its-condition",
                   test_each_element_is_chosen_by_its_condition);
  return g_test_run ();
}
