/* linalg-triangular.c — products with triangular matrices (trmm), equations with them (trsm), and
 * the triangles of matrices.
 *
 * With rightside the triangular matrix A is on the right.  Only the triangle that the attribute `lower`
 * names is read.  Start with apply_triangular().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/blas.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/linear/linalg-parts.h"

#include <string.h>

static const HybParam triangular_params[] = {
  { HYB_FIELD (HybTriangularParams, transpose), HYB_PARAM_BOOL, "False", .doc = "transpose A" },
  { HYB_FIELD (HybTriangularParams, rightside), HYB_PARAM_BOOL, "False",
    .doc = "A is on the right of the product" },
  { HYB_FIELD (HybTriangularParams, lower), HYB_PARAM_BOOL, "True",
    .doc = "A is lower triangular, else upper" },
  { HYB_FIELD (HybTriangularParams, alpha), HYB_PARAM_FLOAT, "1.0", .doc = "multiplies B" },
  { 0 },
};

static gboolean
triangular_infer_shape (HybCall *call, GError **error)
{
  const HybTriangularParams *params = call->params;
  HybShape                  *a = &call->input[0].shape;
  HybShape                  *b = &call->input[1].shape;
  int                        side;

  if (!hyb_shape_unify (b, &call->output[0].shape, error) ||
      !hyb_linalg_expect (a, "A", TRUE, error) || !hyb_linalg_expect (b, "B", FALSE, error) ||
      !hyb_linalg_share_batch (a, 2, b, 2, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN)
    return TRUE;

  side = b->rank - (params->rightside ? 1 : 2);
  return hyb_dim_unify (&a->dim[a->rank - 1], &b->dim[side], "the sizes of A and B", error) &&
         hyb_linalg_expect (a, "A", TRUE, error) &&
         hyb_shape_unify (b, &call->output[0].shape, error);
}

/* The arguments that trmm and trsm of BLAS have in common. */
#define BLAS_ARGUMENTS                                                                        \
  CblasRowMajor, params->rightside ? CblasRight : CblasLeft,                                  \
      params->lower ? CblasLower : CblasUpper, params->transpose ? CblasTrans : CblasNoTrans, \
      CblasNonUnit, (int) view.rows, (int) view.columns

/* Copies B to the output and multiplies it there, or solves there. */
static void
apply_triangular (const HybCall *call, const HybRun *run, gboolean solves)
{
  const HybTriangularParams *params = call->params;
  HybDType                   dtype = call->output[0].dtype;
  HybMatrices                view = hyb_linalg_view (&call->output[0].shape);
  HybMatrices                square = hyb_linalg_view (&call->input[0].shape);
  int                        size = (int) square.rows, ldb = (int) view.columns;

  memcpy (run->output[0], run->input[1], hyb_type_bytes (&call->output[0]));
  if (view.rows == 0 || view.columns == 0)
    return;
  for (gint64 i = 0; i < view.count; i++)
    {
      gconstpointer a =
          (const char *) run->input[0] + (gsize) i * hyb_linalg_bytes (&square, dtype);
      gpointer b = (char *) run->output[0] + (gsize) i * hyb_linalg_bytes (&view, dtype);

      if (dtype == HYB_F64 && solves)
        hyb_blas ()->cblas_dtrsm (BLAS_ARGUMENTS, params->alpha, a, size, b, ldb);
      else if (dtype == HYB_F64)
        hyb_blas ()->cblas_dtrmm (BLAS_ARGUMENTS, params->alpha, a, size, b, ldb);
      else if (solves)
        hyb_blas ()->cblas_strsm (BLAS_ARGUMENTS, (float) params->alpha, a, size, b, ldb);
      else
        hyb_blas ()->cblas_strmm (BLAS_ARGUMENTS, (float) params->alpha, a, size, b, ldb);
    }
}

#undef BLAS_ARGUMENTS

static void
trmm_forward (const HybCall *call, const HybRun *run)
{
  apply_triangular (call, run, FALSE);
}

static void
trsm_forward (const HybCall *call, const HybRun *run)
{
  apply_triangular (call, run, TRUE);
}

static void
triangular_cost (const HybCall *call, HybCost *cost)
{
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  HybMatrices square = hyb_linalg_view (&call->input[0].shape);

  cost->flops =
      (double) view.count * (double) view.rows * (double) view.columns * (double) square.rows;
  hyb_rule_cost_bytes (call, cost);
}

/* --- Gradients --- */

/* Sets the gradient of A to the triangle of alpha outer innerᵀ, or with rightside of alpha innerᵀ outer;
 * the transpose of that if A is transposed. */
static void
set_gradient_of_a (HybGrad *grad, HybValueId outer, HybValueId inner, double alpha)
{
  const HybTriangularParams *params = hyb_grad_params (grad);
  HybValueId                 first = params->transpose ? inner : outer;
  HybValueId                 second = params->transpose ? outer : inner;
  HybValueId                 da;

  if (params->rightside)
    da = hyb_linalg_emit_product (grad, (HybFactor){ second, TRUE }, (HybFactor){ first, FALSE },
                                  alpha);
  else
    da = hyb_linalg_emit_product (grad, (HybFactor){ first, FALSE }, (HybFactor){ second, TRUE },
                                  alpha);
  hyb_grad_set_input (grad, 0,
                      hyb_linalg_emit_triangle (grad, da,
                                                params->lower ? HYB_TRIANGLE_LOWER
                                                              : HYB_TRIANGLE_UPPER));
}

