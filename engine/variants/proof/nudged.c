/* nudged.c — inputs whose last bits differ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/proof/nudged.h"

#include <math.h>

static HybTensor *
nudge (HybTensor *tensor)
{
  HybTensor *copy = hyb_tensor_get_dtype (tensor) == HYB_F32 ? hyb_tensor_copy (tensor) : NULL;
  float     *values;

  if (!copy)
    return hyb_tensor_ref (tensor);
  values = hyb_tensor_get_data (copy);
  for (gint64 i = 0; i < hyb_tensor_get_size (copy); i++)
    values[i] = nextafterf (values[i], i % 2 == 0 ? INFINITY : -INFINITY);
  return copy;
}

HybTensorList *
hyb_tensors_nudged (HybTensorList *list)
{
  HybTensorList *nudged = hyb_tensor_list_new ();

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      g_autoptr (HybTensor) tensor = nudge (hyb_tensor_list_get (list, i)->tensor);

      hyb_tensor_list_set (nudged, hyb_tensor_list_get (list, i)->name, tensor);
    }
  return nudged;
}
