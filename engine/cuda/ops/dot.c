/* dot.c — dot, batch_dot and the gradients of dot by cuBLAS.
 *
 * The matrices are those of engine/ops/linear/dot.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/product.h"

/* A product, and which inputs are its sides. */
typedef struct
{
  HybProduct product;
  guint      a, b;
} Sides;

static gboolean
is_transposed (const HybCall *call, const char *name)
{
  return hyb_params_get_bool (call->op->params, call->params, name);
}

/* op(lhs) is m × k, op(rhs) is k × n; axes that are not contracted are merged. */
static HybProduct
matrices (const HybCall *call, const HybShape *lhs, const HybShape *rhs)
{
  HybProduct product = { .dtype = call->output[0].dtype,
                         .transpose_a = is_transposed (call, "transpose_a"),
                         .transpose_b = is_transposed (call, "transpose_b"),
                         .alpha = 1 };
  int        first = product.transpose_a ? 0 : lhs->rank - 1;
  int        second = product.transpose_b ? rhs->rank - 1 : 0;

  product.k = lhs->dim[first];
  product.m = hyb_shape_count (lhs, 0, first) * hyb_shape_count (lhs, first + 1, lhs->rank);
  product.n = hyb_shape_count (rhs, 0, second) * hyb_shape_count (rhs, second + 1, rhs->rank);
  product.lda = product.transpose_a ? product.m : product.k;
  product.ldb = product.transpose_b ? product.k : product.n;
  product.ldc = product.n;
  return product;
}

static Sides
dot_sides (const HybCall *call)
{
  return (Sides){ matrices (call, &call->input[0].shape, &call->input[1].shape), 0, 1 };
}

/* Inputs of both gradients: dC, lhs, rhs.  dA = dC Bᵀ, or B dCᵀ where lhs is stored transposed. */
static Sides
lhs_sides (const HybCall *call)
{
  HybProduct forward = matrices (call, &call->input[1].shape, &call->input[2].shape);
  HybProduct product = { .dtype = forward.dtype, .k = forward.n, .alpha = 1, .ldc = forward.lda };

  if (!forward.transpose_a)
    {
      product.m = forward.m;
      product.n = forward.k;
      product.lda = forward.ldc;
      product.ldb = forward.ldb;
      product.transpose_b = !forward.transpose_b;
      return (Sides){ product, 0, 2 };
    }
  product.m = forward.k;
  product.n = forward.m;
  product.lda = forward.ldb;
  product.ldb = forward.ldc;
  product.transpose_a = forward.transpose_b;
  product.transpose_b = TRUE;
  return (Sides){ product, 2, 0 };
}

/* dB = Aᵀ dC, or dCᵀ A where rhs is stored transposed. */
static Sides
rhs_sides (const HybCall *call)
{
  HybProduct forward = matrices (call, &call->input[1].shape, &call->input[2].shape);
  HybProduct product = { .dtype = forward.dtype, .k = forward.m, .alpha = 1, .ldc = forward.ldb };

  if (!forward.transpose_b)
    {
      product.m = forward.k;
      product.n = forward.n;
      product.lda = forward.lda;
      product.ldb = forward.ldc;
      product.transpose_a = !forward.transpose_a;
      return (Sides){ product, 1, 0 };
    }
  product.m = forward.n;
  product.n = forward.k;
  product.lda = forward.ldc;
  product.ldb = forward.lda;
  product.transpose_a = TRUE;
  product.transpose_b = forward.transpose_a;
  return (Sides){ product, 0, 1 };
}

/* The last two axes are matrices, the axes before them count matrices. */
static Sides
batch_sides (const HybCall *call)
{
  const HybShape *lhs = &call->input[0].shape, *rhs = &call->input[1].shape;
  const HybShape *out = &call->output[0].shape;
  int             rank = out->rank;
  HybProduct      product = { .dtype = call->output[0].dtype,
                              .transpose_a = is_transposed (call, "transpose_a"),
                              .transpose_b = is_transposed (call, "transpose_b"),
                              .m = out->dim[rank - 2],
                              .n = out->dim[rank - 1],
                              .lda = lhs->dim[rank - 1],
                              .ldb = rhs->dim[rank - 1],
                              .ldc = out->dim[rank - 1],
                              .batch = hyb_shape_count (out, 0, rank - 2),
                              .stride_a = hyb_shape_count (lhs, rank - 2, rank),
                              .stride_b = hyb_shape_count (rhs, rank - 2, rank),
                              .stride_c = hyb_shape_count (out, rank - 2, rank),
                              .alpha = 1 };

  product.k = lhs->dim[product.transpose_a ? rank - 2 : rank - 1];
  return (Sides){ product, 0, 1 };
}

static const char *
refuse (const HybCall *call, Sides sides)
{
  if (sides.product.k == 0 || hyb_shape_size (&call->output[0].shape) == 0)
    return "its matrices are empty";
  return hyb_product_refuses (&sides.product);
}

static void
launch (HybQueue *queue, const HybRun *run, Sides sides)
{
  hyb_product_launch (queue, &sides.product, run->input[sides.a], run->input[sides.b],
                      run->output[0]);
}

#define TWIN(id, sides)                                                             \
  static const char *id##_refuses (const HybCall *call)                             \
  {                                                                                 \
    return refuse (call, sides (call));                                             \
  }                                                                                 \
  static void id##_launch (HybQueue *queue, const HybCall *call, const HybRun *run, \
                           gpointer unused)                                         \
  {                                                                                 \
    launch (queue, run, sides (call));                                              \
  }
TWIN (dot, dot_sides)
TWIN (lhs, lhs_sides)
TWIN (rhs, rhs_sides)
TWIN (batch, batch_sides)
#undef TWIN

const HybDeviceOp hyb_cuda_ops_dot[] = {
  { .name = "dot", .refuses = dot_refuses, .launch = dot_launch },
  { .name = "_backward_dot_lhs", .refuses = lhs_refuses, .launch = lhs_launch },
  { .name = "_backward_dot_rhs", .refuses = rhs_refuses, .launch = rhs_launch },
  { .name = "batch_dot", .refuses = batch_refuses, .launch = batch_launch },
  { NULL },
};
