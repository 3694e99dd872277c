/* dot.c — dot, batch_dot and their gradients: products of matrices.
 *
 * dot contracts the last axis of lhs with the first of rhs (or, transposed, first with last).  Each
 * operand is seen as one matrix, in which all other axes are merged, so that every case is a single
 * call of hyb_gemm().  batch_dot multiplies matrices in pairs.  Start with dot_matrices().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  gboolean transpose_a;
  gboolean transpose_b;
  int      forward_stype;
} DotParams;

static const char *const storage_choices[] = { "None", "default", "row_sparse", "csr", NULL };

static const HybParam dot_params[] = {
  { HYB_FIELD (DotParams, transpose_a), HYB_PARAM_BOOL, "False", .doc = "transpose the left side" },
  { HYB_FIELD (DotParams, transpose_b), HYB_PARAM_BOOL, "False",
    .doc = "transpose the right side" },
  { HYB_FIELD (DotParams, forward_stype), HYB_PARAM_ENUM, "None", .choices = storage_choices,
    .doc = "requested storage of the result; always dense" },
  { 0 },
};

/* The product of both sides as matrices: op(lhs) is m × k, op(rhs) is k × n. */
static HybGemm
dot_matrices (const DotParams *params, const HybShape *lhs, const HybShape *rhs)
{
  int     first = params->transpose_a ? 0 : lhs->rank - 1;
  int     second = params->transpose_b ? rhs->rank - 1 : 0;
  HybGemm gemm = { .transpose_a = params->transpose_a,
                   .transpose_b = params->transpose_b,
                   .alpha = 1 };

  gemm.k = lhs->dim[first];
  gemm.m = hyb_shape_count (lhs, 0, first) * hyb_shape_count (lhs, first + 1, lhs->rank);
  gemm.n = hyb_shape_count (rhs, 0, second) * hyb_shape_count (rhs, second + 1, rhs->rank);
  gemm.lda = MAX (1, gemm.transpose_a ? gemm.m : gemm.k);
  gemm.ldb = MAX (1, gemm.transpose_b ? gemm.k : gemm.n);
  gemm.ldc = MAX (1, gemm.n);
  return gemm;
}

static gboolean
refuse_inner (const HybShape *lhs, const HybShape *rhs, GError **error)
{
  g_autofree char *left = hyb_shape_to_string (lhs);
  g_autofree char *right = hyb_shape_to_string (rhs);

  return hyb_refuse_types (error,
                           "The contracted dimensions must be equal; check transpose_a and "
                           "transpose_b",
                           "shapes %s and %s cannot be multiplied", left, right);
}

static gboolean
dot_infer_shape (HybCall *call, GError **error)
{
  const DotParams *params = call->params;
  HybShape        *lhs = &call->input[0].shape;
  HybShape        *rhs = &call->input[1].shape;
  HybShape         rest_left, rest_right;
  HybShape         out = { .rank = 0 };
  int              first, second;

  if (lhs->rank == HYB_UNKNOWN || rhs->rank == HYB_UNKNOWN)
    return TRUE;
  if (lhs->rank == 0 || rhs->rank == 0 || lhs->rank + rhs->rank - 2 > HYB_MAX_RANK)
    return refuse_inner (lhs, rhs, error);
  if (lhs->rank == 1 && rhs->rank == 1 && (params->transpose_a || params->transpose_b))
    return hyb_refuse_types (error, "Leave out transpose_a and transpose_b",
                             "vectors cannot be transposed");

  first = params->transpose_a ? 0 : lhs->rank - 1;
  second = params->transpose_b ? rhs->rank - 1 : 0;
  if (!hyb_dim_unify (&lhs->dim[first], &rhs->dim[second], "the contracted dimensions", NULL))
    return refuse_inner (lhs, rhs, error);

  rest_left = hyb_dims_without (lhs, first);
  rest_right = hyb_dims_without (rhs, second);
  for (int i = 0; i < rest_left.rank; i++)
    out.dim[out.rank++] = rest_left.dim[i];
  for (int i = 0; i < rest_right.rank; i++)
    out.dim[out.rank++] = rest_right.dim[i];
  if (out.rank == 0)
    out = hyb_shape_1d (1);
  if (!hyb_shape_unify (&call->output[0].shape, &out, error))
    return FALSE;

  for (int i = 0; i < rest_left.rank; i++)
    lhs->dim[i < first ? i : i + 1] = out.dim[i];
  for (int i = 0; i < rest_right.rank; i++)
    rhs->dim[i < second ? i : i + 1] = out.dim[rest_left.rank + i];
  return TRUE;
}

