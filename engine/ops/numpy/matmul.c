/* matmul.c — _npi_matmul: products of matrices in the last two axes; the axes before them are broadcast,
 * and vectors are rows on the left and columns on the right.
 *
 * Every pair of matrices is one call of hyb_gemm(), of hyb_half_gemm() if they are half floats.  Gradients add to the matrix of each operand, which
 * sums over broadcast axes.  Start with each_matrix().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/matrix/half-gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* The shape of an operand as matrices. */
static HybShape
as_matrices (const HybShape *shape, gboolean is_left)
{
  return shape->rank == 1 ? hyb_dims_with (shape, is_left ? 0 : 1, 1) : *shape;
}

static gboolean
matmul_infer_shape (HybCall *call, GError **error)
{
  HybShape *a = &call->input[0].shape, *b = &call->input[1].shape;
  HybType   batches[2] = { HYB_TYPE_UNKNOWN, HYB_TYPE_UNKNOWN }, whole = HYB_TYPE_UNKNOWN;
  HybCall   broadcast = { .n_inputs = 2, .n_outputs = 1, .input = batches, .output = &whole };
  HybShape  out;

  if (a->rank == HYB_UNKNOWN || b->rank == HYB_UNKNOWN)
    return TRUE;
  if (a->rank == 0 || b->rank == 0)
    return hyb_refuse_types (error, "Use a multiplication", "matmul does not multiply by numbers");
  if (!hyb_dim_unify (&a->dim[a->rank - 1], &b->dim[MAX (0, b->rank - 2)],
                      "the columns of the first and the rows of the second operand", error))
    return FALSE;

  batches[0].shape = *a;
  batches[0].shape.rank = MAX (0, a->rank - 2);
  batches[1].shape = *b;
  batches[1].shape.rank = MAX (0, b->rank - 2);
  if (!hyb_rule_broadcast (&broadcast, error))
    return FALSE;
  out = whole.shape;
  if (a->rank > 1)
    out.dim[out.rank++] = a->dim[a->rank - 2];
  if (b->rank > 1)
    out.dim[out.rank++] = b->dim[b->rank - 1];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* The product of one pair of matrices, and the pairs. */
typedef struct
{
  gint64 m, n, k;
  int    rank; /* of the batch */
  gint64 dim[HYB_MAX_RANK];
  gint64 a[HYB_MAX_RANK], b[HYB_MAX_RANK]; /* strides of the operands; 0 where broadcast */
} Product;

static void
batch_strides (const HybShape *shape, int rank, gint64 *stride)
{
  gint64 step = hyb_dim_multiply (shape->dim[shape->rank - 1], shape->dim[shape->rank - 2]);

  for (int i = 1; i <= rank; i++)
    {
      int axis = shape->rank - 2 - i;

      stride[rank - i] = axis < 0 || shape->dim[axis] == 1 ? 0 : step;
      if (axis >= 0)
        step = hyb_dim_multiply (step, shape->dim[axis]);
    }
}

static Product
find_product (const HybShape *left, const HybShape *right)
{
  HybShape a = as_matrices (left, TRUE), b = as_matrices (right, FALSE);
  Product  product = {
     .m = a.dim[a.rank - 2],
     .n = b.dim[b.rank - 1],
     .k = a.dim[a.rank - 1],
     .rank = MAX (a.rank, b.rank) - 2,
  };

  for (int i = 1; i <= product.rank; i++)
    {
      gint64 of_a = i <= a.rank - 2 ? a.dim[a.rank - 2 - i] : 1;
      gint64 of_b = i <= b.rank - 2 ? b.dim[b.rank - 2 - i] : 1;

      product.dim[product.rank - i] = of_a == 1 ? of_b : of_a;
    }
  batch_strides (&a, product.rank, product.a);
  batch_strides (&b, product.rank, product.b);
  return product;
}

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

/* Computes every pair of matrices. */
static void
each_matrix (const Product *product, const Task *task)
{
  gint64 item = (gint64) hyb_dtype_size (task->dtype), count = 1;

  for (int i = 0; i < product->rank; i++)
    count *= product->dim[i];
  for (gint64 n = 0; n < count; n++)
    {
      gint64 x = 0, y = 0, to = 0, rest = n;

      for (int i = product->rank - 1; i >= 0; i--)
        {
          gint64 at = rest % product->dim[i];

          rest /= product->dim[i];
          x += at * task->stride_x[i];
          y += at * task->stride_y[i];
          to += at * task->stride_to[i];
        }
      multiply_pair (task, task->x + x * item, task->y + y * item, task->to + to * item);
    }
}

/* Strides of the result, whose matrices follow each other. */
static void
result_strides (const Product *product, gint64 *stride)
{
  gint64 step = product->m * product->n;

  for (int i = product->rank - 1; i >= 0; i--)
    {
      stride[i] = step;
      step *= product->dim[i];
    }
}

static gsize
matmul_workspace (const HybCall *call)
{
  Product product;

  if (!is_half (call->output[0].dtype))
    return 0;
  product = find_product (&call->input[0].shape, &call->input[1].shape);
  return hyb_half_gemm_workspace (product.m, product.n, product.k);
}

/* The product of one pair. */
static HybGemm
gemm_of (const Product *product)
{
  return (HybGemm){ .m = product->m,
                    .n = product->n,
                    .k = product->k,
                    .lda = MAX (1, product->k),
                    .ldb = MAX (1, product->n),
                    .ldc = MAX (1, product->n),
                    .alpha = 1 };
}

static const char *
matmul_note (const HybCall *call)
{
  Product product = find_product (&call->input[0].shape, &call->input[1].shape);
  HybGemm gemm = gemm_of (&product);

  return is_half (call->output[0].dtype) ? NULL : hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
matmul_forward (const HybCall *call, const HybRun *run)
{
  Product product = find_product (&call->input[0].shape, &call->input[1].shape);
  gint64  stride[HYB_MAX_RANK];
  Task    task = {
       .gemm = gemm_of (&product),
       .dtype = call->output[0].dtype,
       .x = run->input[0],
       .y = run->input[1],
       .to = run->output[0],
       .workspace = run->workspace,
       .stride_x = product.a,
       .stride_y = product.b,
       .stride_to = stride,
  };

  result_strides (&product, stride);
  each_matrix (&product, &task);
}

/* Inputs: gradient g, a, b.  The gradient of a is g bᵀ, summed over the axes where a was repeated. */
static void
backward_lhs (const HybCall *call, const HybRun *run)
{
  Product product = find_product (&call->input[1].shape, &call->input[2].shape);
  gint64  stride[HYB_MAX_RANK];
  Task    task = {
       .gemm = { .transpose_b = TRUE,
                 .m = product.m,
                 .n = product.k,
                 .k = product.n,
                 .lda = MAX (1, product.n),
                 .ldb = MAX (1, product.n),
                 .ldc = MAX (1, product.k),
                 .alpha = 1,
                 .beta = 1 },
       .dtype = call->output[0].dtype,
       .x = run->input[0],
       .y = run->input[2],
       .to = run->output[0],
       .stride_x = stride,
       .stride_y = product.b,
       .stride_to = product.a,
  };

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  result_strides (&product, stride);
  each_matrix (&product, &task);
}

/* The gradient of b is aᵀ g. */
static void
backward_rhs (const HybCall *call, const HybRun *run)
{
  Product product = find_product (&call->input[1].shape, &call->input[2].shape);
  gint64  stride[HYB_MAX_RANK];
  Task    task = {
       .gemm = { .transpose_a = TRUE,
                 .m = product.k,
                 .n = product.n,
                 .k = product.m,
                 .lda = MAX (1, product.k),
                 .ldb = MAX (1, product.n),
                 .ldc = MAX (1, product.n),
                 .alpha = 1,
                 .beta = 1 },
       .dtype = call->output[0].dtype,
       .x = run->input[1],
       .y = run->input[0],
       .to = run->output[0],
       .stride_x = product.a,
       .stride_y = stride,
       .stride_to = product.b,
  };

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  result_strides (&product, stride);
  each_matrix (&product, &task);
}

static void
matmul_cost (const HybCall *call, HybCost *cost)
{
  Product product = find_product (&call->input[0].shape, &call->input[1].shape);

  cost->flops = 2.0 * (double) product.m * (double) product.n * (double) product.k;
  for (int i = 0; i < product.rank; i++)
    cost->flops *= (double) product.dim[i];
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
      .infer_shape = matmul_infer_shape,
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
