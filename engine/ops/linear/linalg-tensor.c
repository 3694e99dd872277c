/* linalg-tensor.c — NumPy's tensorinv and tensorsolve: inverse and linear equations of arrays whose first
 * and last axes are the rows and columns of one square matrix.
 *
 * tensorsolve first moves the axes a_axes behind the others.  A singular matrix is an error, as in MXNet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"
#include "engine/ops/linear/linalg-parts.h"

#include <string.h>

/* FALSE if the axes before and after `middle` have different products, or LAPACK cannot count them.
 * The shape is known. */
static gboolean
expect_square (const HybShape *shape, int middle, GError **error)
{
  gint64 rows = hyb_shape_count (shape, 0, middle);
  gint64 columns = hyb_shape_count (shape, middle, shape->rank);

  if (rows != columns)
    return hyb_refuse_types (error, NULL,
                             "the array is a matrix of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                             ", but a square one is needed",
                             rows, columns);
  return rows <= HYB_LAPACK_MAX ||
         hyb_refuse_types (error, NULL,
                           "the matrix has %" G_GINT64_FORMAT " rows, but at most %d are supported",
                           rows, HYB_LAPACK_MAX);
}

/* --- tensorinv --- */

typedef struct
{
  gint64 ind;
} TensorinvParams;

static const HybParam tensorinv_params[] = {
  { HYB_FIELD (TensorinvParams, ind), HYB_PARAM_INT, "2", .low = 1, .high = HYB_MAX_RANK,
    .doc = "how many axes are rows" },
  { 0 },
};

/* The shape with the first n axes behind the others. */
static HybShape
turn_axes (const HybShape *shape, int n)
{
  HybShape out = { .rank = shape->rank };

  for (int i = 0; i < shape->rank; i++)
    out.dim[i] = shape->dim[(i + n) % shape->rank];
  return out;
}

/* Relates the shape of A to that of its inverse. */
static gboolean
relate_inverse (HybShape *a, HybShape *inverse, int ind, GError **error)
{
  HybShape turned;

  if (inverse->rank != HYB_UNKNOWN && inverse->rank >= ind)
    {
      turned = turn_axes (inverse, inverse->rank - ind);
      if (!hyb_shape_assign (a, &turned, error))
        return FALSE;
    }
  if (a->rank == HYB_UNKNOWN)
    return TRUE;
  if (ind > a->rank)
    return hyb_refuse_types (error, "Reduce ind", "ind is %d, but the input has %d dimensions", ind,
                             a->rank);
  turned = turn_axes (a, ind);
  return (!hyb_shape_is_known (a) || expect_square (a, ind, error)) &&
         hyb_shape_assign (inverse, &turned, error);
}

static gboolean
tensorinv_infer_shape (HybCall *call, GError **error)
{
  const TensorinvParams *params = call->params;

  return relate_inverse (&call->input[0].shape, &call->output[0].shape, (int) params->ind, error);
}

static gint64
tensorinv_rows (const HybCall *call)
{
  return hyb_shape_count (&call->input[0].shape, 0,
                          (int) ((const TensorinvParams *) call->params)->ind);
}

/* Space for one row and for the row exchanges. */
static gsize
tensorinv_workspace (const HybCall *call)
{
  return (gsize) tensorinv_rows (call) * (hyb_dtype_size (call->output[0].dtype) + sizeof (gint32));
}

static void
tensorinv_forward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  gint64   n = tensorinv_rows (call);
  char    *pivot = (char *) run->workspace + (gsize) n * hyb_dtype_size (dtype);
  HybLu    lu = { dtype, n, run->output[0], (gint32 *) (gpointer) pivot };
  int      info;

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  info = hyb_lapack_lu (&lu);
  if (info == 0)
    info = hyb_lapack_lu_inverse (&lu, run->workspace);
  hyb_linalg_check (run, info, 0, "is singular", "It has no inverse.");
}

static gint64
inverse_backward_rows (const HybCall *call)
{
  return hyb_shape_count (&call->output[0].shape, 0,
                          (int) ((const TensorinvParams *) call->params)->ind);
}

static gsize
inverse_backward_workspace (const HybCall *call)
{
  return hyb_type_bytes (&call->output[0]);
}

/* The gradient is −Aᵀ · dy · Aᵀ of the inverse A: *left gives the first product, *right the second. */
static void
set_products (const HybCall *call, HybGemm *left, HybGemm *right)
{
  gint64 n = inverse_backward_rows (call);

  *left = *right = (HybGemm){ .m = n, .n = n, .k = n, .lda = n, .ldb = n, .ldc = n };
  left->transpose_a = right->transpose_b = TRUE;
  left->alpha = -1;
  right->alpha = 1;
}

static void
inverse_backward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  HybGemm  left, right;

  set_products (call, &left, &right);
  hyb_gemm (&left, dtype, run->input[1], run->input[0], run->workspace);
  hyb_gemm (&right, dtype, run->workspace, run->input[1], run->output[0]);
}

