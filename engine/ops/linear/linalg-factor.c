/* linalg-factor.c — LQ factors of matrices (gelqf), and eigenvectors of symmetric ones (syevd).
 *
 * Gradients are products of matrices; that of syevd needs _linalg_syevd_core for the part between
 * the eigenvectors, and is symmetric, as MXNet's: it is right for changes that keep A symmetric.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/ops/linear/linalg-parts.h"

#include <string.h>

/* --- gelqf: A = L Q --- */

/* A and Q are (…, m, n) with m ≤ n, L is (…, m, m). */
static gboolean
gelqf_infer_shape (HybCall *call, GError **error)
{
  HybShape *a = &call->input[0].shape;
  HybShape *q = &call->output[0].shape;
  HybShape *l = &call->output[1].shape;

  if (!hyb_shape_unify (a, q, error) || !hyb_linalg_expect (a, "A", FALSE, error) ||
      !hyb_linalg_expect (l, "L", TRUE, error) || !hyb_linalg_share_batch (a, 2, l, 2, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN)
    return TRUE;
  if (a->dim[a->rank - 2] != HYB_UNKNOWN && a->dim[a->rank - 1] != HYB_UNKNOWN &&
      a->dim[a->rank - 2] > a->dim[a->rank - 1])
    return hyb_refuse_types (error, "Transpose it",
                             "A has matrices of %" G_GINT64_FORMAT " rows and %" G_GINT64_FORMAT
                             " columns, but needs at least as many columns as rows",
                             a->dim[a->rank - 2], a->dim[a->rank - 1]);
  return hyb_dim_unify (&a->dim[a->rank - 2], &l->dim[l->rank - 1], "the rows of A and L", error) &&
         hyb_linalg_expect (l, "L", TRUE, error) && hyb_shape_unify (a, q, error);
}

static gsize
gelqf_workspace (const HybCall *call)
{
  HybMatrices q = hyb_linalg_view (&call->output[0].shape);

  return hyb_lapack_workspace (HYB_LAPACK_LQ, call->output[0].dtype, q.rows, q.columns);
}

static void
gelqf_forward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices q = hyb_linalg_view (&call->output[0].shape);
  HybMatrices l = hyb_linalg_view (&call->output[1].shape);

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < q.count; i++)
    {
      HybLq part = { q.rows, q.columns,
                     (char *) run->output[0] + (gsize) i * hyb_linalg_bytes (&q, dtype),
                     (char *) run->output[1] + (gsize) i * hyb_linalg_bytes (&l, dtype) };

      if (!hyb_linalg_check (run, hyb_lapack_lq (dtype, &part, run->workspace), i,
                             "has no LQ factors", NULL))
        return;
    }
}

static void
gelqf_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 4, cost);
}

/* --- syevd: A = Uᵀ diag (L) U --- */

/* A and U are (…, n, n), L is (…, n). */
static gboolean
relate_eigenvalues (HybShape *a, HybShape *u, HybShape *values, GError **error)
{
  if (values->rank == 0)
    return hyb_refuse_types (error, NULL, "the eigenvalues need at least 1 dimension");
  if (!hyb_shape_unify (a, u, error) || !hyb_linalg_expect (a, "A", TRUE, error) ||
      !hyb_linalg_share_batch (a, 2, values, 1, error))
    return FALSE;
  return a->rank == HYB_UNKNOWN ||
         (hyb_dim_unify (&a->dim[a->rank - 1], &values->dim[values->rank - 1],
                         "the rows of A and the numbers of eigenvalues", error) &&
          hyb_linalg_expect (a, "A", TRUE, error) && hyb_shape_unify (a, u, error));
}

static gboolean
syevd_infer_shape (HybCall *call, GError **error)
{
  return relate_eigenvalues (&call->input[0].shape, &call->output[0].shape, &call->output[1].shape,
                             error);
}

static gsize
syevd_workspace (const HybCall *call)
{
  gint64 n = hyb_linalg_view (&call->output[0].shape).rows;

  return hyb_lapack_workspace (HYB_LAPACK_EIGEN_SYMMETRIC, call->output[0].dtype, n, n);
}

static void
syevd_forward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gsize       row = (gsize) view.rows * hyb_dtype_size (dtype);

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < view.count; i++)
    {
      int info =
          hyb_lapack_eigen_symmetric (dtype, view.rows,
                                      (char *) run->output[0] + (gsize) (i * view.rows) * row,
                                      (char *) run->output[1] + (gsize) i * row, run->workspace);

      if (!hyb_linalg_check (run, info, i, "has eigenvalues that the iteration did not find", NULL))
        return;
    }
}

/* Inputs: X = dU Uᵀ, the eigenvalues and their gradient. */
static gboolean
core_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->input[1].shape, &call->input[2].shape, error) &&
         relate_eigenvalues (&call->input[0].shape, &call->output[0].shape, &call->input[1].shape,
                             error) &&
         hyb_shape_unify (&call->input[1].shape, &call->input[2].shape, error);
}

