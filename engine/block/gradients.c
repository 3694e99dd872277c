/* gradients.c — the gradients of a block's parameters on a tape.
 *
 * A tape has tensors only; these functions attach all of a block in one call and find the gradient of a
 * parameter again.  engine/train/gluon-trainer.h makes steps of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/autograd/tape.h"
#include "engine/block/block.h"

gboolean
hyb_block_attach_gradients (HybBlock *block, HybTape *tape, GError **error)
{
  g_return_val_if_fail (block && tape, FALSE);

  static const HybRequest requests[] = {
    [HYB_GRAD_WRITE] = HYB_REQUEST_WRITE,
    [HYB_GRAD_ADD] = HYB_REQUEST_ADD,
    [HYB_GRAD_NULL] = HYB_REQUEST_NULL,
  };
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);

  for (guint i = 0; i < parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (parameters, i);
      HybTensor    *data = hyb_parameter_get_data (parameter, error);

      if (!data)
        return FALSE;
      if (!hyb_parameter_is_auxiliary (parameter))
        hyb_tape_attach (tape, data, requests[hyb_parameter_get_request (parameter)]);
    }
  return TRUE;
}

HybTensor *
hyb_parameter_get_gradient (HybParameter *parameter, HybTape *tape)
{
  g_return_val_if_fail (parameter && tape, NULL);

  HybTensor *data = hyb_parameter_get_data (parameter, NULL);

  return data ? hyb_tape_get_gradient (tape, data) : NULL;
}
