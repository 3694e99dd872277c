/* linalg-solve.c — NumPy's solve: X with A X = B for many matrices A.
 *
 * B holds matrices, or with one axis less than A vectors.  A singular A is an error, as in MXNet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"
#include "engine/ops/linear/linalg-parts.h"

#include <math.h>
#include <string.h>

/* Relates A (…, n, n) and B (…, n, k) or (…, n). */
static gboolean
relate_sides (HybShape *a, HybShape *b, GError **error)
{
  int n_last;

  if (!hyb_linalg_expect (a, "A", TRUE, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN || b->rank == HYB_UNKNOWN)
    return TRUE;
  n_last = b->rank - a->rank + 2;
  if (n_last != 1 && n_last != 2)
    return hyb_refuse_types (error, NULL,
                             "A has %d dimensions and B %d, but they differ by 1 at most", a->rank,
                             b->rank);
  return hyb_linalg_share_batch (a, 2, b, n_last, error) &&
         hyb_dim_unify (&a->dim[a->rank - 1], &b->dim[a->rank - 2], "the rows of A and B", error) &&
         hyb_linalg_expect (a, "A", TRUE, error);
}

static gboolean
solve_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error) &&
         relate_sides (&call->input[0].shape, &call->input[1].shape, error) &&
         hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error);
}

/* The sizes of one system: n equations, k columns of B. */
typedef struct
{
  gint64 count, n, k;
} Systems;

static Systems
view_systems (const HybShape *a, const HybShape *b)
{
  HybMatrices view = hyb_linalg_view (a);

  return (Systems){ view.count, view.rows, b->rank == a->rank ? b->dim[b->rank - 1] : 1 };
}

/* A matrix (rows × columns) inside an array. */
typedef struct
{
  gconstpointer data;
  HybDType      dtype;
  gint64        first, rows, columns;
} Part;

/* Copies a part, or with `turned` its transpose, to elements `first` … of `to`. */
static void
copy_part (const Part *part, gboolean turned, HybDType dtype, gpointer to, gint64 first)
{
  for (gint64 i = 0; i < part->rows; i++)
    for (gint64 j = 0; j < part->columns; j++)
      hyb_dtype_set_double (to, dtype,
                            (gsize) (first + (turned ? j * part->rows + i : i * part->columns + j)),
                            hyb_dtype_get_double (part->data, part->dtype,
                                                  (gsize) (part->first + i * part->columns + j)));
}

/* The parts of the workspace: the factors of one matrix, the columns of B as rows, and the row
 * exchanges. */
typedef struct
{
  gsize lu, rows, pivot, bytes;
} Room;

static Room
find_room (const Systems *view, HybDType dtype)
{
  gsize size = hyb_dtype_size (dtype);
  Room  room = { 0 };

  room.lu = hyb_workspace_take (&room.bytes, (gsize) (view->n * view->n) * size);
  room.rows = hyb_workspace_take (&room.bytes, (gsize) (view->n * view->k) * size);
  room.pivot = hyb_workspace_take (&room.bytes, (gsize) view->n * sizeof (gint32));
  return room;
}

static gsize
solve_workspace (const HybCall *call)
{
  Systems view = view_systems (&call->input[0].shape, &call->input[1].shape);

  return find_room (&view, call->output[0].dtype).bytes;
}

static void
solve_forward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  Systems  view = view_systems (&call->input[0].shape, &call->input[1].shape);
  Room     room = find_room (&view, dtype);
  char    *work = run->workspace;
  HybLu    factors = { dtype, view.n, work + room.lu, (gint32 *) (gpointer) (work + room.pivot) };

  for (gint64 i = 0; i < view.count; i++)
    {
      gint64 nn = view.n * view.n, nk = view.n * view.k;
      Part   a = { run->input[0], call->input[0].dtype, i * nn, view.n, view.n };
      Part   b = { run->input[1], call->input[1].dtype, i * nk, view.n, view.k };
      Part   x = { work + room.rows, dtype, 0, view.k, view.n };

      copy_part (&a, FALSE, dtype, factors.lu, 0);
      if (!hyb_linalg_check (run, hyb_lapack_lu (&factors), i, "is singular",
                             "The equations have no unique solution."))
        return;
      copy_part (&b, TRUE, dtype, work + room.rows, 0);
      hyb_lapack_lu_solve (&factors, FALSE, view.k, work + room.rows);
      copy_part (&x, TRUE, dtype, run->output[0], i * nk);
    }
}

/* --- Gradient --- */

/* Inputs: gradient of X, A, X.  Outputs: gradients of A and B. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error) &&
         hyb_shape_unify (&call->input[0].shape, &call->input[2].shape, error) &&
         hyb_shape_unify (&call->input[0].shape, &call->output[1].shape, error) &&
         relate_sides (&call->input[1].shape, &call->input[0].shape, error);
}

static gsize
backward_workspace (const HybCall *call)
{
  Systems view = view_systems (&call->input[1].shape, &call->input[0].shape);

  return find_room (&view, call->output[0].dtype).bytes;
}

/* dB = A⁻ᵀ dX, dA = −dB Xᵀ. */
static void
solve_backward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  Systems  view = view_systems (&call->input[1].shape, &call->input[0].shape);
  Room     room = find_room (&view, dtype);
  char    *rows = (char *) run->workspace + room.rows;
  gint32  *pivot = (gint32 *) (gpointer) ((char *) run->workspace + room.pivot);
  HybLu    factors = { dtype, view.n, run->workspace, pivot };

  for (gint64 m = 0; m < view.count; m++)
    {
      gint64 nn = view.n * view.n, nk = view.n * view.k;
      Part   a = { run->input[1], dtype, m * nn, view.n, view.n };
      Part   dx = { run->input[0], dtype, m * nk, view.n, view.k };
      Part   db = { rows, dtype, 0, view.k, view.n };

      copy_part (&a, FALSE, dtype, run->workspace, 0);
      copy_part (&dx, TRUE, dtype, rows, 0);
      if (hyb_lapack_lu (&factors) == 0)
        hyb_lapack_lu_solve (&factors, TRUE, view.k, rows);
      copy_part (&db, TRUE, dtype, run->output[1], m * nk);
      for (gint64 i = 0; i < view.n; i++)
        for (gint64 j = 0; j < view.n; j++)
          {
            double sum = 0;

            for (gint64 k = 0; k < view.k; k++)
              sum += hyb_dtype_get_double (rows, dtype, (gsize) (k * view.n + i)) *
                     hyb_dtype_get_double (run->input[2], dtype, (gsize) (m * nk + j * view.k + k));
            hyb_dtype_set_double (run->output[0], dtype, (gsize) (m * nn + i * view.n + j), -sum);
          }
    }
}

static const char *const solve_inputs[] = { "A", "B", NULL };
static const char *const backward_inputs[] = { "gradient", "A", "X", NULL };
static const char *const backward_outputs[] = { "A", "B", NULL };

const HybOp hyb_ops_linalg_solve[] = {
  {
      .name = "_npi_solve",
      .doc = "Solves A X = B for every matrix A.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = solve_inputs,
      .infer_shape = solve_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype_numpy,
      .dtypes = HYB_DTYPES_ALL,
      .forward = solve_forward,
      .note = hyb_linalg_note_lu,
      .workspace = solve_workspace,
      HYB_GRADIENT ("_backward_npi_solve (g0, i0, o0) > i0 i1"),
  },
  {
      .name = "_backward_npi_solve",
      .doc = "Gradient of solve.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      .infer_shape = backward_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = solve_backward,
      .note = hyb_linalg_note_lu,
      .workspace = backward_workspace,
  },
  { 0 },
};
