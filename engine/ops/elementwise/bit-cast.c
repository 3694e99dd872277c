/* bit-cast.c — _bit_cast: the same bits read as another type of the same size.
 *
 * Nothing is computed: the result is a view.  ONNX's BitCast is lowered to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  HybDType dtype;
} BitCastParams;

static const HybParam bit_cast_params[] = {
  { HYB_FIELD (BitCastParams, dtype), HYB_PARAM_DTYPE, NULL, .doc = "type of the result" },
  { 0 },
};

static gboolean
bit_cast_infer_dtype (HybCall *call, GError **error)
{
  const BitCastParams *params = call->params;
  HybDType             from = call->input[0].dtype;

  if (from != HYB_DTYPE_UNKNOWN && hyb_dtype_size (from) != hyb_dtype_size (params->dtype))
    return hyb_refuse_types (error, "Choose a type of the same size",
                             "%s and %s have different numbers of bits", hyb_dtype_name (from),
                             hyb_dtype_name (params->dtype));
  return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);
}

static void
bit_cast_forward (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

static const char *const bit_cast_inputs[] = { "data", NULL };

const HybOp hyb_ops_bit_cast[] = {
  {
      .name = "_bit_cast",
      .doc = "Reads the same bits as another type of the same size.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
      .inputs = bit_cast_inputs,
      HYB_PARAMS (bit_cast_params, BitCastParams),
      .infer_shape = hyb_rule_unary,
      .infer_dtype = bit_cast_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = bit_cast_forward,
      .view = hyb_rule_view_all,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
