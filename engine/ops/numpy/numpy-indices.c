/* numpy-indices.c — _npi_diag_indices_from, _npi_nonzero and _npx_nonzero: indices of elements.
 *
 * How many elements are not zero depends on values, so usually nonzero_compute() runs, not
 * nonzero_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/dimensions.h"
#include "engine/op/run-memory.h"

#include <string.h>

static gboolean
indices_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error);
}

/* --- diag_indices_from --- */

static gboolean
diagonal_infer_shape (HybCall *call, GError **error)
{
  HybShape *in = &call->input[0].shape;
  HybShape  out;

  if (in->rank == HYB_UNKNOWN)
    return TRUE;
  if (in->rank < 2)
    return hyb_refuse_types (error, NULL, "the input has %d dimensions, but at least 2 are needed",
                             in->rank);
  for (int i = 1; i < in->rank; i++)
    if (!hyb_dim_unify (&in->dim[0], &in->dim[i], "the sizes of the axes", error))
      return FALSE;
  out = hyb_shape_2d (in->rank, in->dim[0]);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
diagonal_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *out = &call->output[0].shape;
  gint64         *to = run->output[0];

  for (gint64 axis = 0; axis < out->dim[0]; axis++)
    for (gint64 i = 0; i < out->dim[1]; i++)
      *to++ = i;
}

/* --- nonzero --- */

static gboolean
nonzero_infer_shape (HybCall *call, GError **error)
{
  HybShape out = hyb_shape_2d (HYB_UNKNOWN, MAX (1, call->input[0].shape.rank));

  return call->input[0].shape.rank == HYB_UNKNOWN ||
         hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* Writes the indices of at most `room` elements and sets the rest of its rows to zero. */
static void
write_indices (const HybType *type, gconstpointer data, gint64 *to, gint64 room)
{
  gint64 stride[HYB_MAX_RANK], size = hyb_shape_size (&type->shape);
  int    width = MAX (1, type->shape.rank);

  hyb_dims_strides (&type->shape, stride);
  for (gint64 at = 0; at < size && room > 0; at++)
    if (hyb_dtype_get_double (data, type->dtype, (gsize) at) != 0)
      {
        to[0] = 0;
        for (int i = 0; i < type->shape.rank; i++)
          to[i] = at / stride[i] % type->shape.dim[i];
        to += width;
        room--;
      }
  memset (to, 0, (gsize) (room * width) * sizeof *to);
}

/* Runs only where the number of rows is inferred from the consumers. */
static void
nonzero_forward (const HybCall *call, const HybRun *run)
{
  write_indices (&call->input[0], run->input[0], run->output[0], call->output[0].shape.dim[0]);
}

static gboolean
nonzero_compute (HybCall          *call,
                 const HybRun     *run,
                 HybTensor *const *inputs,
                 HybTensor       **outputs,
                 GError          **error)
{
  gconstpointer data = hyb_tensor_get_data (inputs[0]);
  HybType       in = call->input[0], out = { .dtype = HYB_I64 };
  gint64        n = 0, size = hyb_shape_size (&in.shape);

  for (gint64 i = 0; i < size; i++)
    n += hyb_dtype_get_double (data, in.dtype, (gsize) i) != 0;
  out.shape = hyb_shape_2d (n, MAX (1, in.shape.rank));

  outputs[0] = hyb_run_new_output (run, &out, error);
  if (!outputs[0])
    return FALSE;
  call->output[0] = out;
  write_indices (&in, data, hyb_tensor_get_data (outputs[0]), n);
  return TRUE;
}

static const char *const diagonal_inputs[] = { "data", NULL };
static const char *const nonzero_inputs[] = { "x", NULL };
static const char *const nonzero_aliases[] = { "_npx_nonzero", NULL };

#define COMMON                                                                                    \
  .category = HYB_CATEGORY_DATA, .flags = HYB_OP_NO_GRADIENT, .infer_dtype = indices_infer_dtype, \
  .dtypes = HYB_DTYPES_ALL

const HybOp hyb_ops_numpy_indices[] = {
  {
      .name = "_npi_diag_indices_from",
      .doc = "The indices of the main diagonal, one row for each axis.",
      COMMON,
      .inputs = diagonal_inputs,
      .infer_shape = diagonal_infer_shape,
      .forward = diagonal_forward,
  },
  {
      .name = "_npi_nonzero",
      .aliases = nonzero_aliases,
      .doc = "The indices of all elements that are not zero, one row for each.",
      COMMON,
      .inputs = nonzero_inputs,
      .infer_shape = nonzero_infer_shape,
      .forward = nonzero_forward,
      .compute = nonzero_compute,
  },
  { 0 },
};

#undef COMMON
