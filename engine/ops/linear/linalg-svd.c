/* linalg-svd.c — NumPy's singular values: svd, and its gradient.
 *
 * A = UT · diag (L) · V with orthogonal UT and orthonormal rows of V, for matrices that have at least as
 * many columns as rows, as in MXNet.  The largest element of each row of V is positive.  The gradient
 * computes in double; backward_matrix() states the formula.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"
#include "engine/ops/linear/linalg-parts.h"

#include <math.h>
#include <string.h>

/* Afterwards all three have a rank, or none has one. */
static gboolean
share_batches (HybShape *a, HybShape *ut, HybShape *values, GError **error)
{
  return hyb_linalg_share_batch (a, 2, ut, 2, error) &&
         hyb_linalg_share_batch (a, 2, values, 1, error) &&
         hyb_linalg_share_batch (a, 2, ut, 2, error);
}

/* A and V are (…, m, n) with m ≤ n, UT is (…, m, m), L is (…, m). */
static gboolean
relate_parts (HybShape *a, HybShape *ut, HybShape *values, HybShape *v, GError **error)
{
  gint64 *rows, *columns;

  if (values->rank == 0)
    return hyb_refuse_types (error, NULL, "the singular values need at least 1 dimension");
  if (!hyb_shape_unify (a, v, error) || !hyb_linalg_expect (a, "A", FALSE, error) ||
      !hyb_linalg_expect (ut, "UT", TRUE, error) || !share_batches (a, ut, values, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN)
    return TRUE;
  rows = &a->dim[a->rank - 2];
  columns = &a->dim[a->rank - 1];
  if (*rows != HYB_UNKNOWN && *columns != HYB_UNKNOWN && *rows > *columns)
    return hyb_refuse_types (error, "Transpose it",
                             "A has matrices of %" G_GINT64_FORMAT " rows and %" G_GINT64_FORMAT
                             " columns, but needs at least as many columns as rows",
                             *rows, *columns);
  return hyb_dim_unify (rows, &ut->dim[ut->rank - 1], "the rows of A and UT", error) &&
         hyb_dim_unify (rows, &values->dim[values->rank - 1],
                        "the rows of A and the number of singular values", error) &&
         hyb_linalg_expect (ut, "UT", TRUE, error) && hyb_shape_unify (a, v, error);
}

static gboolean
svd_infer_shape (HybCall *call, GError **error)
{
  HybType *out = call->output;

  return relate_parts (&call->input[0].shape, &out[0].shape, &out[1].shape, &out[2].shape, error);
}

static gsize
svd_workspace (const HybCall *call)
{
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);

  return hyb_lapack_workspace (HYB_LAPACK_SVD, call->output[0].dtype, view.rows, view.columns);
}

static void
svd_forward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);
  gsize       row = (gsize) view.rows * hyb_dtype_size (dtype);

  memcpy (run->output[2], run->input[0], hyb_type_bytes (&call->output[2]));
  for (gint64 i = 0; i < view.count; i++)
    {
      HybSvd svd = { .m = view.rows,
                     .n = view.columns,
                     .a = (char *) run->output[2] + (gsize) i * hyb_linalg_bytes (&view, dtype),
                     .ut = (char *) run->output[0] + (gsize) (i * view.rows) * row,
                     .values = (char *) run->output[1] + (gsize) i * row };

      if (!hyb_linalg_check (run, hyb_lapack_svd (dtype, &svd, run->workspace), i,
                             "has singular values that the iteration did not find", NULL))
        return;
    }
}

/* --- Gradient --- */

enum
{
  D_UT,
  D_L,
  D_V,
  UT,
  L,
  V,
  N_INPUTS
};

/* One matrix in double: the inputs of the gradient, P = UTᵀ dUT, Q = dV Vᵀ, G, and dA before it is
 * multiplied by UT; the last of them may be used for the result. */
typedef struct
{
  gint64  m, n;
  double *in[N_INPUTS];
  double *p, *q, *g, *x, *out;
} Work;

static gint64
input_size (const Work *work, int input)
{
  return input == D_L || input == L   ? work->m
         : input == D_V || input == V ? work->m * work->n
                                      : work->m * work->m;
}

/* Divides `room` among the members; returns the number of elements. */
static gint64
divide_room (Work *work, double *room)
{
  gint64 used = 0;

  for (int i = 0; i < N_INPUTS; i++)
    {
      work->in[i] = room ? room + used : NULL;
      used += input_size (work, i);
    }
  for (int i = 0; i < 5; i++)
    {
      double **member[] = { &work->p, &work->q, &work->g, &work->x, &work->out };

      *member[i] = room ? room + used : NULL;
      used += i < 3 ? work->m * work->m : work->m * work->n;
    }
  return used;
}