static void
trmm_gradient (HybGrad *grad)
{
  HybTriangularParams params = *(const HybTriangularParams *) hyb_grad_params (grad);
  HybValueId          a = hyb_grad_input (grad, 0), dy = hyb_grad_incoming (grad, 0);

  if (hyb_grad_needs_input (grad, 0))
    set_gradient_of_a (grad, dy, hyb_grad_input (grad, 1), params.alpha);
  params.transpose = !params.transpose;
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1, hyb_linalg_emit_triangular (grad, "_linalg_trmm", a, dy, &params));
}

/* With op (A) X = alpha B: dB = alpha op (A)⁻ᵀ dX, and dA = −(op (A)⁻ᵀ dX) Xᵀ. */
static void
trsm_gradient (HybGrad *grad)
{
  HybTriangularParams params = *(const HybTriangularParams *) hyb_grad_params (grad);
  double              alpha = params.alpha;
  HybValueId          solved;

  params.transpose = !params.transpose;
  params.alpha = 1;
  solved = hyb_linalg_emit_triangular (grad, "_linalg_trsm", hyb_grad_input (grad, 0),
                                       hyb_grad_incoming (grad, 0), &params);
  if (hyb_grad_needs_input (grad, 0))
    set_gradient_of_a (grad, solved, hyb_grad_output (grad, 0), -1);
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1,
                        alpha == 1 ? solved
                                   : hyb_grad_emit_scalar (grad, "_mul_scalar", solved, alpha));
}

/* --- Triangles --- */

typedef struct
{
  int part;
} TriangleParams;

static const HybParam triangle_params[] = {
  { HYB_FIELD (TriangleParams, part), HYB_PARAM_ENUM, NULL, .choices = hyb_linalg_triangles,
    .doc = "what is left of the matrix" },
  { 0 },
};

static void
triangle_forward (const HybCall *call, const HybRun *run)
{
  HybTriangle part = (HybTriangle) ((const TriangleParams *) call->params)->part;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gsize       size = hyb_dtype_size (call->output[0].dtype);
  const char *from = run->input[0];
  char       *to = run->output[0];
  gint64      n = view.rows;

  for (gint64 row = 0; row < view.count * n; row++)
    {
      gint64 i = row % n, first = row - i;

      for (gint64 j = 0; j < n; j++)
        {
          gint64   at = row * n + j;
          gboolean is_lower = j <= i;

          if (part == HYB_TRIANGLE_MIRROR && !is_lower)
            memcpy (to + (gsize) at * size, from + (gsize) ((first + j) * n + i) * size, size);
          else if (j == i || is_lower != (part == HYB_TRIANGLE_UPPER))
            memcpy (to + (gsize) at * size, from + (gsize) at * size, size);
          else
            memset (to + (gsize) at * size, 0, size);
        }
    }
}

/* Every element above the diagonal of a mirrored triangle adds to its twin below; `dy` keeps its
 * lower triangle and gets the strict lower triangle of dyᵀ. */
static void
triangle_gradient (HybGrad *grad)
{
  HybTriangle part = (HybTriangle) ((const TriangleParams *) hyb_grad_params (grad))->part;
  HybValueId  dy = hyb_grad_incoming (grad, 0), above;

  if (part != HYB_TRIANGLE_MIRROR)
    {
      hyb_grad_set_input (grad, 0, hyb_linalg_emit_triangle (grad, dy, part));
      return;
    }
  above = hyb_grad_emit (grad, "elemwise_sub", dy,
                         hyb_linalg_emit_triangle (grad, dy, HYB_TRIANGLE_LOWER), HYB_NO_ID);
  above = hyb_grad_emit_with (grad, "SwapAxis",
                              (const char *[]){ "dim1", "-2", "dim2", "-1", NULL }, 1, &above);
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit (grad, "elemwise_add",
                                     hyb_linalg_emit_triangle (grad, dy, HYB_TRIANGLE_LOWER), above,
                                     HYB_NO_ID));
}

static const char *const triangular_inputs[] = { "A", "B", NULL };
static const char *const triangle_inputs[] = { "A", NULL };
static const char *const trmm_aliases[] = { "linalg_trmm", NULL };
static const char *const trsm_aliases[] = { "linalg_trsm", NULL };

const HybOp hyb_ops_linalg_triangular[] = {
  {
      .name = "_linalg_trmm",
      .aliases = trmm_aliases,
      .doc = "alpha times the product of a triangular A and B, or of B and A.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = triangular_inputs,
      HYB_PARAMS (triangular_params, HybTriangularParams),
      .infer_shape = triangular_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = trmm_forward,
      .gradient = trmm_gradient,
      .cost = triangular_cost,
  },
  {
      .name = "_linalg_trsm",
      .aliases = trsm_aliases,
      .doc = "Solves A X = alpha B, or X A = alpha B, for a triangular A.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = triangular_inputs,
      HYB_PARAMS (triangular_params, HybTriangularParams),
      .infer_shape = triangular_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = trsm_forward,
      .gradient = trsm_gradient,
      .cost = triangular_cost,
  },
  {
      .name = "_linalg_triangle",
      .doc = "A triangle of square matrices, alone or mirrored at the diagonal.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = triangle_inputs,
      HYB_PARAMS (triangle_params, TriangleParams),
      .infer_shape = hyb_linalg_infer_square,
      .dtypes = HYB_DTYPES_ALL,
      .forward = triangle_forward,
      .gradient = triangle_gradient,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
