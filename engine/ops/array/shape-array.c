/* shape-array.c — shape_array and size_array: the shape of an array, or its number of elements, as
 * an int64 array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

static gboolean
infer_dtype_int64 (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error);
}

static gboolean
shape_array_infer_shape (HybCall *call, GError **error)
{
  HybShape out = hyb_shape_1d (call->input[0].shape.rank); /* HYB_UNKNOWN, too, means the same */

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
shape_array_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->input[0].shape;
  gint64         *out = run->output[0];

  for (int i = 0; i < shape->rank; i++)
    out[i] = shape->dim[i];
}

static gboolean
size_array_infer_shape (HybCall *call, GError **error)
{
  HybShape out = hyb_shape_1d (1);

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
size_array_forward (const HybCall *call, const HybRun *run)
{
  *(gint64 *) run->output[0] = hyb_shape_size (&call->input[0].shape);
}

/* Reads the type of the input only, not its elements. */
static void
shape_array_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_move (call, cost);
  cost->bytes_read = 0;
}

static const char *const data_input[] = { "data", NULL };

const HybOp hyb_ops_shape_array[] = {
  {
      .name = "shape_array",
      .doc = "The sizes of the input's axes.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      .infer_shape = shape_array_infer_shape,
      .infer_dtype = infer_dtype_int64,
      .dtypes = HYB_DTYPES_ALL,
      .forward = shape_array_forward,
      .cost = shape_array_cost,
  },
  {
      .name = "size_array",
      .doc = "The number of elements of the input.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      .infer_shape = size_array_infer_shape,
      .infer_dtype = infer_dtype_int64,
      .dtypes = HYB_DTYPES_ALL,
      .forward = size_array_forward,
      .cost = shape_array_cost,
  },
  { 0 },
};