static void
dot_forward (const HybCall *call, const HybRun *run)
{
  HybGemm gemm = dot_matrices (call->params, &call->input[0].shape, &call->input[1].shape);

  hyb_gemm (&gemm, call->output[0].dtype, run->input[0], run->input[1], run->output[0]);
}

static const char *
dot_note (const HybCall *call)
{
  HybGemm gemm = dot_matrices (call->params, &call->input[0].shape, &call->input[1].shape);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
dot_cost (const HybCall *call, HybCost *cost)
{
  HybGemm gemm = dot_matrices (call->params, &call->input[0].shape, &call->input[1].shape);

  cost->flops = 2.0 * (double) gemm.m * (double) gemm.n * (double) gemm.k;
  hyb_rule_cost_bytes (call, cost);
}

/* C = A B gives dA = dC Bᵀ.  With transpose_a lhs is stored as Aᵀ, whose gradient is B dCᵀ. */
static void
backward_lhs_forward (const HybCall *call, const HybRun *run)
{
  HybGemm forward = dot_matrices (call->params, &call->input[1].shape, &call->input[2].shape);
  HybGemm gemm = { .k = forward.n, .alpha = 1, .ldc = forward.lda };

  if (!forward.transpose_a)
    {
      gemm.m = forward.m;
      gemm.n = forward.k;
      gemm.lda = forward.ldc;
      gemm.ldb = forward.ldb;
      gemm.transpose_b = !forward.transpose_b;
      hyb_gemm (&gemm, call->output[0].dtype, run->input[0], run->input[2], run->output[0]);
      return;
    }

  gemm.m = forward.k;
  gemm.n = forward.m;
  gemm.lda = forward.ldb;
  gemm.ldb = forward.ldc;
  gemm.transpose_a = forward.transpose_b;
  gemm.transpose_b = TRUE;
  hyb_gemm (&gemm, call->output[0].dtype, run->input[2], run->input[0], run->output[0]);
}

/* C = A B gives dB = Aᵀ dC.  With transpose_b rhs is stored as Bᵀ, whose gradient is dCᵀ A. */
static void
backward_rhs_forward (const HybCall *call, const HybRun *run)
{
  HybGemm forward = dot_matrices (call->params, &call->input[1].shape, &call->input[2].shape);
  HybGemm gemm = { .k = forward.m, .alpha = 1, .ldc = forward.ldb };

  if (!forward.transpose_b)
    {
      gemm.m = forward.k;
      gemm.n = forward.n;
      gemm.lda = forward.lda;
      gemm.ldb = forward.ldc;
      gemm.transpose_a = !forward.transpose_a;
      hyb_gemm (&gemm, call->output[0].dtype, run->input[1], run->input[0], run->output[0]);
      return;
    }

  gemm.m = forward.n;
  gemm.n = forward.k;
  gemm.lda = forward.ldc;
  gemm.ldb = forward.lda;
  gemm.transpose_a = TRUE;
  gemm.transpose_b = forward.transpose_a;
  hyb_gemm (&gemm, call->output[0].dtype, run->input[0], run->input[1], run->output[0]);
}

static void
backward_dot_cost (const HybCall *call, HybCost *cost)
{
  HybGemm gemm = dot_matrices (call->params, &call->input[1].shape, &call->input[2].shape);

  cost->flops = 2.0 * (double) gemm.m * (double) gemm.n * (double) gemm.k;
  hyb_rule_cost_bytes (call, cost);
}

/* --- batch_dot: the last two axes are matrices, the axes before them count matrices --- */

static gboolean
batch_dot_infer_shape (HybCall *call, GError **error)
{
  const DotParams *params = call->params;
  HybShape        *lhs = &call->input[0].shape;
  HybShape        *rhs = &call->input[1].shape;
  HybShape        *out = &call->output[0].shape;
  HybShape         ranked = HYB_SHAPE_UNKNOWN;
  int              rank = MAX (MAX (lhs->rank, rhs->rank), out->rank);

  if (rank == HYB_UNKNOWN)
    return TRUE;
  if (rank < 3)
    return hyb_refuse_types (error, "Use dot for two matrices",
                             "batch_dot needs inputs of at least 3 dimensions, not %d", rank);

  ranked = hyb_shape_make (rank, NULL);
  if (!hyb_shape_assign (lhs, &ranked, error) || !hyb_shape_assign (rhs, &ranked, error) ||
      !hyb_shape_assign (out, &ranked, error))
    return FALSE;

  for (int i = 0; i < rank - 2; i++)
    if (!hyb_dim_unify (&lhs->dim[i], &rhs->dim[i], "the leading dimensions of both sides",
                        error) ||
        !hyb_dim_unify (&lhs->dim[i], &out->dim[i], "the leading dimensions", error) ||
        !hyb_dim_unify (&lhs->dim[i], &rhs->dim[i], "the leading dimensions", error))
      return FALSE;

  if (!hyb_dim_unify (&lhs->dim[params->transpose_a ? rank - 2 : rank - 1],
                      &rhs->dim[params->transpose_b ? rank - 1 : rank - 2],
                      "the contracted dimensions", NULL))
    return refuse_inner (lhs, rhs, error);

  return hyb_dim_unify (&lhs->dim[params->transpose_a ? rank - 1 : rank - 2], &out->dim[rank - 2],
                        "the rows", error) &&
         hyb_dim_unify (&rhs->dim[params->transpose_b ? rank - 2 : rank - 1], &out->dim[rank - 1],
                        "the columns", error);
}

static HybGemm
batch_dot_matrices (const HybCall *call, HybGemmBatch *batch)
{
  const DotParams *params = call->params;
  const HybShape  *lhs = &call->input[0].shape;
  const HybShape  *rhs = &call->input[1].shape;
  const HybShape  *out = &call->output[0].shape;
  int              rank = out->rank;
  gint64           n = hyb_shape_count (out, 0, rank - 2);

  *batch = (HybGemmBatch){
    .count = { 1, n },
    .a = { 0, hyb_shape_count (lhs, rank - 2, rank) },
    .b = { 0, hyb_shape_count (rhs, rank - 2, rank) },
    .c = { 0, hyb_shape_count (out, rank - 2, rank) },
  };

  return (HybGemm){
    .transpose_a = params->transpose_a,
    .transpose_b = params->transpose_b,
    .m = out->dim[rank - 2],
    .n = out->dim[rank - 1],
    .k = lhs->dim[params->transpose_a ? rank - 2 : rank - 1],
    .lda = MAX (1, lhs->dim[rank - 1]),
    .ldb = MAX (1, rhs->dim[rank - 1]),
    .ldc = MAX (1, out->dim[rank - 1]),
    .alpha = 1,
  };
}

static void
batch_dot_forward (const HybCall *call, const HybRun *run)
{
  HybGemmBatch batch;
  HybGemm      gemm = batch_dot_matrices (call, &batch);

  hyb_gemm_batch (&gemm, &batch,
                  &(HybGemmOperands){ .dtype = call->output[0].dtype,
                                      .a = run->input[0],
                                      .b = run->input[1],
                                      .c = run->output[0] });
}

static const char *
batch_dot_note (const HybCall *call)
{
  HybGemmBatch batch;
  HybGemm      gemm = batch_dot_matrices (call, &batch);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
batch_dot_cost (const HybCall *call, HybCost *cost)
{
  HybGemmBatch batch;
  HybGemm      gemm = batch_dot_matrices (call, &batch);

  cost->flops = 2.0 * (double) gemm.m * (double) gemm.n * (double) gemm.k * (double) batch.count[1];
  hyb_rule_cost_bytes (call, cost);
}

/* Emits op(a) op(b). */
static HybValueId
emit_batch_dot (HybGrad   *grad,
                HybValueId a,
                gboolean   transpose_a,
                HybValueId b,
                gboolean   transpose_b)
{
  const HybValueId  inputs[] = { a, b };
  const char *const attributes[] = { "transpose_a", transpose_a ? "True" : "False", "transpose_b",
                                     transpose_b ? "True" : "False", NULL };

  return hyb_grad_emit_with (grad, "batch_dot", attributes, 2, inputs);
}

static void
batch_dot_gradient (HybGrad *grad)
{
  const DotParams *params = hyb_grad_params (grad);
  gboolean         ta = params->transpose_a;
  gboolean         tb = params->transpose_b;
  HybValueId       a = hyb_grad_input (grad, 0);
  HybValueId       b = hyb_grad_input (grad, 1);
  HybValueId       dc = hyb_grad_incoming (grad, 0);

  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0,
                        ta ? emit_batch_dot (grad, b, tb, dc, TRUE)
                           : emit_batch_dot (grad, dc, FALSE, b, !tb));
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1,
                        tb ? emit_batch_dot (grad, dc, TRUE, a, ta)
                           : emit_batch_dot (grad, a, !ta, dc, FALSE));
}