static const char *
inverse_backward_note (const HybCall *call)
{
  HybGemm left, right;

  set_products (call, &left, &right);
  return hyb_gemm_note (&right, call->output[0].dtype);
}

/* --- tensorsolve --- */

typedef struct
{
  HybInts a_axes;
} TensorsolveParams;

static const HybParam tensorsolve_params[] = {
  { HYB_FIELD (TensorsolveParams, a_axes), HYB_PARAM_INTS, "None",
    .doc = "axes of A that are moved behind the others" },
  { 0 },
};

/* Sets order to the axes of A in the order in which they are used.  FALSE if there are more than A has, or if
 * one is outside of A or occurs twice. */
static gboolean
order_axes (const TensorsolveParams *params, int rank, int *order, GError **error)
{
  guint32 moved = 0;
  int     n = 0, last = rank - params->a_axes.n;

  if (last < 0)
    return hyb_refuse_types (error, NULL, "a_axes has %d axes, more than the %d of A",
                             params->a_axes.n, rank);
  for (int i = 0; i < params->a_axes.n; i++)
    {
      gint64 axis = params->a_axes.value[i];

      axis += axis < 0 ? rank : 0;
      if (axis < 0 || axis >= rank || moved >> axis & 1)
        return hyb_refuse_types (error, NULL,
                                 "axis %" G_GINT64_FORMAT
                                 " of a_axes is outside of the %d axes of A, or occurs twice",
                                 params->a_axes.value[i], rank);
      moved |= 1u << axis;
      order[last + i] = (int) axis;
    }
  for (int i = 0; i < rank; i++)
    if (!(moved >> i & 1))
      order[n++] = i;
  return TRUE;
}

/* Relates A to B, whose elements are the right sides, and to X. */
static gboolean
relate_sides (const HybCall  *call,
              const HybShape *a,
              const HybShape *b,
              HybShape       *x,
              GError        **error)
{
  int      order[HYB_MAX_RANK];
  HybShape ordered = *a, out;

  if (a->rank == HYB_UNKNOWN || b->rank == HYB_UNKNOWN)
    return TRUE;
  if (b->rank > a->rank)
    return hyb_refuse_types (error, NULL,
                             "A has %d dimensions and B %d, but needs at least as many", a->rank,
                             b->rank);
  if (!order_axes (call->params, a->rank, order, error))
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    ordered.dim[i] = a->dim[order[i]];
  if (hyb_shape_is_known (a) && !expect_square (&ordered, b->rank, error))
    return FALSE;
  if (hyb_shape_is_known (a) && hyb_shape_is_known (b) &&
      hyb_shape_size (b) != hyb_shape_count (&ordered, 0, b->rank))
    return hyb_refuse_types (error, NULL,
                             "B has %" G_GINT64_FORMAT " elements, but there are %" G_GINT64_FORMAT
                             " equations",
                             hyb_shape_size (b), hyb_shape_count (&ordered, 0, b->rank));
  out = (HybShape){ .rank = a->rank - b->rank };
  for (int i = 0; i < out.rank; i++)
    out.dim[i] = ordered.dim[b->rank + i];
  return hyb_shape_assign (x, &out, error);
}

static gboolean
tensorsolve_infer_shape (HybCall *call, GError **error)
{
  return relate_sides (call, &call->input[0].shape, &call->input[1].shape, &call->output[0].shape,
                       error);
}

/* The parts of the workspace: A as it is, A ordered, the right side, and the row exchanges. */
typedef struct
{
  gint64 n;
  gsize  copy, lu, row, pivot, bytes;
} Room;

static Room
find_room (const HybShape *b, HybDType dtype)
{
  Room  room = { .n = hyb_shape_size (b) };
  gsize n = (gsize) room.n, size = hyb_dtype_size (dtype);

  room.copy = hyb_workspace_take (&room.bytes, n * n * size);
  room.lu = hyb_workspace_take (&room.bytes, n * n * size);
  room.row = hyb_workspace_take (&room.bytes, n * size);
  room.pivot = hyb_workspace_take (&room.bytes, n * sizeof (gint32));
  return room;
}

static gsize
tensorsolve_workspace (const HybCall *call)
{
  return find_room (&call->input[1].shape, call->output[0].dtype).bytes;
}

/* Moves the elements of A (shape) to their order; reversed: back. */
static void
move_axes (const HybCall *call, const HybShape *a, HybMove *move, gboolean reversed)
{
  int    order[HYB_MAX_RANK];
  gint64 step[HYB_MAX_RANK], ordered = 1;

  order_axes (call->params, a->rank, order, NULL);
  for (int i = a->rank; i-- > 0;)
    step[i] = i == a->rank - 1 ? 1 : step[i + 1] * a->dim[i + 1];
  for (int i = 0; i < a->rank; i++)
    ordered *= a->dim[i];
  for (int i = 0; i < a->rank; i++)
    {
      gint64 from = step[order[i]];

      ordered = a->dim[order[i]] == 0 ? 0 : ordered / a->dim[order[i]];
      hyb_move_axis (move, a->dim[order[i]], reversed ? ordered : from, reversed ? from : ordered);
    }
}