/* The symmetric Y with Y[i][j] = (X[i][j] − X[j][i]) / 2 (L[i] − L[j]) below the diagonal, and dL on
 * it.  MXNet's least distance of two eigenvalues keeps the quotients finite. */
static void
core_forward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gint64      n = view.rows;
  double      least = dtype == HYB_F64 ? 1e-100 : 1e-30;

  for (gint64 m = 0; m < view.count; m++)
    for (gint64 i = 0; i < n; i++)
      {
        gsize first = (gsize) (m * n * n), row = (gsize) (m * n + i);

        for (gint64 j = 0; j < i; j++)
          {
            gsize  below = first + (gsize) (i * n + j), above = first + (gsize) (j * n + i);
            double distance = hyb_dtype_get_double (run->input[1], dtype, row) -
                              hyb_dtype_get_double (run->input[1], dtype, (gsize) (m * n + j));
            double element = (hyb_dtype_get_double (run->input[0], dtype, below) -
                              hyb_dtype_get_double (run->input[0], dtype, above)) /
                             (2 * MAX (distance, least));

            hyb_dtype_set_double (run->output[0], dtype, below, element);
            hyb_dtype_set_double (run->output[0], dtype, above, element);
          }
        hyb_dtype_set_double (run->output[0], dtype, first + (gsize) (i * n + i),
                              hyb_dtype_get_double (run->input[2], dtype, row));
      }
}

/* dA = Uᵀ Y U, with Y of core_forward(). */
static void
syevd_gradient (HybGrad *grad)
{
  HybValueId u = hyb_grad_output (grad, 0), x;

  x = hyb_linalg_emit_product (grad, (HybFactor){ hyb_grad_incoming (grad, 0), FALSE },
                               (HybFactor){ u, TRUE }, 1);
  x = hyb_grad_emit (grad, "_linalg_syevd_core", x, hyb_grad_output (grad, 1),
                     hyb_grad_incoming (grad, 1), HYB_NO_ID);
  x = hyb_linalg_emit_product (grad, (HybFactor){ u, TRUE }, (HybFactor){ x, FALSE }, 1);
  hyb_grad_set_input (grad, 0,
                      hyb_linalg_emit_product (grad, (HybFactor){ x, FALSE },
                                               (HybFactor){ u, FALSE }, 1));
}

static void
syevd_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 9, cost);
}

static const char *const matrix_inputs[] = { "A", NULL };
static const char *const core_inputs[] = { "X", "L", "dL", NULL };
static const char *const gelqf_outputs[] = { "Q", "L", NULL };
static const char *const syevd_outputs[] = { "U", "L", NULL };
static const char *const gelqf_aliases[] = { "linalg_gelqf", NULL };
static const char *const syevd_aliases[] = { "linalg_syevd", NULL };

const HybOp hyb_ops_linalg_factor[] = {
  {
      .name = "_linalg_gelqf",
      .aliases = gelqf_aliases,
      .doc = "Q with orthonormal rows and a lower triangular L, whose product L Q is A.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = matrix_inputs,
      .outputs = gelqf_outputs,
      .infer_shape = gelqf_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = gelqf_forward,
      .note = hyb_linalg_note_lq,
      .workspace = gelqf_workspace,
      /* dA = L⁻ᵀ (dQ + mirror (Lᵀ dL − dQ Qᵀ) Q). */
      HYB_GRADIENT (
          "g0 > d; _linalg_trmm [transpose=True rightside=False lower=True alpha=1] (o1, g1) > x; "
          "_linalg_gemm2 [transpose_a=False transpose_b=True alpha=1] (d, o0) > y; "
          "_linalg_triangle [part=mirror] (elemwise_sub (x, y)) > x; "
          "_linalg_gemm2 [transpose_a=False transpose_b=False alpha=1] (x, o0) > y; "
          "elemwise_add (d, y) > x; "
          "_linalg_trsm [transpose=True rightside=False lower=True alpha=1] (o1, x) > i0"),
      .cost = gelqf_cost,
  },
  {
      .name = "_linalg_syevd",
      .aliases = syevd_aliases,
      .doc = "Eigenvectors, one in each row, and eigenvalues of symmetric matrices.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_CUSTOM_GRADIENT,
      .inputs = matrix_inputs,
      .outputs = syevd_outputs,
      .infer_shape = syevd_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = syevd_forward,
      .note = hyb_linalg_note_symmetric,
      .workspace = syevd_workspace,
      .gradient = syevd_gradient,
      .cost = syevd_cost,
  },
  {
      .name = "_linalg_syevd_core",
      .doc = "The gradient of a symmetric matrix in the basis of its eigenvectors.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = core_inputs,
      .infer_shape = core_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = core_forward,
  },
  { 0 },
};