static Work
view_work (const HybCall *call)
{
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);

  return (Work){ .m = view.rows, .n = view.columns };
}

static gsize
backward_workspace (const HybCall *call)
{
  Work work = view_work (call);

  return (gsize) divide_room (&work, NULL) * sizeof (double);
}

/* 1 / x, with numbers near 0 kept away from it. */
static double
safe_inverse (double x)
{
  return 1 / (fabs (x) < 1e-100 ? copysign (1e-100, x) : x);
}

/* dA = UT ((G − Q / L) V + dV / L), with G[i][i] = dL[i], and elsewhere
 * G[i][j] = (L[j] (P[i][j] − P[j][i]) − L[i] (Q[i][j] − Q[j][i])) / (L[j]² − L[i]²). */
static void
backward_matrix (const Work *w)
{
  HybGemm       p = { .transpose_a = TRUE, .m = w->m, .n = w->m, .k = w->m, .alpha = 1 };
  HybGemm       q = { .transpose_b = TRUE, .m = w->m, .n = w->m, .k = w->n, .alpha = 1 };
  HybGemm       x = { .m = w->m, .n = w->n, .k = w->m, .alpha = 1, .beta = 1 };
  HybGemm       out = { .m = w->m, .n = w->n, .k = w->m, .alpha = 1 };
  const double *l = w->in[L];

  p.lda = p.ldb = p.ldc = q.ldc = x.lda = out.lda = w->m;
  q.lda = q.ldb = x.ldb = x.ldc = out.ldb = out.ldc = w->n;
  hyb_gemm_f64 (&p, w->in[UT], w->in[D_UT], w->p);
  hyb_gemm_f64 (&q, w->in[D_V], w->in[V], w->q);
  for (gint64 i = 0; i < w->m; i++)
    for (gint64 j = 0; j < w->m; j++)
      {
        gint64 at = i * w->m + j, turned = j * w->m + i;
        double g = w->in[D_L][i];

        if (i != j)
          g = (l[j] * (w->p[at] - w->p[turned]) - l[i] * (w->q[at] - w->q[turned])) *
              safe_inverse (l[j] * l[j] - l[i] * l[i]);
        w->g[at] = g - w->q[at] * safe_inverse (l[i]);
      }
  for (gint64 i = 0; i < w->m; i++)
    for (gint64 j = 0; j < w->n; j++)
      w->x[i * w->n + j] = w->in[D_V][i * w->n + j] * safe_inverse (l[i]);
  hyb_gemm_f64 (&x, w->g, w->in[V], w->x);
  hyb_gemm_f64 (&out, w->in[UT], w->x, w->out);
}

static void
svd_backward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gsize       item = hyb_dtype_size (dtype);
  Work        work = view_work (call);

  divide_room (&work, run->workspace);
  for (gint64 i = 0; i < view.count; i++)
    {
      for (int k = 0; k < N_INPUTS; k++)
        {
          gsize size = (gsize) input_size (&work, k);

          hyb_dtype_convert (work.in[k], HYB_F64,
                             (const char *) run->input[k] + (gsize) i * size * item, dtype, size);
        }
      backward_matrix (&work);
      hyb_dtype_convert ((char *) run->output[0] + (gsize) i * hyb_linalg_bytes (&view, dtype),
                         dtype, work.out, HYB_F64, (gsize) (view.rows * view.columns));
    }
}

static void
svd_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 12, cost);
}

static const char *const matrix_inputs[] = { "A", NULL };
static const char *const svd_outputs[] = { "UT", "L", "V", NULL };
static const char *const backward_inputs[] = { "dUT", "dL", "dV", "UT", "L", "V", NULL };

const HybOp hyb_ops_linalg_svd[] = {
  {
      .name = "_npi_svd",
      .doc = "Singular values of matrices, and the orthogonal factors on both sides.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = matrix_inputs,
      .outputs = svd_outputs,
      .infer_shape = svd_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = svd_forward,
      .note = hyb_linalg_note_svd,
      .workspace = svd_workspace,
      .gradient = hyb_gradient_by_operands,
      .cost = svd_cost,
  },
  {
      .name = "_backward_npi_svd",
      .doc = "Gradient of svd.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .gradient_of = "_npi_svd",
      .operands = "g0 g1 g2 o0 o1 o2 > i0",
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = svd_backward,
      .workspace = backward_workspace,
  },
  { 0 },
};
