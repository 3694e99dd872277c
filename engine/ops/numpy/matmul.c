/* matmul.c — _npi_matmul: products of matrices in the last two axes; the axes before them are broadcast,
 * and vectors are rows on the left and columns on the right.
 *
 * Every pair of matrices is one call of hyb_gemm(), of hyb_half_gemm() if they are half floats.  Gradients add to the matrix
 * of each operand, which sums over broadcast axes.  Start with matmul_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/matrix/half-gemm.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/matrix-pairs.h"

#include <string.h>

/* The product of each pair: C = op(A) op(B), or an addition to C. */
typedef struct
{
  HybGemm       gemm;
  HybDType      dtype;
  const char   *x, *y;
  char         *to;
  gpointer      workspace; /* of hyb_half_gemm() */
  const gint64 *stride_x, *stride_y, *stride_to;
} Task;

static gboolean
is_half (HybDType dtype)
{
  return dtype == HYB_F16 || dtype == HYB_BF16;
}

static void
multiply_pair (const Task *task, gconstpointer x, gconstpointer y, gpointer to)
{
  const HybGemm *gemm = &task->gemm;

  if (is_half (task->dtype))
    hyb_half_gemm (&(HybHalfGemm){ .dtype = task->dtype,
                                   .m = gemm->m,
                                   .n = gemm->n,
                                   .k = gemm->k,
                                   .a = x,
                                   .b = y,
                                   .c = to,
                                   .workspace = task->workspace });
  else
    hyb_gemm (gemm, task->dtype, x, y, to);
}

/* What threads share; no pair may add to the matrix of another one. */
typedef struct
{
  const HybMatrixPairs *product;
  const Task           *task;
} Job;

static void
multiply_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job            *job = data;
  const Task           *task = job->task;
  const HybMatrixPairs *product = job->product;
  gint64                item = (gint64) hyb_dtype_size (task->dtype);

  for (gint64 i = begin; i < end; i++)
    multiply_pair (task, task->x + hyb_matrix_pairs_offset (product, task->stride_x, i) * item,
                   task->y + hyb_matrix_pairs_offset (product, task->stride_y, i) * item,
                   task->to + hyb_matrix_pairs_offset (product, task->stride_to, i) * item);
}

/* Computes every pair of matrices, one after the other. */
static void
each_matrix (const HybMatrixPairs *product, const Task *task)
{
  multiply_slice (0, hyb_matrix_pairs_count (product), &(Job){ product, task });
}

/* The pairs of the two inputs.  Where the matrix on the right is the same in all, the matrices on the left, which follow each
 * other, are the rows of a single one. */
static HybMatrixPairs
find_product (const HybCall *call)
{
  HybMatrixPairs product = hyb_matrix_pairs_find (&call->input[0].shape, &call->input[1].shape);
  gint64         step = product.m * product.k;

  for (int i = product.rank - 1; i >= 0; i--)
    {
      if (product.dim[i] != 1 && (product.b[i] != 0 || product.a[i] != step))
        return product;
      step *= product.dim[i];
    }
  product.m *= hyb_matrix_pairs_count (&product);
  product.rank = 0;
  return product;
}

static gsize
matmul_workspace (const HybCall *call)
{
  HybMatrixPairs product;

  if (!is_half (call->output[0].dtype))
    return 0;
  product = find_product (call);
  return hyb_half_gemm_workspace (product.m, product.n, product.k);
}

