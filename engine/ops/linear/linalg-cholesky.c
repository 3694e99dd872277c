/* linalg-cholesky.c — the Cholesky factor of symmetric matrices, and the inverse of a matrix whose
 * factor is given.
 *
 * Only the lower triangle of the input is read.  A matrix that is not positive definite is an error, as in
 * MXNet.  The gradient of potrf is symmetric, as MXNet's: it is right for changes that keep A symmetric.  Start with
 * factorise() and the table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/ops/linear/linalg-parts.h"

#include <string.h>

/* A function of LAPACK that works in place, and its message on failure. */
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
      .note = hyb_linalg_note_cholesky,
      /* dA = ½ L⁻ᵀ mirror (Lᵀ dL) L⁻¹, where mirror() copies the lower triangle to the upper one. */
      HYB_GRADIENT (
          "_linalg_trmm [transpose=True rightside=False lower=True alpha=1] (o0, g0) > x; "
          "_linalg_triangle [part=mirror] (x) > x; "
          "_linalg_trsm [transpose=True rightside=False lower=True alpha=1] (o0, x) > x; "
          "_linalg_trsm [transpose=False rightside=True lower=True alpha=0.5] (o0, x) > i0"),
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
      /* With A = (L Lᵀ)⁻¹: dL is the lower triangle of −A (dA + dAᵀ) L⁻ᵀ. */
      HYB_GRADIENT (
          "elemwise_add (_linalg_gemm2 [transpose_a=False transpose_b=False alpha=1] (o0, g0), "
          "_linalg_gemm2 [transpose_a=False transpose_b=True alpha=1] (o0, g0)) > x; "
          "_linalg_trsm [transpose=True rightside=True lower=True alpha=-1] (i0, x) > x; "
          "_linalg_triangle [part=lower] (x) > i0"),
      .cost = potri_cost,
  },
  { 0 },
};
