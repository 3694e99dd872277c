/* linalg-parts.c — shared parts of the operators on batches of matrices.
 *
 * Start with hyb_linalg_check(), which every operator of LAPACK uses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/linear/linalg-parts.h"

#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"

HybMatrices
hyb_linalg_view (const HybShape *shape)
{
  return (HybMatrices){ .count = hyb_shape_count (shape, 0, shape->rank - 2),
                        .rows = shape->dim[shape->rank - 2],
                        .columns = shape->dim[shape->rank - 1] };
}

gsize
hyb_linalg_bytes (const HybMatrices *matrices, HybDType dtype)
{
  return (gsize) (matrices->rows * matrices->columns) * hyb_dtype_size (dtype);
}

/* --- Rules --- */

gboolean
hyb_linalg_expect (HybShape *shape, const char *operand, gboolean is_square, GError **error)
{
  gint64 *rows, *columns;

  if (shape->rank == HYB_UNKNOWN)
    return TRUE;
  if (shape->rank < 2)
    return hyb_refuse_types (error, NULL, "%s has %d dimensions, but matrices have at least 2",
                             operand, shape->rank);
  rows = &shape->dim[shape->rank - 2];
  columns = &shape->dim[shape->rank - 1];
  if (is_square && *rows != HYB_UNKNOWN && *columns != HYB_UNKNOWN && *rows != *columns)
    return hyb_refuse_types (error, NULL,
                             "%s has matrices of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                             ", but square ones are needed",
                             operand, *rows, *columns);
  if (is_square && *rows == HYB_UNKNOWN)
    *rows = *columns;
  else if (is_square && *columns == HYB_UNKNOWN)
    *columns = *rows;
  if (MAX (*rows, *columns) > HYB_LAPACK_MAX)
    return hyb_refuse_types (error, NULL,
                             "%s has matrices of %" G_GINT64_FORMAT
                             " rows or columns, but at most %d are supported",
                             operand, MAX (*rows, *columns), HYB_LAPACK_MAX);
  return TRUE;
}

gboolean
hyb_linalg_infer_square (HybCall *call, GError **error)
{
  HybShape *first = &call->input[0].shape;

  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_shape_unify (first, &call->input[i].shape, error))
      return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_unify (first, &call->output[i].shape, error))
      return FALSE;
  return hyb_linalg_expect (first, call->op->inputs[0], TRUE, error) &&
         hyb_shape_assign (&call->output[0].shape, first, error);
}

/* Unknown ranks of one follow from the other. */
static gboolean
share_rank (HybShape *from, int n_from, HybShape *to, int n_to, GError **error)
{
  HybShape ranked;

  if (from->rank == HYB_UNKNOWN || from->rank < n_from)
    return TRUE;
  if (from->rank - n_from + n_to > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  ranked = hyb_shape_make (from->rank - n_from + n_to, NULL);
  return hyb_shape_assign (to, &ranked, error);
}

gboolean
hyb_linalg_share_batch (HybShape *from, int n_from, HybShape *to, int n_to, GError **error)
{
  if (!share_rank (from, n_from, to, n_to, error) || !share_rank (to, n_to, from, n_from, error))
    return FALSE;
  for (int i = 0; i < from->rank - n_from; i++)
    if (!hyb_dim_unify (&from->dim[i], &to->dim[i], "the numbers of matrices", error))
      return FALSE;
  return TRUE;
}

static gboolean
expect_float (HybDType dtype, GError **error)
{
  return dtype == HYB_DTYPE_UNKNOWN || dtype == HYB_F32 || dtype == HYB_F64 ||
         hyb_refuse_types (error, "Cast the input",
                           "its type is %s, but must be float32 or float64",
                           hyb_dtype_name (dtype));
}

gboolean
hyb_linalg_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_same_dtype (call, error) && expect_float (call->input[0].dtype, error);
}

