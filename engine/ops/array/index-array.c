/* index-array.c — _contrib_index_array: the coordinates of every element, (shape …, axes).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  HybInts axes;
} IndexArrayParams;

static const HybParam index_array_params[] = {
  { HYB_FIELD (IndexArrayParams, axes), HYB_PARAM_INTS, "None",
    .doc = "axes whose coordinates are written, negative ones from the end; None: all" },
  { 0 },
};

static gboolean
index_array_infer_shape (HybCall *call, GError **error)
{
  const IndexArrayParams *params = call->params;
  HybShape               *data = &call->input[0].shape;
  HybShape                out;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank >= HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  for (int i = 0; i < params->axes.n; i++)
    if (hyb_shape_axis (data, params->axes.value[i], error) < 0)
      return FALSE;

  out =
      hyb_dims_with (data, data->rank, params->axes.n == HYB_UNKNOWN ? data->rank : params->axes.n);
  if (!hyb_shape_unify (&out, &call->output[0].shape, error))
    return FALSE;
  for (int i = 0; i < data->rank; i++)
    data->dim[i] = out.dim[i];
  return TRUE;
}

static gboolean
index_array_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error);
}

static void
index_array_forward (const HybCall *call, const HybRun *run)
{
  const IndexArrayParams *params = call->params;
  const HybShape         *data = &call->input[0].shape;
  gint64                  n = hyb_shape_size (data), stride[HYB_MAX_RANK];
  gint64                  n_axes = call->output[0].shape.dim[data->rank];
  gint64                 *to = run->output[0];

  hyb_dims_strides (data, stride);
  for (gint64 at = 0; at < n; at++)
    for (gint64 k = 0; k < n_axes; k++)
      {
        int axis = params->axes.n == HYB_UNKNOWN
                       ? (int) k
                       : hyb_shape_axis (data, params->axes.value[k], NULL);

        *to++ = at / stride[axis] % data->dim[axis];
      }
}

static const char *const data_input[] = { "data", NULL };

const HybOp hyb_ops_index_array[] = {
  {
      .name = "_contrib_index_array",
      .doc = "The coordinates of every element.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      .constant_inputs = 1,
      HYB_PARAMS (index_array_params, IndexArrayParams),
      .infer_shape = index_array_infer_shape,
      .infer_dtype = index_array_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = index_array_forward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
