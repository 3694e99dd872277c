/* one-hot.c — one_hot: a row for each index, with on_value at the index and off_value elsewhere.
 *
 * indices (…), output (…, depth).  An index outside of the row sets no element.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gint64   depth;
  double   on_value;
  double   off_value;
  HybDType dtype;
} OneHotParams;

static const HybParam one_hot_params[] = {
  { HYB_FIELD (OneHotParams, depth), HYB_PARAM_INT, .low = 0, .high = 1e15,
    .doc = "length of a row" },
  { HYB_FIELD (OneHotParams, on_value), HYB_PARAM_FLOAT, "1.0", .doc = "value at the index" },
  { HYB_FIELD (OneHotParams, off_value), HYB_PARAM_FLOAT, "0.0", .doc = "value elsewhere" },
  { HYB_FIELD (OneHotParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "dtype of the rows" },
  { 0 },
};

static gboolean
one_hot_infer_shape (HybCall *call, GError **error)
{
  const OneHotParams *params = call->params;
  HybShape           *indices = &call->input[0].shape;
  HybShape           *output = &call->output[0].shape;
  HybShape            out;

  if (indices->rank == HYB_UNKNOWN)
    return TRUE;
  if (indices->rank >= HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);

  out = hyb_dims_with (indices, indices->rank, params->depth);
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;
  *indices = hyb_dims_without (output, indices->rank);
  return TRUE;
}

static gboolean
one_hot_infer_dtype (HybCall *call, GError **error)
{
  const OneHotParams *params = call->params;

  return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);
}

static void
one_hot_forward (const HybCall *call, const HybRun *run)
{
  const OneHotParams *params = call->params;
  HybDType            dtype = call->output[0].dtype;
  gsize               item = hyb_dtype_size (dtype);
  gint64              n = hyb_shape_size (&call->input[0].shape);
  char               *out = run->output[0];

  if (params->off_value == 0)
    memset (out, 0, hyb_type_bytes (&call->output[0]));
  else
    for (gint64 i = 0; i < n * params->depth; i++)
      if (i == 0)
        hyb_dtype_set_double (out, dtype, 0, params->off_value);
      else
        memcpy (out + (gsize) i * item, out, item);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = hyb_dtype_get_int (run->input[0], call->input[0].dtype, (gsize) i);

      if (index >= 0 && index < params->depth)
        hyb_dtype_set_double (out, dtype, (gsize) (i * params->depth + index), params->on_value);
    }
}

static const char *const indices_input[] = { "indices", NULL };

const HybOp hyb_ops_one_hot[] = {
  {
      .name = "one_hot",
      .doc = "A row for each index: one value at the index, another value elsewhere.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = indices_input,
      HYB_PARAMS (one_hot_params, OneHotParams),
      .infer_shape = one_hot_infer_shape,
      .infer_dtype = one_hot_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = one_hot_forward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
