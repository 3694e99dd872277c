/* linalg-gemm.c — _linalg_gemm and _linalg_gemm2 by cuBLAS.  Columns are along the last axis, rows along
 * any other one; the axes before and after the rows count matrices.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/product.h"

/* Elements from row to row, from matrix to matrix, and from group to group of matrices. */
static void
set_strides (const HybShape *shape, int row, gint64 *ld, gint64 *matrix, gint64 *group)
{
  *ld = hyb_shape_count (shape, row + 1, shape->rank);
  *matrix = shape->dim[shape->rank - 1];
  *group = hyb_shape_count (shape, row, shape->rank);
}

static HybProduct
find_product (const HybCall *call)
{
  const HybShape *a = &call->input[0].shape, *out = &call->output[0].shape;
  int             row = hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", -2), a->rank);
  HybProduct      product = { .dtype = call->output[0].dtype,
                              .transpose_a = hyb_cuda_get_int (call, "transpose_a", FALSE) == TRUE,
                              .transpose_b = hyb_cuda_get_int (call, "transpose_b", FALSE) == TRUE,
                              .m = out->dim[row],
                              .n = out->dim[out->rank - 1],
                              .batch = hyb_shape_count (out, row + 1, out->rank - 1),
                              .outer = hyb_shape_count (out, 0, row),
                              .alpha = hyb_cuda_get_double (call, "alpha"),
                              .beta = call->n_inputs == 3 ? hyb_cuda_get_double (call, "beta") : 0 };

  product.k = a->dim[product.transpose_a ? row : a->rank - 1];
  set_strides (a, row, &product.lda, &product.stride_a, &product.outer_a);
  set_strides (&call->input[1].shape, row, &product.ldb, &product.stride_b, &product.outer_b);
  set_strides (out, row, &product.ldc, &product.stride_c, &product.outer_c);
  hyb_product_join (&product);
  return product;
}

static const char *
refuses (const HybCall *call)
{
  HybProduct product = find_product (call);

  if (product.k == 0 || hyb_shape_size (&call->output[0].shape) == 0)
    return "its matrices are empty";
  return hyb_product_refuses (&product);
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer unused)
{
  HybProduct product = find_product (call);

  if (call->n_inputs == 3)
    hyb_cuda_queue_copy (queue, run->output[0], run->input[2], hyb_type_bytes (&call->output[0]));
  hyb_product_launch (queue, &product, run->input[0], run->input[1], run->output[0]);
}

const HybDeviceOp hyb_cuda_ops_linalg_gemm[] = {
  { .name = "_linalg_gemm", .refuses = refuses, .launch = launch },
  { .name = "_linalg_gemm2", .refuses = refuses, .launch = launch },
  { NULL },
};