static const char *const product_inputs[] = { "lhs", "rhs", NULL };
static const char *const backward_inputs[] = { "gradient", "lhs", "rhs", NULL };

const HybOp hyb_ops_dot[] = {
  {
      .name = "dot",
      .doc = "Contracts the last axis of the left side with the first of the right.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = product_inputs,
      HYB_PARAMS (dot_params, DotParams),
      .infer_shape = dot_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = dot_forward,
      .note = dot_note,
      HYB_GRADIENT ("_backward_dot_lhs* (g0, i0, i1) > i0; _backward_dot_rhs* (g0, i0, i1) > i1"),
      .cost = dot_cost,
  },
  {
      .name = "_backward_dot_lhs",
      .doc = "Gradient of dot for its left side.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "dot",
      .operands = "g0 i0 i1 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (dot_params, DotParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_lhs_forward,
      /* Both gradients are linear in the incoming gradient (i0) and in the other side. */
      HYB_GRADIENT ("dot* (g0, i2) > i0; _backward_dot_rhs* (i0, g0, i2) > i2"),
      .cost = backward_dot_cost,
  },
  {
      .name = "_backward_dot_rhs",
      .doc = "Gradient of dot for its right side.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "dot",
      .operands = "g0 i0 i1 > i1",
      .inputs = backward_inputs,
      HYB_PARAMS (dot_params, DotParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_rhs_forward,
      HYB_GRADIENT ("dot* (i1, g0) > i0; _backward_dot_lhs* (i0, i1, g0) > i1"),
      .cost = backward_dot_cost,
  },
  {
      .name = "batch_dot",
      .doc = "Multiplies pairs of matrices, which are the last two axes of the inputs.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = product_inputs,
      HYB_PARAMS (dot_params, DotParams),
      .infer_shape = batch_dot_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = batch_dot_forward,
      .note = batch_dot_note,
      .gradient = batch_dot_gradient,
      .cost = batch_dot_cost,
  },
  { 0 },
};
