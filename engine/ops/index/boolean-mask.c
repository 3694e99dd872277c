/* boolean-mask.c — boolean_mask: the rows of an array whose element in a mask is not zero.
 *
 * The number of rows depends on the values of the mask, so usually mask_compute() runs, not
 * mask_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run-memory.h"

#include <string.h>

typedef struct
{
  gint64 axis;
} MaskParams;

static const HybParam mask_params[] = {
  { HYB_FIELD (MaskParams, axis), HYB_PARAM_INT, "0", .doc = "axis of the rows; only 0" },
  { 0 },
};

static gboolean
mask_check (gconstpointer values, GError **error)
{
  return ((const MaskParams *) values)->axis == 0 ||
         hyb_refuse_attribute (error, "Transpose the input",
                               "axis is %" G_GINT64_FORMAT
                               ", but boolean_mask supports only axis 0",
                               ((const MaskParams *) values)->axis);
}

/* Relates the shapes of data (N, row …) and index (N). */
static gboolean
share_rows (HybShape *data, HybShape *index, GError **error)
{
  HybShape ranked = hyb_shape_make (1, NULL);

  if (!hyb_shape_assign (index, &ranked, error))
    return FALSE;
  if (data->rank == 0)
    return hyb_refuse_types (error, NULL, "a 0-dimensional array has no rows");

  return data->rank == HYB_UNKNOWN ||
         hyb_dim_unify (&data->dim[0], &index->dim[0], "the numbers of rows and of mask", error);
}

static gboolean
mask_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape  out;

  if (!share_rows (data, &call->input[1].shape, error))
    return FALSE;

  out = *data;
  if (out.rank > 0)
    out.dim[0] = HYB_UNKNOWN;
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static gboolean
mask_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

static gboolean
is_chosen (const HybType *mask, gconstpointer data, gint64 row)
{
  return hyb_dtype_get_double (data, mask->dtype, (gsize) row) != 0;
}

static gsize
row_bytes (const HybType *data)
{
  return (gsize) hyb_shape_count (&data->shape, 1, data->shape.rank) * hyb_dtype_size (data->dtype);
}

/* Copies at most `room` chosen rows to out, and sets the rest of its `room` rows to zero. */
static void
copy_chosen (const HybCall *call, gconstpointer data, gconstpointer mask, gpointer out, gint64 room)
{
  gsize  bytes = row_bytes (&call->input[0]);
  gint64 n = 0;

  for (gint64 row = 0; row < call->input[0].shape.dim[0] && n < room; row++)
    if (is_chosen (&call->input[1], mask, row))
      memcpy ((char *) out + (gsize) n++ * bytes, (const char *) data + (gsize) row * bytes, bytes);
  memset ((char *) out + (gsize) n * bytes, 0, (gsize) (room - n) * bytes);
}

/* Runs only where the number of rows is inferred from the consumers. */
static void
mask_forward (const HybCall *call, const HybRun *run)
{
  copy_chosen (call, run->input[0], run->input[1], run->output[0], call->output[0].shape.dim[0]);
}

static gboolean
mask_compute (HybCall          *call,
              const HybRun     *run,
              HybTensor *const *inputs,
              HybTensor       **outputs,
              GError          **error)
{
  gconstpointer mask = hyb_tensor_get_data (inputs[1]);
  HybType       type = call->input[0];
  gint64        n = 0;

  for (gint64 row = 0; row < type.shape.dim[0]; row++)
    n += is_chosen (&call->input[1], mask, row);
  type.shape.dim[0] = n;

  outputs[0] = hyb_run_new_output (run, &type, error);
  if (!outputs[0])
    return FALSE;
  call->output[0] = type;
  copy_chosen (call, hyb_tensor_get_data (inputs[0]), mask, hyb_tensor_get_data (outputs[0]), n);
  return TRUE;
}

/* Inputs: gradient, index, data (for its shape).  The number of rows of the gradient is known only
 * while running. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  HybShape rows;

  if (!share_rows (&call->input[2].shape, &call->input[1].shape, error) ||
      !hyb_shape_unify (&call->output[0].shape, &call->input[2].shape, error))
    return FALSE;

  rows = call->input[2].shape;
  if (rows.rank > 0)
    rows.dim[0] = HYB_UNKNOWN;
  return hyb_shape_assign (&call->input[0].shape, &rows, error);
}

static void
mask_backward (const HybCall *call, const HybRun *run)
{
  gsize  bytes = row_bytes (&call->output[0]);
  gint64 n = 0;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 row = 0; row < call->output[0].shape.dim[0] && n < call->input[0].shape.dim[0]; row++)
    if (is_chosen (&call->input[1], run->input[1], row))
      memcpy ((char *) run->output[0] + (gsize) row * bytes,
              (const char *) run->input[0] + (gsize) n++ * bytes, bytes);
}

static const char *const mask_inputs[] = { "data", "index", NULL };
static const char *const backward_inputs[] = { "gradient", "index", "data", NULL };
static const char *const mask_aliases[] = { "boolean_mask", NULL };

const HybOp hyb_ops_boolean_mask[] = {
  {
      .name = "_contrib_boolean_mask",
      .aliases = mask_aliases,
      .doc = "Selects the rows for which a mask is not zero.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = mask_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (mask_params, MaskParams),
      .check = mask_check,
      .infer_shape = mask_infer_shape,
      .infer_dtype = mask_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = mask_forward,
      .compute = mask_compute,
      HYB_GRADIENT ("_backward_boolean_mask (g0, i1, i0) > i0"),
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_boolean_mask",
      .doc = "Gradient of boolean_mask: zero for rows that were not selected.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = backward_infer_shape,
      .infer_dtype = mask_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = mask_backward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
