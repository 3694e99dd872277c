/* linalg-syrk.c — the product of matrices with their own transposes.
 *
 * Computed as an ordinary product, so that both triangles of the result are written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/linear/linalg-parts.h"

typedef struct
{
  gboolean transpose;
  double   alpha;
} SyrkParams;

static const HybParam syrk_params[] = {
  { HYB_FIELD (SyrkParams, transpose), HYB_PARAM_BOOL, "False",
    .doc = "multiply Aᵀ A instead of A Aᵀ" },
  { HYB_FIELD (SyrkParams, alpha), HYB_PARAM_FLOAT, "1.0", .doc = "multiplies the product" },
  { 0 },
};

static gboolean
syrk_infer_shape (HybCall *call, GError **error)
{
  const SyrkParams *params = call->params;
  HybShape         *a = &call->input[0].shape;
  HybShape         *out = &call->output[0].shape;

  if (!hyb_linalg_expect (a, "A", FALSE, error) ||
      !hyb_linalg_expect (out, "output", TRUE, error) ||
      !hyb_linalg_share_batch (a, 2, out, 2, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN)
    return TRUE;
  return hyb_dim_unify (&a->dim[a->rank - (params->transpose ? 1 : 2)], &out->dim[out->rank - 1],
                        "the sizes of A and of the product", error) &&
         hyb_linalg_expect (out, "output", TRUE, error);
}

static HybGemm
syrk_product (const HybCall *call, HybMatrices *a, HybMatrices *out)
{
  const SyrkParams *params = call->params;

  *a = hyb_linalg_view (&call->input[0].shape);
  *out = hyb_linalg_view (&call->output[0].shape);
  return (HybGemm){
    .transpose_a = params->transpose,
    .transpose_b = !params->transpose,
    .m = out->rows,
    .n = out->rows,
    .k = params->transpose ? a->rows : a->columns,
    .lda = a->columns,
    .ldb = a->columns,
    .ldc = out->rows,
    .alpha = params->alpha,
  };
}

static void
syrk_forward (const HybCall *call, const HybRun *run)
{
  HybMatrices  a, out;
  HybGemm      gemm = syrk_product (call, &a, &out);
  HybGemmBatch batch = { .count = { a.count, 1 },
                         .a = { a.rows * a.columns, 0 },
                         .b = { a.rows * a.columns, 0 },
                         .c = { out.rows * out.columns, 0 } };

  hyb_gemm_batch (&gemm, &batch,
                  &(HybGemmOperands){ .dtype = call->output[0].dtype,
                                      .a = run->input[0],
                                      .b = run->input[0],
                                      .c = run->output[0] });
}

static const char *
syrk_note (const HybCall *call)
{
  HybMatrices a, out;
  HybGemm     gemm = syrk_product (call, &a, &out);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
syrk_cost (const HybCall *call, HybCost *cost)
{
  HybMatrices a, out;
  HybGemm     gemm = syrk_product (call, &a, &out);

  cost->flops = 2.0 * (double) a.count * (double) gemm.m * (double) gemm.n * (double) gemm.k;
  hyb_rule_cost_bytes (call, cost);
}

/* dA = alpha (dB + dBᵀ) A, or alpha A (dB + dBᵀ) for Aᵀ A. */
static void
syrk_gradient (HybGrad *grad)
{
  const SyrkParams *params = hyb_grad_params (grad);
  HybValueId        a = hyb_grad_input (grad, 0), db = hyb_grad_incoming (grad, 0);
  HybValueId        straight, turned;

  if (params->transpose)
    {
      straight = hyb_linalg_emit_product (grad, (HybFactor){ a, FALSE }, (HybFactor){ db, FALSE },
                                          params->alpha);
      turned = hyb_linalg_emit_product (grad, (HybFactor){ a, FALSE }, (HybFactor){ db, TRUE },
                                        params->alpha);
    }
  else
    {
      straight = hyb_linalg_emit_product (grad, (HybFactor){ db, FALSE }, (HybFactor){ a, FALSE },
                                          params->alpha);
      turned = hyb_linalg_emit_product (grad, (HybFactor){ db, TRUE }, (HybFactor){ a, FALSE },
                                        params->alpha);
    }
  hyb_grad_set_input (grad, 0, hyb_grad_emit (grad, "elemwise_add", straight, turned, HYB_NO_ID));
}

static const char *const syrk_inputs[] = { "A", NULL };
static const char *const syrk_aliases[] = { "linalg_syrk", NULL };

const HybOp hyb_ops_linalg_syrk[] = {
  {
      .name = "_linalg_syrk",
      .aliases = syrk_aliases,
      .doc = "alpha times A Aᵀ, or times Aᵀ A.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = syrk_inputs,
      HYB_PARAMS (syrk_params, SyrkParams),
      .infer_shape = syrk_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = syrk_forward,
      .note = syrk_note,
      .gradient = syrk_gradient,
      .cost = syrk_cost,
  },
  { 0 },
};
