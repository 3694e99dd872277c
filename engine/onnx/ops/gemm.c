/* gemm.c — matrix products: Gemm and MatMul.
 *
 * Gemm is alpha · A′ B′ + beta · C, where C is broadcast; MatMul is NumPy's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

/* A Gemm as exporters write linear layers: x Wᵀ + b, which is one operator of the engine. */
static gboolean
is_linear (HybLowering *lowering)
{
  const HybType *weight = hyb_onnx_type (lowering, 1);

  return hyb_onnx_int (lowering, "transB", 0) && !hyb_onnx_int (lowering, "transA", 0) &&
         hyb_onnx_float (lowering, "alpha", 1) == 1 && weight->shape.rank == 2 &&
         weight->shape.dim[0] > 0 && hyb_dtype_is_float (weight->dtype);
}

/* Whether input C is one number for each column, which FullyConnected adds itself. */
static gboolean
has_bias (HybLowering *lowering, gint64 width)
{
  const HybShape *shape = &hyb_onnx_type (lowering, 2)->shape;

  return hyb_onnx_has_input (lowering, 2) && hyb_onnx_float (lowering, "beta", 1) == 1 &&
         shape->rank == 1 && shape->dim[0] == width;
}

static HybValueId
lower_linear (HybLowering *lowering, gboolean with_bias)
{
  gint64     width = hyb_onnx_type (lowering, 1)->shape.dim[0];
  HybValueId inputs[] = { hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1),
                          with_bias ? hyb_onnx_input (lowering, 2) : HYB_NO_ID };

  return hyb_lowering_emit (lowering, "FullyConnected", with_bias ? 3 : 2, inputs, "flatten",
                            "False", "no_bias", with_bias ? "False" : "True", "num_hidden",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, width), NULL);
}

/* A′ B′ times alpha. */
static HybValueId
lower_product (HybLowering *lowering)
{
  static const gint64 swapped[] = { 1, 0 };
  HybValueId          a = hyb_onnx_input (lowering, 0), b = hyb_onnx_input (lowering, 1);

  if (hyb_onnx_int (lowering, "transA", 0))
    a = hyb_onnx_transpose (lowering, a, 2, swapped);
  if (hyb_onnx_int (lowering, "transB", 0))
    b = hyb_onnx_transpose (lowering, b, 2, swapped);
  return onnx_scale (lowering, hyb_onnx_binary (lowering, "_npi_matmul", a, b),
                     hyb_onnx_float (lowering, "alpha", 1));
}

static void
lower_gemm (HybLowering *lowering)
{
  gboolean   is_layer = is_linear (lowering);
  gboolean   with_bias = is_layer && has_bias (lowering, hyb_onnx_type (lowering, 1)->shape.dim[0]);
  HybValueId y = is_layer ? lower_linear (lowering, with_bias) : lower_product (lowering);

  if (hyb_onnx_has_input (lowering, 2) && !with_bias)
    y = hyb_onnx_binary (lowering, "broadcast_add", y,
                         onnx_scale (lowering, hyb_onnx_input (lowering, 2),
                                     hyb_onnx_float (lowering, "beta", 1)));
  hyb_lowering_set_output (lowering, 0, y);
}

static void
lower_matmul (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_binary (lowering, "_npi_matmul", hyb_onnx_input (lowering, 0),
                                            hyb_onnx_input (lowering, 1)));
}

static void
lower_einsum (HybLowering *lowering)
{
  guint                  n = hyb_onnx_n_inputs (lowering);
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (n, 1));
  g_auto (GStrv) words = g_strsplit (hyb_onnx_string (lowering, "equation", ""), " ", -1);
  g_autofree char *equation = g_strjoinv ("", words);

  for (guint i = 0; i < n; i++)
    inputs[i] = hyb_onnx_input (lowering, i);
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_npi_einsum", n, inputs, "num_args",
                                              hyb_lowering_text (lowering, "%u", n), "subscripts",
                                              equation, NULL));
}

static const char *const det_inputs[] = { "X", NULL };
static const char *const einsum_inputs[] = { "Inputs", NULL };
static const char *const gemm_inputs[] = { "A", "B", "C", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_gemm[] = {
  { .op = { HYB_ONNX_ROW, .name = "Gemm", .doc = "A matrix product with an optional bias.",
            .category = HYB_CATEGORY_LINEAR, .inputs = gemm_inputs, .outputs = outputs,
            .lower = lower_gemm },
    .since =
        1 }, /* before version 7 broadcasting of C is an attribute; here it follows from the shape */
  { .op = { HYB_ONNX_ROW, .name = "MatMul",
            .doc = "A matrix product, over all leading axes as in NumPy.",
            .category = HYB_CATEGORY_LINEAR, .inputs = gemm_inputs, .outputs = outputs,
            .lower = lower_matmul },
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "Einsum",
            .doc = "Sums of products of arrays whose axes are named by letters.",
            .category = HYB_CATEGORY_LINEAR, .inputs = einsum_inputs, .outputs = outputs,
            .lower = lower_einsum },
    .since = 12 },
  { .op = { HYB_ONNX_ROW, .name = "Det", .doc = "The determinant of every matrix.",
            .category = HYB_CATEGORY_LINEAR, .inputs = det_inputs, .outputs = outputs,
            .lower = hyb_onnx_lower_same },
    .since = 11,
    .engine = "_linalg_det" },
  { .op = { HYB_ONNX_ROW, .name = "Inverse", .doc = "The inverse of every matrix.",
            .category = HYB_CATEGORY_LINEAR, .inputs = det_inputs, .outputs = outputs,
            .lower = hyb_onnx_lower_same },
    .domain = "com.microsoft",
    .since = 1,
    .engine = "_linalg_inverse" },
  { .since = 0 },
};
