/* linalg-gemm.c — _linalg_gemm and _linalg_gemm2: alpha op(A) op(B) + beta C for many matrices.
 *
 * Columns are along the last axis and rows along any other one.  The remaining axes count matrices,
 * in two nested loops: over the axes before the row axis and over those after it.  Start with
 * gemm_matrices().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gboolean transpose_a;
  gboolean transpose_b;
  double   alpha;
  double   beta;
  gint64   axis;
} GemmParams;

static const HybParam gemm_params[] = {
  { HYB_FIELD (GemmParams, transpose_a), HYB_PARAM_BOOL, "False", .doc = "transpose A" },
  { HYB_FIELD (GemmParams, transpose_b), HYB_PARAM_BOOL, "False", .doc = "transpose B" },
  { HYB_FIELD (GemmParams, alpha), HYB_PARAM_FLOAT, "1.0", .doc = "multiplies the product" },
  { HYB_FIELD (GemmParams, beta), HYB_PARAM_FLOAT, "1.0", .doc = "multiplies C" },
  { HYB_FIELD (GemmParams, axis), HYB_PARAM_INT, "-2", .doc = "axis of the rows" },
  { 0 },
};

/* Fills the same struct, of which it leaves beta 0. */
static const HybParam gemm2_params[] = {
  { HYB_FIELD (GemmParams, transpose_a), HYB_PARAM_BOOL, "False", .doc = "transpose A" },
  { HYB_FIELD (GemmParams, transpose_b), HYB_PARAM_BOOL, "False", .doc = "transpose B" },
  { HYB_FIELD (GemmParams, alpha), HYB_PARAM_FLOAT, "1.0", .doc = "multiplies the product" },
  { HYB_FIELD (GemmParams, axis), HYB_PARAM_INT, "-2", .doc = "axis of the rows" },
  { 0 },
};

/* The axis of the rows; -1 and an error if the attribute is not valid. */
static int
row_axis (const GemmParams *params, const HybShape *shape, GError **error)
{
  int axis;

  if (shape->rank < 2)
    {
      hyb_refuse_types (error, NULL,
                        "a matrix product needs inputs of at least 2 dimensions, not %d",
                        shape->rank);
      return -1;
    }

  axis = hyb_shape_axis (shape, params->axis, error);
  if (axis == shape->rank - 1)
    {
      hyb_refuse_types (error, "The last axis holds the columns",
                        "axis %" G_GINT64_FORMAT " cannot hold the rows", params->axis);
      return -1;
    }
  return axis;
}

static gboolean
gemm_infer_shape (HybCall *call, GError **error)
{
  const GemmParams *params = call->params;
  HybShape         *a = &call->input[0].shape;
  HybShape         *b = &call->input[1].shape;
  HybShape         *out = &call->output[0].shape;
  HybShape          ranked;
  int               rank, row;

  if (call->n_inputs == 3 && !hyb_shape_unify (&call->input[2].shape, out, error))
    return FALSE;

  rank = MAX (MAX (a->rank, b->rank), out->rank);
  if (rank == HYB_UNKNOWN)
    return TRUE;

  ranked = hyb_shape_make (rank, NULL);
  if (!hyb_shape_assign (a, &ranked, error) || !hyb_shape_assign (b, &ranked, error) ||
      !hyb_shape_assign (out, &ranked, error))
    return FALSE;
  row = row_axis (params, a, error);
  if (row < 0)
    return FALSE;

  for (int i = 0; i < rank - 1; i++)
    if (i != row && (!hyb_dim_unify (&a->dim[i], &b->dim[i], "the numbers of matrices", error) ||
                     !hyb_dim_unify (&a->dim[i], &out->dim[i], "the numbers of matrices", error) ||
                     !hyb_dim_unify (&a->dim[i], &b->dim[i], "the numbers of matrices", error)))
      return FALSE;

  if (!hyb_dim_unify (&a->dim[params->transpose_a ? row : rank - 1],
                      &b->dim[params->transpose_b ? rank - 1 : row],
                      "the columns of A and the rows of B", error) ||
      !hyb_dim_unify (&a->dim[params->transpose_a ? rank - 1 : row], &out->dim[row], "the rows",
                      error) ||
      !hyb_dim_unify (&b->dim[params->transpose_b ? row : rank - 1], &out->dim[rank - 1],
                      "the columns", error))
    return FALSE;

  return call->n_inputs < 3 || hyb_shape_unify (&call->input[2].shape, out, error);
}

/* Returns the stride from row to row, and sets matrix[] to the strides from matrix to matrix in
 * the outer and in the inner loop. */
static gint64
set_strides (const HybShape *shape, int row, gint64 *matrix)
{
  gint64 columns = shape->dim[shape->rank - 1];

  matrix[0] = hyb_shape_count (shape, row, shape->rank);
  matrix[1] = columns;
  return MAX (1, hyb_shape_count (shape, row + 1, shape->rank));
}

