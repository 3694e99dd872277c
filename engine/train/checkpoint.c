/* checkpoint.c — the sum that ties training states to the parameters they were saved with.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/train/checkpoint.h"

#include "engine/base/error.h"
#include "engine/formats/npz.h"
#include "engine/formats/zip.h"

#include <string.h>

guint32
hyb_checkpoint_sum (HybTensorList *parameters)
{
  guint32 sum = 0;

  for (guint i = 0; i < hyb_tensor_list_n (parameters); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (parameters, i);

      sum = hyb_crc32 (sum, entry->name, strlen (entry->name));
      if (entry->tensor)
        sum = hyb_crc32 (sum, hyb_tensor_get_data (entry->tensor),
                         hyb_tensor_get_bytes (entry->tensor));
    }
  return sum;
}

gboolean
hyb_checkpoint_read (const char    *states,
                     HybTensorList *parameters,
                     HybCheckpoint *checkpoint,
                     GError       **error)
{
  g_autoptr (HybTensorList) list = hyb_npz_read_file (states, error);
  HybTensor *steps = list ? hyb_tensor_list_find (list, "steps") : NULL;
  HybTensor *sum = list ? hyb_tensor_list_find (list, "parameters") : NULL;

  if (!list)
    return FALSE;
  if (!steps || hyb_tensor_get_size (steps) != 1 || hyb_tensor_get_value (steps, 0) < 0)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, states, NULL,
                         "not a training state: the array “steps” is missing");
  checkpoint->n_steps = (guint64) hyb_tensor_get_value (steps, 0);
  checkpoint->fits = !sum || (hyb_tensor_get_size (sum) == 1 &&
                              hyb_tensor_get_value (sum, 0) == hyb_checkpoint_sum (parameters));
  return TRUE;
}
