/* gemm.c — matrix products: Gemm and MatMul.
 *
 * Gemm is alpha · A′ B′ + beta · C, where C is broadcast; MatMul is NumPy's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

static HybValueId
scale (HybLowering *lowering, HybValueId x, double factor)
{
  if (factor == 1)
    return x;
  return hyb_lowering_emit (lowering,
                            "_mul_scalar",
                            1,
                            &x,
                            "scalar",
                            hyb_lowering_text (lowering, "%.17g", factor),
                            NULL);
}

static void
lower_gemm (HybLowering *lowering)
{
  static const gint64 swapped[] = { 1, 0 };
  HybValueId          a = hyb_onnx_input (lowering, 0), b = hyb_onnx_input (lowering, 1), y;

  if (hyb_onnx_int (lowering, "transA", 0))
    a = hyb_onnx_transpose (lowering, a, 2, swapped);
  if (hyb_onnx_int (lowering, "transB", 0))
    b = hyb_onnx_transpose (lowering, b, 2, swapped);
  y = scale (lowering,
             hyb_onnx_binary (lowering, "_npi_matmul", a, b),
             hyb_onnx_float (lowering, "alpha", 1));
  if (hyb_onnx_has_input (lowering, 2))
    y = hyb_onnx_binary (lowering,
                         "broadcast_add",
                         y,
                         scale (lowering,
                                hyb_onnx_input (lowering, 2),
                                hyb_onnx_float (lowering, "beta", 1)));
  hyb_lowering_set_output (lowering, 0, y);
}

static void
lower_matmul (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering,
                           0,
                           hyb_onnx_binary (lowering,
                                            "_npi_matmul",
                                            hyb_onnx_input (lowering, 0),
                                            hyb_onnx_input (lowering, 1)));
}

static const char *const gemm_inputs[] = { "A", "B", "C", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_gemm[] = {
  { .op = { HYB_ONNX_ROW,
            .name = "Gemm",
            .doc = "A matrix product with an optional bias.",
            .category = HYB_CATEGORY_LINEAR,
            .inputs = gemm_inputs,
            .outputs = outputs,
            .lower = lower_gemm },
    .since = 7 },
  { .op = { HYB_ONNX_ROW,
            .name = "MatMul",
            .doc = "A matrix product, over all leading axes as in NumPy.",
            .category = HYB_CATEGORY_LINEAR,
            .inputs = gemm_inputs,
            .outputs = outputs,
            .lower = lower_matmul },
    .since = 1 },
  { .since = 0 },
};