gboolean
hyb_linalg_infer_dtype_numpy (HybCall *call, GError **error)
{
  HybDType result = HYB_F32;

  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybDType dtype = call->input[i].dtype;

      if (dtype == HYB_F16 || dtype == HYB_BF16)
        return expect_float (dtype, error);
      if (dtype == HYB_DTYPE_UNKNOWN)
        result = dtype;
      else if (dtype != HYB_F32 && result != HYB_DTYPE_UNKNOWN)
        result = HYB_F64;
    }
  for (guint i = 0; i < call->n_outputs && result != HYB_DTYPE_UNKNOWN; i++)
    if (!hyb_dtype_assign (&call->output[i].dtype, result, error))
      return FALSE;
  return TRUE;
}

/* --- Running --- */

gboolean
hyb_linalg_check (const HybRun *run, int info, gint64 index, const char *wrong, const char *hint)
{
  if (info != 0)
    hyb_run_report (run, hint, "matrix %" G_GINT64_FORMAT " %s (LAPACK's result is %d)", index,
                    wrong, info);
  return info == 0;
}

void
hyb_linalg_cost (const HybCall *call, double factor, HybCost *cost)
{
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);

  cost->flops = factor * (double) view.count * (double) view.rows * (double) view.columns *
                (double) MIN (view.rows, view.columns);
  hyb_rule_cost_bytes (call, cost);
}

/* --- Notes --- */

const char *
hyb_linalg_note_lu (const HybCall *call)
{
  return call->output[0].dtype == HYB_F64 ? "OpenBLAS dgetrf" : "OpenBLAS sgetrf";
}

const char *
hyb_linalg_note_svd (const HybCall *call)
{
  return call->output[0].dtype == HYB_F64 ? "OpenBLAS dgesvd" : "OpenBLAS sgesvd";
}

const char *
hyb_linalg_note_lq (const HybCall *call)
{
  return call->output[0].dtype == HYB_F64 ? "OpenBLAS dgeqrf" : "OpenBLAS sgeqrf";
}

const char *
hyb_linalg_note_cholesky (const HybCall *call)
{
  return call->output[0].dtype == HYB_F64 ? "OpenBLAS dpotrf" : "OpenBLAS spotrf";
}

const char *
hyb_linalg_note_general (const HybCall *call)
{
  return call->output[0].dtype == HYB_F64 ? "OpenBLAS dgeev" : "OpenBLAS sgeev";
}

const char *
hyb_linalg_note_symmetric (const HybCall *call)
{
  return call->output[0].dtype == HYB_F64 ? "OpenBLAS dsyevd" : "OpenBLAS ssyevd";
}

/* --- Nodes of gradients --- */

static const char *
python_bool (gboolean value)
{
  return value ? "True" : "False";
}

HybValueId
hyb_linalg_emit_product (HybGrad *grad, HybFactor a, HybFactor b, double alpha)
{
  const HybValueId  inputs[] = { a.value, b.value };
  char              text[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const attributes[] = { "transpose_a", python_bool (a.is_transposed),
                                     "transpose_b", python_bool (b.is_transposed),
                                     "alpha",       g_ascii_dtostr (text, sizeof text, alpha),
                                     NULL };

  return hyb_grad_emit_with (grad, "_linalg_gemm2", attributes, 2, inputs);
}

HybValueId
hyb_linalg_emit_triangular (HybGrad                   *grad,
                            const char                *op,
                            HybValueId                 a,
                            HybValueId                 b,
                            const HybTriangularParams *params)
{
  const HybValueId  inputs[] = { a, b };
  char              text[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const attributes[] = { "transpose", python_bool (params->transpose),
                                     "rightside", python_bool (params->rightside),
                                     "lower",     python_bool (params->lower),
                                     "alpha",     g_ascii_dtostr (text, sizeof text, params->alpha),
                                     NULL };

  return hyb_grad_emit_with (grad, op, attributes, 2, inputs);
}

const char *const hyb_linalg_triangles[] = { "lower", "upper", "mirror", NULL };

HybValueId
hyb_linalg_emit_triangle (HybGrad *grad, HybValueId x, HybTriangle part)
{
  const char *const attributes[] = { "part", hyb_linalg_triangles[part], NULL };

  return hyb_grad_emit_with (grad, "_linalg_triangle", attributes, 1, &x);
}
