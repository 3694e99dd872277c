/* padded-rows.c — rows of a Loop that are extended to all steps that it could make.
 *
 * MXNet's loops have a row for each step that they could make.  As ONNX this is a Loop, a Concat with zeros and a Slice: the
 * engine's loop gives just that, while the number of rows in between is known only while running.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/padded-rows.h"

#include "engine/op/op-one-of.h"

/* The node that makes a value, if it has this operator; else NULL. */
static const HybNode *
get_maker (HybLowering *lowering, HybValueId value, const char *op, const HybValueId **inputs)
{
  const HybNode *node = hyb_lowering_get_maker (lowering, value, inputs);

  return node && hyb_op_is_one_of (node->op, (const char *[]){ op, NULL }) ? node : NULL;
}

/* Whether a value has zeros alone, in at least n rows. */
static gboolean
is_zeros (HybLowering *lowering, HybValueId value, gint64 n)
{
  const HybType    *type = hyb_lowering_get_type (lowering, value);
  HybTensor        *contents = hyb_lowering_get_contents (lowering, value);
  const HybValueId *inputs;

  if (type->shape.rank < 1 || type->shape.dim[0] < n)
    return FALSE;
  if (!contents && get_maker (lowering, value, "_npi_broadcast_to", &inputs))
    contents = hyb_lowering_get_contents (lowering, inputs[0]);
  for (gint64 i = 0; contents && i < hyb_tensor_get_size (contents); i++)
    if (hyb_tensor_get_value (contents, i) != 0)
      return FALSE;
  return contents != NULL;
}

/* Whether a mask has the rows of the steps that the loop made: counter < number of steps. */
static gboolean
is_mask_of (HybLowering *lowering, HybValueId mask, const HybNode *loop)
{
  HybValueId        n_steps = loop->first_output + loop->n_outputs - 1;
  const HybValueId *inputs;

  return get_maker (lowering, mask, "Cast", &inputs) &&
         get_maker (lowering, inputs[0], "_npi_less", &inputs) && inputs[1] == n_steps &&
         get_maker (lowering, inputs[0], "_arange", &inputs);
}

HybValueId
hyb_onnx_find_padded_rows (HybLowering *lowering, HybValueId x, gint64 n)
{
  const HybValueId *inputs;
  const HybNode    *joined = get_maker (lowering, x, "_npi_concatenate", &inputs), *loop;
  const HybType    *rows;
  HybValueId        masked, value;

  if (!joined || joined->n_inputs != 2 || !is_zeros (lowering, inputs[1], n) ||
      hyb_params_get_int (joined->op->params, joined->params, "axis", -1) != 0)
    return HYB_NO_ID;
  masked = inputs[0];
  if (!get_maker (lowering, masked, "_contrib_boolean_mask", &inputs))
    return HYB_NO_ID;
  value = inputs[0];
  masked = inputs[1];
  rows = hyb_lowering_get_type (lowering, value);
  loop = get_maker (lowering, value, "_while_loop", &inputs);
  return loop && rows->shape.rank > 0 && rows->shape.dim[0] == n &&
                 is_mask_of (lowering, masked, loop)
             ? value
             : HYB_NO_ID;
}
