/* linalg-eigen.c — NumPy's eigenvalues and eigenvectors: eig, eigvals, eigh, eigvalsh.
 *
 * Eigenvectors are the columns of the second output.  As in MXNet a complex eigenvalue is an error,
 * and none of these has a gradient.  Start with each_matrix().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"
#include "engine/ops/linear/linalg-parts.h"

#include <math.h>

static const char *const triangles[] = { "L", "U", NULL };

typedef struct
{
  int triangle; /* 0: lower, 1: upper */
} EighParams;

static const HybParam eigh_params[] = {
  { .name = "UPLO",
    .offset = G_STRUCT_OFFSET (EighParams, triangle),
    .kind = HYB_PARAM_ENUM,
    .fallback = "L",
    .choices = triangles,
    .doc = "the triangle that is read" },
  { 0 },
};

/* A (…, n, n) has eigenvalues (…, n) and eigenvectors like A. */
static gboolean
eigen_infer_shape (HybCall *call, GError **error)
{
  HybShape *a = &call->input[0].shape;
  HybShape *values = &call->output[0].shape;

  if (values->rank == 0)
    return hyb_refuse_types (error, NULL, "the eigenvalues need at least 1 dimension");
  if ((call->n_outputs > 1 && !hyb_shape_unify (a, &call->output[1].shape, error)) ||
      !hyb_linalg_expect (a, "A", TRUE, error) || !hyb_linalg_share_batch (a, 2, values, 1, error))
    return FALSE;
  return a->rank == HYB_UNKNOWN ||
         (hyb_dim_unify (&a->dim[a->rank - 1], &values->dim[values->rank - 1],
                         "the rows of A and the numbers of eigenvalues", error) &&
          hyb_linalg_expect (a, "A", TRUE, error) &&
          (call->n_outputs < 2 || hyb_shape_unify (a, &call->output[1].shape, error)));
}

/* Element (row, column) of the matrices in a, or with `turned` of their transposes, as the outputs'
 * dtype. */
static void
copy_matrix (const HybCall *call, gconstpointer from, HybDType dtype, gboolean turned, gpointer to)
{
  gint64 n = call->input[0].shape.dim[call->input[0].shape.rank - 1];

  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < n; j++)
      hyb_dtype_set_double (to, call->output[0].dtype, (gsize) (i * n + j),
                            hyb_dtype_get_double (from, dtype,
                                                  (gsize) (turned ? j * n + i : i * n + j)));
}

/* The parts of the workspace: a copy of one matrix, its eigenvectors, the imaginary parts of its
 * eigenvalues, and LAPACK's workspace. */
typedef struct
{
  gsize matrix, vectors, imaginary, lapack, bytes;
} Room;

static Room
find_room (const HybCall *call)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);
  gsize       bytes = hyb_linalg_bytes (&view, dtype);
  Room        room = { 0 };

  room.matrix = hyb_workspace_take (&room.bytes, bytes);
  room.vectors = hyb_workspace_take (&room.bytes, bytes);
  room.imaginary = hyb_workspace_take (&room.bytes, (gsize) view.rows * hyb_dtype_size (dtype));
  room.lapack =
      hyb_workspace_take (&room.bytes,
                          MAX (hyb_lapack_workspace (HYB_LAPACK_EIGEN, dtype, view.rows, view.rows),
                               hyb_lapack_workspace (HYB_LAPACK_EIGEN_SYMMETRIC, dtype, view.rows,
                                                     view.rows)));
  return room;
}

static gsize
eigen_workspace (const HybCall *call)
{
  return find_room (call).bytes;
}

/* Computes the eigenvalues of matrix number `index`, which was copied to the workspace.  FALSE if it
 * reported them. */
typedef gboolean (*Solve) (const HybCall *call, const HybRun *run, gpointer values, gint64 index);

