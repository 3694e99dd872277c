/* narrow-product.c — _narrow_product is FullyConnected of float data with weights of 16 or 8 bits
 * (kernels/matrix/narrow.h), and _hybridscope_int8_rows makes floats of int8 weights.
 *
 * passes/read-narrow.c puts _narrow_product in place of a product whose weight is converted first.  The
 * other one is not an operator of MXNet: quantised/narrow-model.c writes it to files.
 * Start with product_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/linear/product-params.h"

/* The elements of a row of weights beside its columns. */
static gint64
head_elements (HybDType dtype)
{
  return dtype == HYB_I8 ? HYB_NARROW_HEAD : 0;
}

/* --- _narrow_product --- */

static gboolean
product_infer_shape (HybCall *call, GError **error)
{
  const HybProductParams *params = call->params;
  HybShape               *data = &call->input[0].shape;
  HybShape                output = hyb_shape_2d (HYB_UNKNOWN, params->num_hidden);
  HybShape                weight = hyb_shape_2d (params->num_hidden, HYB_UNKNOWN);

  if (!hyb_layer_expect_rank (data, "data", 2, 2, error) ||
      (!params->no_bias &&
       !hyb_layer_expect_vector (&call->input[2].shape, "bias", params->num_hidden, error)))
    return FALSE;
  if (hyb_shape_is_known (data) && call->input[1].dtype != HYB_DTYPE_UNKNOWN)
    {
      output.dim[0] = data->dim[0];
      weight.dim[1] = data->dim[1] + head_elements (call->input[1].dtype);
    }
  return hyb_layer_expect (&call->input[1].shape, "weight", &weight, error) &&
         hyb_layer_expect (&call->output[0].shape, "output", &output, error);
}

static gboolean
product_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1u << 1, error);
}

static void
product_forward (const HybCall *call, const HybRun *run)
{
  const HybProductParams *params = call->params;
  const HybShape         *data = &call->input[0].shape;

  hyb_narrow_multiply (&(HybNarrow){ call->input[1].dtype, params->num_hidden, data->dim[1],
                                     run->input[1] },
                       &(HybNarrowProduct){ .m = data->dim[0],
                                            .ldx = data->dim[1],
                                            .ldy = params->num_hidden,
                                            .bias = params->no_bias ? NULL : run->input[2] },
                       run->input[0], run->output[0]);
}

static const char *
product_note (const HybCall *call)
{
  return hyb_narrow_note (call->input[0].shape.dim[0]);
}

/* --- _hybridscope_int8_rows --- */

static gboolean
rows_infer_shape (HybCall *call, GError **error)
{
  HybShape *rows = &call->input[0].shape;
  HybShape  floats = hyb_shape_make (2, NULL);

  if (!hyb_layer_expect_rank (rows, "rows", 2, 2, error))
    return FALSE;
  if (!hyb_shape_is_known (rows))
    return TRUE;
  if (rows->dim[1] < HYB_NARROW_HEAD)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "rows has %" G_GINT64_FORMAT
                         " bytes in a row, but the scale in front of each takes %d",
                         rows->dim[1], HYB_NARROW_HEAD);
  floats.dim[0] = rows->dim[0];
  floats.dim[1] = rows->dim[1] - HYB_NARROW_HEAD;
  return hyb_layer_expect (&call->output[0].shape, "output", &floats, error);
}

static gboolean
rows_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->input[0].dtype, HYB_I8, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

static void
rows_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *floats = &call->output[0].shape;

  hyb_narrow_expand (&(HybNarrow){ HYB_I8, floats->dim[0], floats->dim[1], run->input[0] },
                     run->output[0]);
}

const HybOp hyb_ops_narrow_product[] = {
  { .name = "_narrow_product",
    .doc = "FullyConnected with weights of 16 or 8 bits, in float arithmetic.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "data", "weight", "bias", NULL },
    .rowwise_inputs = 1u << 0,
    HYB_PARAMS (hyb_product_params, HybProductParams),
    .arity = hyb_product_arity,
    .infer_shape = product_infer_shape,
    .infer_dtype = product_infer_dtype,
    .dtypes = HYB_DTYPES_F32 | HYB_DTYPE_BIT (HYB_F16) | HYB_DTYPE_BIT (HYB_BF16) |
              HYB_DTYPE_BIT (HYB_I8),
    .forward = product_forward,
    .note = product_note,
    .cost = hyb_product_cost },
  { .name = "_hybridscope_int8_rows",
    .doc = "Floats of int8 rows, each with a float in front of it that scales it; not in MXNet.",
    .category = HYB_CATEGORY_MOVEMENT,
    .flags = HYB_OP_NO_GRADIENT,
    .inputs = (const char *const[]){ "rows", NULL },
    .infer_shape = rows_infer_shape,
    .infer_dtype = rows_infer_dtype,
    .dtypes = HYB_DTYPES_F32 | HYB_DTYPE_BIT (HYB_I8),
    .forward = rows_forward },
  { 0 },
};
