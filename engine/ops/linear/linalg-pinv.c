/* linalg-pinv.c — NumPy's pinv: pseudo-inverses of matrices, by their singular values.
 *
 * Singular values up to rcond times the largest one count as 0.  rcond is an attribute, or a tensor with
 * one number for each matrix.  As in MXNet there is no gradient, and `hermitian` changes nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"
#include "engine/ops/linear/linalg-parts.h"

typedef struct
{
  double   rcond;
  gboolean hermitian;
} PinvParams;

#define HERMITIAN                                               \
  {                                                             \
    HYB_FIELD (PinvParams, hermitian), HYB_PARAM_BOOL, "False", \
        .doc = "whether A is symmetric; not used",              \
  }

static const HybParam scalar_params[] = {
  { HYB_FIELD (PinvParams, rcond), HYB_PARAM_FLOAT, "1e-15",
    .doc = "the part of the largest singular value up to which others count as 0" },
  HERMITIAN,
  { 0 },
};

static const HybParam tensor_params[] = { HERMITIAN, { 0 } };

/* A (…, m, n) gives (…, n, m). */
static gboolean
relate_sides (HybShape *from, HybShape *to, GError **error)
{
  return hyb_linalg_expect (from, "A", FALSE, error) &&
         hyb_linalg_share_batch (from, 2, to, 2, error) &&
         (from->rank == HYB_UNKNOWN ||
          (hyb_dim_unify (&from->dim[from->rank - 2], &to->dim[to->rank - 1],
                          "the rows of A and the columns of its pseudo-inverse", error) &&
           hyb_dim_unify (&from->dim[from->rank - 1], &to->dim[to->rank - 2],
                          "the columns of A and the rows of its pseudo-inverse", error)));
}

static gboolean
pinv_infer_shape (HybCall *call, GError **error)
{
  const HybShape *rcond = call->n_inputs > 1 ? &call->input[1].shape : NULL;
  HybShape       *a = &call->input[0].shape;

  if (!relate_sides (a, &call->output[0].shape, error))
    return FALSE;
  if (!rcond || a->rank == HYB_UNKNOWN || rcond->rank == HYB_UNKNOWN)
    return TRUE;
  for (int i = 0; i < rcond->rank; i++)
    {
      int    axis = a->rank - 2 - rcond->rank + i;
      gint64 size = rcond->dim[i];

      if (axis < 0 ||
          (size != HYB_UNKNOWN && size != 1 && a->dim[axis] != HYB_UNKNOWN && size != a->dim[axis]))
        return hyb_refuse_types (error, "Give one number, or one for each matrix",
                                 "axis %d of rcond does not belong to an axis of A that counts "
                                 "matrices",
                                 i);
    }
  return TRUE;
}

/* The parts of the workspace for one matrix, turned so that it has as many columns as rows or
 * more: the matrix and V, UT, the singular values, and LAPACK's workspace. */
typedef struct
{
  gboolean is_turned;
  gint64   m, n;
  gsize    a, ut, values, lapack, bytes;
} Room;

static Room
find_room (const HybCall *call)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);
  Room        room = { .is_turned = view.rows > view.columns,
                       .m = MIN (view.rows, view.columns),
                       .n = MAX (view.rows, view.columns) };
  gsize       size = hyb_dtype_size (dtype);

  room.a = hyb_workspace_take (&room.bytes, (gsize) (room.m * room.n) * size);
  room.ut = hyb_workspace_take (&room.bytes, (gsize) (room.m * room.m) * size);
  room.values = hyb_workspace_take (&room.bytes, (gsize) room.m * size);
  room.lapack = hyb_workspace_take (&room.bytes,
                                    hyb_lapack_workspace (HYB_LAPACK_SVD, dtype, room.m, room.n));
  return room;
}

static gsize
pinv_workspace (const HybCall *call)
{
  return find_room (call).bytes;
}

/* rcond of matrix number `index`. */
static double
find_rcond (const HybCall *call, const HybRun *run, gint64 index)
{
  const HybShape *a = &call->input[0].shape, *rcond;
  gint64          at = 0, step = 1;

  if (call->n_inputs < 2)
    return ((const PinvParams *) call->params)->rcond;
  rcond = &call->input[1].shape;
  for (int i = 1; i <= rcond->rank; i++)
    {
      gint64 size = a->dim[a->rank - 2 - i];

      if (rcond->dim[rcond->rank - i] != 1)
        at += index % size * step;
      step *= rcond->dim[rcond->rank - i];
      index /= size;
    }
  return hyb_dtype_get_double (run->input[1], call->input[1].dtype, (gsize) at);
}