static gboolean
solve_symmetric (const HybCall *call, const HybRun *run, gpointer values, gint64 index)
{
  gint64 n = hyb_linalg_view (&call->input[0].shape).rows;
  Room   room = find_room (call);
  char  *work = run->workspace;
  int    info = hyb_lapack_eigen_symmetric (call->output[0].dtype, n, work + room.matrix, values,
                                            work + room.lapack);

  return hyb_linalg_check (run, info, index, "has eigenvalues that the iteration did not find",
                           NULL);
}

static gboolean
solve_general (const HybCall *call, const HybRun *run, gpointer values, gint64 index)
{
  HybDType dtype = call->output[0].dtype;
  gint64   n = hyb_linalg_view (&call->input[0].shape).rows;
  Room     room = find_room (call);
  char    *work = run->workspace;
  HybEigen to = { values, work + room.imaginary, call->n_outputs > 1 ? work + room.vectors : NULL };
  int      info = hyb_lapack_eigen (dtype, n, work + room.matrix, &to, work + room.lapack);

  if (!hyb_linalg_check (run, info, index, "has eigenvalues that the iteration did not find", NULL))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (fabs (hyb_dtype_get_double (to.imaginary, dtype, (gsize) i)) > 1e-15)
      return hyb_linalg_check (run, (int) i + 1, index,
                               "has complex eigenvalues, which are not supported",
                               "MXNet refuses them, too.");
  return TRUE;
}

/* Solves every matrix; reads_upper: its transpose is copied. */
static void
each_matrix (const HybCall *call, const HybRun *run, Solve solve, gboolean reads_upper)
{
  HybDType    from = call->input[0].dtype, dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);
  gsize       row = (gsize) view.rows * hyb_dtype_size (dtype);
  Room        room = find_room (call);
  char       *work = run->workspace;

  for (gint64 i = 0; i < view.count; i++)
    {
      copy_matrix (call, (const char *) run->input[0] + (gsize) i * hyb_linalg_bytes (&view, from),
                   from, reads_upper, work + room.matrix);
      if (!solve (call, run, (char *) run->output[0] + (gsize) i * row, i))
        return;
      if (call->n_outputs > 1)
        copy_matrix (call, work + (solve == solve_symmetric ? room.matrix : room.vectors), dtype,
                     TRUE, (char *) run->output[1] + (gsize) i * hyb_linalg_bytes (&view, dtype));
    }
}

static void
general_forward (const HybCall *call, const HybRun *run)
{
  each_matrix (call, run, solve_general, FALSE);
}

static void
symmetric_forward (const HybCall *call, const HybRun *run)
{
  each_matrix (call, run, solve_symmetric, ((const EighParams *) call->params)->triangle == 1);
}

static void
eigen_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 10, cost);
}

static const char *const matrix_inputs[] = { "A", NULL };
static const char *const pair_outputs[] = { "w", "v", NULL };

#define EIGEN(op, sentence, results, table, size, kind)                                        \
  {                                                                                            \
    .name = op, .doc = sentence, .category = HYB_CATEGORY_LINEAR, .flags = HYB_OP_NO_GRADIENT, \
    .inputs = matrix_inputs, .outputs = results, .params = table, .params_size = size,         \
    .infer_shape = eigen_infer_shape, .infer_dtype = hyb_linalg_infer_dtype_numpy,             \
    .dtypes = HYB_DTYPES_ALL, .forward = kind##_forward, .note = hyb_linalg_note_##kind,       \
    .workspace = eigen_workspace, .cost = eigen_cost                                           \
  }

const HybOp hyb_ops_linalg_eigen[] = {
  EIGEN ("_npi_eig",
         "Eigenvalues and eigenvectors of square matrices.",
         pair_outputs,
         NULL,
         0,
         general),
  EIGEN ("_npi_eigvals", "Eigenvalues of square matrices.", NULL, NULL, 0, general),
  EIGEN ("_npi_eigh",
         "Eigenvalues and eigenvectors of symmetric matrices.",
         pair_outputs,
         eigh_params,
         sizeof (EighParams),
         symmetric),
  EIGEN ("_npi_eigvalsh",
         "Eigenvalues of symmetric matrices.",
         NULL,
         eigh_params,
         sizeof (EighParams),
         symmetric),
  { 0 },
};

#undef EIGEN
