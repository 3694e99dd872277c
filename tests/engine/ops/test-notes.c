/* test-notes.c — what operators that multiply say about the kernels that compute them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan.h"
#include "tests/engine/ops/op-case.h"
#include "tests/program.h"

#include <string.h>

/* Products of few rows and small ones depend on the instruction set; those here do not. */
static const struct
{
  const char *op, *attributes;
  const char *inputs[6];
  const char *note;
} notes[] = {
  { "Deconvolution",
    "kernel=(3, 3) num_filter=2",
    { "f32[1,3,5,5]", "f32[3,2,3,3]" },
    "columns of the image and a matrix product" },
  { "Deconvolution",
    "kernel=(1, 1) num_filter=2",
    { "f32[1,3,5,5]", "f32[3,2,1,1]" },
    "matrix product with the image as it lies" },
  { "_backward_Deconvolution_data",
    "kernel=(3, 3) num_filter=2",
    { "f32[1,2,7,7]", "f32[3,2,3,3]", "f32[1,3,5,5]" },
    "columns of the image and a matrix product" },
  { "_backward_Deconvolution_weight",
    "kernel=(3, 3) num_filter=2",
    { "f32[1,2,7,7]", "f32[1,3,5,5]", "f32[3,2,3,3]" },
    "columns of the image and a matrix product" },
  { "_backward_Convolution_weight",
    "kernel=(3, 3) num_filter=4 num_group=4",
    { "f32[1,4,5,5]", "f32[1,4,7,7]", "f32[4,1,3,3]" },
    "depthwise, tap by tap" },
  { "_backward_Convolution_weight",
    "kernel=(3, 3) num_filter=2",
    { "f32[20,2,5,5]", "f32[20,3,7,7]", "f32[2,3,3,3]" },
    "columns of several samples and a matrix product" },
  { "_contrib_interleaved_matmul_selfatt_qk", "heads=2", { "f64[40,2,48]" }, "OpenBLAS dgemm" },
  { "_contrib_interleaved_matmul_selfatt_valatt",
    "heads=2",
    { "f64[40,2,48]", "f64[4,40,40]" },
    "OpenBLAS dgemm" },
  { "_contrib_interleaved_matmul_encdec_valatt",
    "heads=2",
    { "f64[4,2,8]", "f64[4,1,4]" },
    "OpenBLAS dgemv" },
  { "_scaled_attention",
    "scale=0.5",
    { "f32[2,8,8]", "f32[2,8,8]", "f32[2,8,8]" },
    "tiles of the result, in registers" },
  { "_backward_interleaved_matmul_selfatt_qk",
    "heads=2",
    { "f64[4,40,40]", "f64[40,2,48]" },
    "OpenBLAS dgemm" },
  { "_backward_interleaved_matmul_selfatt_valatt",
    "heads=2",
    { "f64[40,2,16]", "f64[40,2,48]", "f64[4,40,40]" },
    "OpenBLAS dgemm" },
  { "_backward_interleaved_matmul_encdec_qk",
    "heads=2",
    { "f64[4,1,40]", "f64[1,2,16]", "f64[40,2,32]" },
    "OpenBLAS dgemv" },
  { "_backward_interleaved_matmul_encdec_valatt",
    "heads=2",
    { "f64[1,2,16]", "f64[40,2,32]", "f64[4,1,40]" },
    "OpenBLAS dgemv" },
  { "_linalg_gemm", NULL, { "f64[2,3,4]", "f64[2,4,5]", "f64[2,3,5]" }, "OpenBLAS dgemm" },
  { "_linalg_gemm2", "transpose_b=True", { "f64[3,4]", "f64[5,4]" }, "OpenBLAS dgemm" },
  { "_linalg_syrk", NULL, { "f64[3,4]" }, "OpenBLAS dgemm" },
  { "_np_dot", NULL, { "f64[3,4]", "f64[4,5]" }, "OpenBLAS dgemm" },
  { "_npi_tensordot",
    "a_axes_summed=(0,) b_axes_summed=(1,)",
    { "f64[4,3]", "f64[5,4]" },
    "OpenBLAS dgemm" },
  { "_backward_npi_tensordot_int_axes_lhs",
    "axes=1",
    { "f64[3,5]", "f64[3,4]", "f64[4,5]" },
    "OpenBLAS dgemm" },
  { "_backward_npi_tensordot_int_axes_rhs",
    "axes=1",
    { "f64[3,5]", "f64[3,4]", "f64[4,5]" },
    "OpenBLAS dgemm" },
  { "_npi_matmul", NULL, { "f64[3,4]", "f64[4,5]" }, "OpenBLAS dgemm" },
  { "_contrib_DeformableConvolution",
    "kernel=(2, 2) num_filter=3 no_bias=True",
    { "f64[1,2,5,5]", "f64[1,8,4,4]", "f64[3,2,2,2]" },
    "OpenBLAS dgemm" },
  { "_backward_ModulatedDeformableConvolution",
    "kernel=(2, 2) num_filter=3",
    { "f64[1,3,4,4]", "f64[1,2,5,5]", "f64[1,8,4,4]", "f64[1,4,4,4]", "f64[3,2,2,2]" },
    "OpenBLAS dgemm" },
  { "_npi_pinv_scalar_rcond", NULL, { "f32[3,4]" }, "OpenBLAS sgesvd" },
  { "_npi_tensorinv", "ind=1", { "f64[4,2,2]" }, "OpenBLAS dgetrf" },
  { "_backward_npi_tensorinv", "ind=1", { "f64[2,2,4]", "f64[2,2,4]" }, "OpenBLAS dgemm" },
  { "_npi_tensorsolve", NULL, { "f32[2,2,4]", "f32[2,2]" }, "OpenBLAS sgetrf" },
  { "_npi_solve", NULL, { "f64[3,3]", "f64[3,2]" }, "OpenBLAS dgetrf" },
  { "_linalg_inverse", NULL, { "f32[3,3]" }, "OpenBLAS sgetrf" },
  { "_linalg_potrf", NULL, { "f32[3,3]" }, "OpenBLAS spotrf" },
  { "_linalg_gelqf", NULL, { "f64[3,4]" }, "OpenBLAS dgeqrf" },
  { "_linalg_syevd", NULL, { "f32[3,3]" }, "OpenBLAS ssyevd" },
  { "_npi_eigvals", NULL, { "f64[3,3]" }, "OpenBLAS dgeev" },
  { "_narrow_product",
    "num_hidden=4 no_bias=True",
    { "f32[8,3]", "f16[4,3]" },
    "narrow weights, converted as they are read" },
  { "_narrow_product",
    "num_hidden=4 no_bias=True",
    { "f32[9,3]", "f16[4,3]" },
    "narrow weights, converted in pieces and multiplied as floats" },
};

static void
test_products_say_which_kernel_computes_them (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    {
      OpCase this = { .op = hyb_op_find (notes[i].op),
                      .attributes_text = notes[i].attributes,
                      .inputs_text = notes[i].inputs };
      g_autoptr (OpCaseGraph) sample = op_case_new_sample (&this, TRUE);
      g_autofree HybType *types = g_new (HybType, sample->inputs->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (HybPlan) plan = NULL;
      g_autofree char *text = NULL, *want = g_strdup_printf (", %s", notes[i].note);

      for (guint k = 0; k < sample->inputs->len; k++)
        types[k] = *hyb_tensor_get_type (sample->inputs->pdata[k]);
      plan = hyb_plan_new (sample->graph, types, &(HybPlanOptions){ 0 }, &error);
      g_assert_no_error (error);
      text = hyb_plan_print (plan);
      if (!strstr (text, want))
        g_error ("%s: “%s” is missing in\n%s", notes[i].op, want, text);
    }
}

TEST_PROGRAM (test_notes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/notes/products-say-which-kernel-computes-them",
                   test_products_say_which_kernel_computes_them);
  return g_test_run ();
}
