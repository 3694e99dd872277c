/* checkpoint.c — the sum that ties training states to the parameters they were saved with.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/train/checkpoint.h"

#include "engine/base/error.h"
#include "engine/formats/npz.h"
#include "engine/formats/zip.h"

#include <string.h>

#define MAX_STEPS ((double) (G_GUINT64_CONSTANT (1) << 53)) /* a double is exact up to here */

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
hyb_checkpoint_get_steps (HybTensorList *states, const char *file, guint64 *n_steps, GError **error)
{
  HybTensor *steps = hyb_tensor_list_find (states, "steps");
  double     number;

  if (!steps || hyb_tensor_get_size (steps) != 1)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file, NULL,
                         "not a training state: it has no array “steps” with one number");
  /* Negated, so that NaN is refused as well. */
  number = hyb_tensor_get_value (steps, 0);
  if (!(number >= 0 && number <= MAX_STEPS))
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file, NULL,
                         "the array “steps” holds %g; it must be a number from 0 to 2⁵³", number);
  *n_steps = (guint64) number;
  return TRUE;
}

gboolean
hyb_checkpoint_read (const char    *states,
                     HybTensorList *parameters,
                     HybCheckpoint *checkpoint,
                     GError       **error)
{
  g_autoptr (HybTensorList) list = hyb_npz_read_file (states, error);
  HybTensor *sum = list ? hyb_tensor_list_find (list, "parameters") : NULL;

  if (!list || !hyb_checkpoint_get_steps (list, states, &checkpoint->n_steps, error))
    return FALSE;
  checkpoint->fits = !sum || (hyb_tensor_get_size (sum) == 1 &&
                              hyb_tensor_get_value (sum, 0) == hyb_checkpoint_sum (parameters));
  return TRUE;
}
