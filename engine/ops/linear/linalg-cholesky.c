/* linalg-cholesky.c — the Cholesky factor of symmetric matrices, and the inverse of a matrix whose
 * factor is given.
 *
 * Only the lower triangle of the input is read.  A matrix that is not positive definite is an error, as in
 * MXNet.  The gradient of potrf is symmetric, as MXNet's: it is right for changes that keep A symmetric.  Start with factorise() and potrf_gradient().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/lapack.h"
#include "engine/ops/linear/linalg-parts.h"

#include <string.h>

/* A function of LAPACK that works in place, and what to say if it fails. */
typedef struct
{
  int (*run) (HybDType dtype, gint64 n, gpointer a);
  const char *wrong, *hint;
} Routine;

/* Applies the routine to a copy of every matrix. */
static void
factorise (const HybCall *call, const HybRun *run, const Routine *routine)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gsize       bytes = hyb_linalg_bytes (&view, dtype);

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < view.count; i++)
    {
      int info = routine->run (dtype, view.rows, (char *) run->output[0] + (gsize) i * bytes);

      if (!hyb_linalg_check (run, info, i, routine->wrong, routine->hint))
        return;
    }
}

static void
potrf_forward (const HybCall *call, const HybRun *run)
{
  static const Routine routine = {
    hyb_lapack_cholesky,
    "is not positive definite",
    "Only symmetric positive definite matrices have a Cholesky factor.",
  };

  factorise (call, run, &routine);
}

static void
potri_forward (const HybCall *call, const HybRun *run)
{
  static const Routine routine = {
    hyb_lapack_cholesky_inverse,
    "has a zero on its diagonal",
    "The input must be a Cholesky factor, as linalg_potrf computes it.",
  };

  factorise (call, run, &routine);
}

/* dA = ½ L⁻ᵀ mirror (Lᵀ dL) L⁻¹, where mirror() copies the lower triangle to the upper one. */
static void
potrf_gradient (HybGrad *grad)
{
  HybValueId                factor = hyb_grad_output (grad, 0);
  const HybTriangularParams left = { .transpose = TRUE, .lower = TRUE, .alpha = 1 };
  const HybTriangularParams right = { .rightside = TRUE, .lower = TRUE, .alpha = 0.5 };
  HybValueId                x;

  x = hyb_linalg_emit_triangular (grad, "_linalg_trmm", factor, hyb_grad_incoming (grad, 0), &left);
  x = hyb_linalg_emit_triangle (grad, x, HYB_TRIANGLE_MIRROR);
  x = hyb_linalg_emit_triangular (grad, "_linalg_trsm", factor, x, &left);
  x = hyb_linalg_emit_triangular (grad, "_linalg_trsm", factor, x, &right);
  hyb_grad_set_input (grad, 0, x);
}

/* With A = (L Lᵀ)⁻¹: dL is the lower triangle of −A (dA + dAᵀ) L⁻ᵀ. */
static void
potri_gradient (HybGrad *grad)
{
  HybValueId                a = hyb_grad_output (grad, 0), da = hyb_grad_incoming (grad, 0), x;
  const HybTriangularParams right = {
    .transpose = TRUE, .rightside = TRUE, .lower = TRUE, .alpha = -1
  };

  x = hyb_grad_emit (grad, "elemwise_add",
                     hyb_linalg_emit_product (grad, (HybFactor){ a, FALSE },
                                              (HybFactor){ da, FALSE }, 1),
                     hyb_linalg_emit_product (grad, (HybFactor){ a, FALSE },
                                              (HybFactor){ da, TRUE }, 1),
                     HYB_NO_ID);
  x = hyb_linalg_emit_triangular (grad, "_linalg_trsm", hyb_grad_input (grad, 0), x, &right);
  hyb_grad_set_input (grad, 0, hyb_linalg_emit_triangle (grad, x, HYB_TRIANGLE_LOWER));
}

static void
potrf_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 1.0 / 3, cost);
}

static void
potri_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 2.0 / 3, cost);
}

static const char *const matrix_inputs[] = { "A", NULL };
static const char *const potrf_aliases[] = { "linalg_potrf", "_npi_cholesky", NULL };
static const char *const potri_aliases[] = { "linalg_potri", NULL };

const HybOp hyb_ops_linalg_cholesky[] = {
  {
      .name = "_linalg_potrf",
      .aliases = potrf_aliases,
      .doc = "The lower triangular L with L Lᵀ = A, for symmetric positive definite matrices A.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_CUSTOM_GRADIENT,
      .inputs = matrix_inputs,
      .infer_shape = hyb_linalg_infer_square,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = potrf_forward,
      .gradient = potrf_gradient,
      .cost = potrf_cost,
  },
  {
      .name = "_linalg_potri",
      .aliases = potri_aliases,
      .doc = "The inverse of L Lᵀ, for lower triangular matrices L.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = matrix_inputs,
      .infer_shape = hyb_linalg_infer_square,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = potri_forward,
      .gradient = potri_gradient,
      .cost = potri_cost,
  },
  { 0 },
};