static void
tensorsolve_forward (const HybCall *call, const HybRun *run)
{
  const HybType *a = &call->input[0], *b = &call->input[1];
  HybDType       dtype = call->output[0].dtype;
  Room           room = find_room (&b->shape, dtype);
  char          *work = run->workspace;
  gsize          n = (gsize) room.n;
  HybMove        move = { .item = hyb_dtype_size (dtype) };
  HybLu          lu = { dtype, room.n, work + room.lu, (gint32 *) (gpointer) (work + room.pivot) };

  hyb_dtype_convert (work + room.copy, dtype, run->input[0], a->dtype, n * n);
  move_axes (call, &a->shape, &move, FALSE);
  hyb_move (&move, work + room.copy, lu.lu);
  hyb_dtype_convert (run->output[0], dtype, run->input[1], b->dtype, n);
  if (hyb_linalg_check (run, hyb_lapack_lu (&lu), 0, "is singular",
                        "The equations have no unique solution."))
    hyb_lapack_lu_solve (&lu, FALSE, 1, run->output[0]);
}

static gsize
solve_backward_workspace (const HybCall *call)
{
  return find_room (&call->output[1].shape, call->output[0].dtype).bytes;
}

/* dB = A⁻ᵀ dX, dA = −dB Xᵀ. */
static void
solve_backward (const HybCall *call, const HybRun *run)
{
  const HybShape *a = &call->input[1].shape;
  HybDType        dtype = call->output[0].dtype;
  Room            room = find_room (&call->output[1].shape, dtype);
  char           *work = run->workspace;
  HybMove         forth = { .item = hyb_dtype_size (dtype) }, back = forth;
  HybLu           lu = { dtype, room.n, work + room.lu, (gint32 *) (gpointer) (work + room.pivot) };
  HybGemm         product = {
            .m = room.n, .n = room.n, .k = 1, .lda = 1, .ldb = room.n, .ldc = room.n, .alpha = -1
  };

  if (room.n == 0)
    return;
  move_axes (call, a, &forth, FALSE);
  move_axes (call, a, &back, TRUE);
  hyb_move (&forth, run->input[1], lu.lu);
  memcpy (run->output[1], run->input[0], hyb_type_bytes (&call->output[1]));
  if (hyb_lapack_lu (&lu) == 0)
    hyb_lapack_lu_solve (&lu, TRUE, 1, run->output[1]);
  hyb_gemm (&product, dtype, run->output[1], run->input[3], work + room.copy);
  hyb_move (&back, work + room.copy, run->output[0]);
}

static const char *const tensorinv_inputs[] = { "a", NULL };
static const char *const tensorsolve_inputs[] = { "a", "b", NULL };
static const char *const inverse_backward_inputs[] = { "gradient", "inverse", NULL };
static const char *const solve_backward_inputs[] = { "gradient", "a", "b", "x", NULL };
static const char *const solve_backward_outputs[] = { "a", "b", NULL };

const HybOp hyb_ops_linalg_tensor[] = {
  {
      .name = "_npi_tensorinv",
      .doc = "The inverse of an array whose first axes are the rows of a matrix.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = tensorinv_inputs,
      HYB_PARAMS (tensorinv_params, TensorinvParams),
      .infer_shape = tensorinv_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = tensorinv_forward,
      .note = hyb_linalg_note_lu,
      .workspace = tensorinv_workspace,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_npi_tensorinv",
      .doc = "Gradient of tensorinv.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = inverse_backward_inputs,
      HYB_PARAMS (tensorinv_params, TensorinvParams),
      .gradient_of = "_npi_tensorinv",
      .operands = "g0 o0 > i0",
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = inverse_backward,
      .note = inverse_backward_note,
      .workspace = inverse_backward_workspace,
  },
  {
      .name = "_npi_tensorsolve",
      .doc = "Solves linear equations whose coefficients are an array of several axes.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = tensorsolve_inputs,
      HYB_PARAMS (tensorsolve_params, TensorsolveParams),
      .infer_shape = tensorsolve_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype_numpy,
      .dtypes = HYB_DTYPES_ALL,
      .forward = tensorsolve_forward,
      .note = hyb_linalg_note_lu,
      .workspace = tensorsolve_workspace,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_npi_tensorsolve",
      .doc = "Gradient of tensorsolve.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = solve_backward_inputs,
      .outputs = solve_backward_outputs,
      HYB_PARAMS (tensorsolve_params, TensorsolveParams),
      .gradient_of = "_npi_tensorsolve",
      .operands = "g0 i0 i1 o0 > i0 i1",
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = solve_backward,
      .note = hyb_linalg_note_lu,
      .workspace = solve_backward_workspace,
  },
  { 0 },
};