static HybGemm
gemm_matrices (const HybCall *call, HybGemmBatch *batch)
{
  const GemmParams *params = call->params;
  const HybShape   *a = &call->input[0].shape;
  const HybShape   *out = &call->output[0].shape;
  int               row = row_axis (params, a, NULL);
  HybGemm           gemm = {
              .transpose_a = params->transpose_a,
              .transpose_b = params->transpose_b,
              .m = out->dim[row],
              .n = out->dim[out->rank - 1],
              .k = a->dim[params->transpose_a ? row : a->rank - 1],
              .alpha = params->alpha,
              .beta = call->n_inputs == 3 ? params->beta : 0,
  };

  batch->count[0] = hyb_shape_count (out, 0, row);
  batch->count[1] = hyb_shape_count (out, row + 1, out->rank - 1);
  gemm.lda = set_strides (a, row, batch->a);
  gemm.ldb = set_strides (&call->input[1].shape, row, batch->b);
  gemm.ldc = set_strides (out, row, batch->c);
  return gemm;
}

static void
gemm_forward (const HybCall *call, const HybRun *run)
{
  HybGemmBatch batch;
  HybGemm      gemm = gemm_matrices (call, &batch);

  if (call->n_inputs == 3)
    memcpy (run->output[0], run->input[2], hyb_type_bytes (&call->output[0]));
  hyb_gemm_batch (&gemm, &batch,
                  &(HybGemmOperands){ .dtype = call->output[0].dtype,
                                      .a = run->input[0],
                                      .b = run->input[1],
                                      .c = run->output[0] });
}

static const char *
gemm_note (const HybCall *call)
{
  HybGemmBatch batch;
  HybGemm      gemm = gemm_matrices (call, &batch);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
gemm_cost (const HybCall *call, HybCost *cost)
{
  HybGemmBatch batch;
  HybGemm      gemm = gemm_matrices (call, &batch);

  cost->flops = 2.0 * (double) gemm.m * (double) gemm.n * (double) gemm.k *
                (double) batch.count[0] * (double) batch.count[1];
  hyb_rule_cost_bytes (call, cost);
}

/* Emits alpha op(a) op(b). */
static HybValueId
emit_gemm (HybGrad *grad, HybValueId a, gboolean transpose_a, HybValueId b, gboolean transpose_b)
{
  const GemmParams *params = hyb_grad_params (grad);
  const HybValueId  inputs[] = { a, b };
  char              alpha[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char  *axis = g_strdup_printf ("%" G_GINT64_FORMAT, params->axis);
  const char *const attributes[] = {
    "transpose_a", transpose_a ? "True" : "False",
    "transpose_b", transpose_b ? "True" : "False",
    "alpha",       g_ascii_dtostr (alpha, sizeof alpha, params->alpha),
    "axis",        axis,
    NULL
  };

  return hyb_grad_emit_with (grad, "_linalg_gemm2", attributes, 2, inputs);
}

static void
gemm_gradient (HybGrad *grad)
{
  const GemmParams *params = hyb_grad_params (grad);
  gboolean          ta = params->transpose_a;
  gboolean          tb = params->transpose_b;
  HybValueId        a = hyb_grad_input (grad, 0);
  HybValueId        b = hyb_grad_input (grad, 1);
  HybValueId        dc = hyb_grad_incoming (grad, 0);

  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0,
                        ta ? emit_gemm (grad, b, tb, dc, TRUE)
                           : emit_gemm (grad, dc, FALSE, b, !tb));
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1,
                        tb ? emit_gemm (grad, dc, TRUE, a, ta)
                           : emit_gemm (grad, a, !ta, dc, FALSE));
  if (hyb_grad_n_inputs (grad) == 3 && hyb_grad_needs_input (grad, 2))
    hyb_grad_set_input (grad, 2, hyb_grad_emit_scalar (grad, "_mul_scalar", dc, params->beta));
}

static const char *const gemm_inputs[] = { "A", "B", "C", NULL };
static const char *const gemm2_inputs[] = { "A", "B", NULL };
static const char *const gemm_aliases[] = { "linalg_gemm", NULL };
static const char *const gemm2_aliases[] = { "linalg_gemm2", NULL };

const HybOp hyb_ops_linalg_gemm[] = {
  {
      .name = "_linalg_gemm",
      .aliases = gemm_aliases,
      .doc = "alpha times the product of A and B, plus beta times C.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = gemm_inputs,
      HYB_PARAMS (gemm_params, GemmParams),
      .infer_shape = gemm_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = gemm_forward,
      .note = gemm_note,
      .gradient = gemm_gradient,
      .cost = gemm_cost,
  },
  {
      .name = "_linalg_gemm2",
      .aliases = gemm2_aliases,
      .doc = "alpha times the product of A and B.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = gemm2_inputs,
      HYB_PARAMS (gemm2_params, GemmParams),
      .infer_shape = gemm_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = gemm_forward,
      .note = gemm_note,
      .gradient = gemm_gradient,
      .cost = gemm_cost,
  },
  { 0 },
};