/* The sum of columns of Vᵀ times rows of UTᵀ, each divided by its singular value. */
static void
invert (const HybCall *call, const Room *room, char *work, double rcond, gpointer to)
{
  HybDType dtype = call->output[0].dtype;
  gpointer v = work + room->a, ut = work + room->ut, values = work + room->values;
  double   largest = 0;
  HybGemm  product = { .transpose_a = TRUE,
                       .transpose_b = TRUE,
                       .m = room->n,
                       .n = room->m,
                       .k = room->m,
                       .lda = room->n,
                       .ldb = room->m,
                       .ldc = room->m,
                       .alpha = 1 };

  for (gint64 i = 0; i < room->m; i++)
    largest = MAX (largest, hyb_dtype_get_double (values, dtype, (gsize) i));
  for (gint64 i = 0; i < room->m; i++)
    {
      double value = hyb_dtype_get_double (values, dtype, (gsize) i);
      double scale = value <= rcond * largest ? 0 : 1 / value;

      for (gint64 j = 0; j < room->n; j++)
        {
          gsize at = (gsize) (i * room->n + j);

          hyb_dtype_set_double (v, dtype, at, hyb_dtype_get_double (v, dtype, at) * scale);
        }
    }
  if (!room->is_turned)
    {
      hyb_gemm (&product, dtype, v, ut, to);
      return;
    }
  product.transpose_a = product.transpose_b = FALSE;
  product.m = room->m;
  product.n = product.ldb = product.ldc = room->n;
  product.lda = room->m;
  hyb_gemm (&product, dtype, ut, v, to);
}

static void
pinv_forward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);
  Room        room = find_room (call);
  char       *work = run->workspace;
  HybSvd      svd = { room.m, room.n, work + room.a, work + room.ut, work + room.values };
  gsize       bytes = hyb_linalg_bytes (&view, dtype);

  if (bytes == 0)
    return;
  for (gint64 i = 0; i < view.count; i++)
    {
      const char *a = (const char *) run->input[0] + (gsize) i * bytes;

      for (gint64 at = 0; at < view.rows * view.columns; at++)
        hyb_dtype_set_double (svd.a, dtype,
                              (gsize) (room.is_turned
                                           ? at % view.columns * view.rows + at / view.columns
                                           : at),
                              hyb_dtype_get_double (a, dtype, (gsize) at));
      if (!hyb_linalg_check (run, hyb_lapack_svd (dtype, &svd, work + room.lapack), i,
                             "has singular values that the iteration did not find", NULL))
        return;
      invert (call, &room, work, find_rcond (call, run, i),
              (char *) run->output[0] + (gsize) i * bytes);
    }
}

static void
pinv_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 14, cost);
}

static const char *const scalar_inputs[] = { "A", NULL };
static const char *const tensor_inputs[] = { "A", "rcond", NULL };

#define PINV(op, sentence, operands, table)                                                    \
  {                                                                                            \
    .name = op, .doc = sentence, .category = HYB_CATEGORY_LINEAR, .flags = HYB_OP_NO_GRADIENT, \
    .inputs = operands, .params = table, .params_size = sizeof (PinvParams),                   \
    .infer_shape = pinv_infer_shape, .infer_dtype = hyb_linalg_infer_dtype,                    \
    .dtypes = HYB_DTYPES_FLOAT, .forward = pinv_forward, .note = hyb_linalg_note_svd,          \
    .workspace = pinv_workspace, .cost = pinv_cost                                             \
  }

const HybOp hyb_ops_linalg_pinv[] = {
  PINV ("_npi_pinv",
        "Pseudo-inverses of matrices; a tensor says which singular values count as 0.",
        tensor_inputs,
        tensor_params),
  PINV ("_npi_pinv_scalar_rcond", "Pseudo-inverses of matrices.", scalar_inputs, scalar_params),
  { 0 },
};

#undef PINV
#undef HERMITIAN