static const char *
matmul_note (const HybCall *call)
{
  HybMatrixPairs product = find_product (call);
  HybGemm        gemm = hyb_gemm_dense (product.m, product.n, product.k, FALSE, FALSE);

  return is_half (call->output[0].dtype) ? NULL : hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
matmul_forward (const HybCall *call, const HybRun *run)
{
  HybMatrixPairs product = find_product (call);
  gint64         stride[HYB_MAX_RANK];
  Task           task = {
              .gemm = hyb_gemm_dense (product.m, product.n, product.k, FALSE, FALSE),
              .dtype = call->output[0].dtype,
              .x = run->input[0],
              .y = run->input[1],
              .to = run->output[0],
              .workspace = run->workspace,
              .stride_x = product.a,
              .stride_y = product.b,
              .stride_to = stride,
  };

  hyb_matrix_pairs_result (&product, stride);
  if (is_half (task.dtype))
    each_matrix (&product, &task);
  else
    hyb_gemm_share (&task.gemm, hyb_matrix_pairs_count (&product), multiply_slice,
                    &(Job){ &product, &task });
}

/* Inputs: gradient g, a, b.  The gradient of a is g bᵀ, summed over the axes where a was repeated. */
static void
backward_lhs (const HybCall *call, const HybRun *run)
{
  HybMatrixPairs product = hyb_matrix_pairs_find (&call->input[1].shape, &call->input[2].shape);
  gint64         stride[HYB_MAX_RANK];
  Task           task = {
              .gemm = hyb_gemm_dense (product.m, product.k, product.n, FALSE, TRUE),
              .dtype = call->output[0].dtype,
              .x = run->input[0],
              .y = run->input[2],
              .to = run->output[0],
              .stride_x = stride,
              .stride_y = product.b,
              .stride_to = product.a,
  };

  task.gemm.beta = 1;
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_matrix_pairs_result (&product, stride);
  each_matrix (&product, &task);
}

/* The gradient of b is aᵀ g. */
static void
backward_rhs (const HybCall *call, const HybRun *run)
{
  HybMatrixPairs product = hyb_matrix_pairs_find (&call->input[1].shape, &call->input[2].shape);
  gint64         stride[HYB_MAX_RANK];
  Task           task = {
              .gemm = hyb_gemm_dense (product.k, product.n, product.m, TRUE, FALSE),
              .dtype = call->output[0].dtype,
              .x = run->input[1],
              .y = run->input[0],
              .to = run->output[0],
              .stride_x = product.a,
              .stride_y = stride,
              .stride_to = product.b,
  };

  task.gemm.beta = 1;
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_matrix_pairs_result (&product, stride);
  each_matrix (&product, &task);
}

static void
matmul_cost (const HybCall *call, HybCost *cost)
{
  HybMatrixPairs product = hyb_matrix_pairs_find (&call->input[0].shape, &call->input[1].shape);

  cost->flops = 2.0 * (double) product.m * (double) product.n * (double) product.k *
                (double) hyb_matrix_pairs_count (&product);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const inputs[] = { "a", "b", NULL };
static const char *const outputs[] = { "out", NULL };
static const char *const backward_inputs[] = { "gradient", "a", "b", NULL };

#define BACKWARD(side, map)                                                                  \
  {                                                                                          \
    .name = "_backward_np_matmul_" #side, .doc = "Gradient of _npi_matmul, of one operand.", \
    .category = HYB_CATEGORY_LINEAR, .flags = HYB_OP_INTERNAL, .gradient_of = "_npi_matmul", \
    .operands = "g0 i0 i1 > " map, .inputs = backward_inputs, .dtypes = HYB_DTYPES_FLOAT,    \
    .forward = backward_##side,                                                              \
  }

const HybOp hyb_ops_matmul[] = {
  {
      .name = "_npi_matmul",
      .doc = "Products of matrices in the last two axes.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = inputs,
      .outputs = outputs,
      .infer_shape = hyb_matrix_pairs_infer,
      .dtypes = HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_F16) | HYB_DTYPE_BIT (HYB_BF16),
      .workspace = matmul_workspace,
      .forward = matmul_forward,
      .note = matmul_note,
      HYB_GRADIENT ("_backward_np_matmul_lhs* (g0, i0, i1) > i0; "
                    "_backward_np_matmul_rhs* (g0, i0, i1) > i1"),
      .cost = matmul_cost,
  },
  BACKWARD (lhs, "i0"),
  BACKWARD (rhs, "i1"),
  { 0 },
};

#undef BACKWARD
