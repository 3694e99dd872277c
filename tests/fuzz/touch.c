/* touch.c — reads every byte of tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/touch.h"

void
fuzz_touch_tensor (HybTensor *tensor)
{
  HybStatistics statistics;

  hyb_tensor_statistics (tensor, &statistics);
}

void
fuzz_touch_list (HybTensorList *list)
{
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    if (hyb_tensor_list_get (list, i)->tensor)
      fuzz_touch_tensor (hyb_tensor_list_get (list, i)->tensor);
}
