/* write-arrays.c — see write-arrays.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/write-arrays.h"

#include "app/command/frame/messages.h"

#include "engine/base/one-line.h"
#include "engine/formats/format.h"
#include "engine/formats/npz.h"

gboolean
scope_write_arrays (HybTensorList *list, const char *path, GError **error)
{
  return hyb_format_of_path (path) ? hyb_weights_write_file (list, path, error)
                                   : hyb_npz_write_file (list, path, error);
}

void
scope_list_output (HybTensorList *list, const char *name, HybTensor *tensor)
{
  HybType type = *hyb_tensor_get_type (tensor);
  g_autoptr (HybTensor) bits = NULL;

  if (type.dtype != HYB_BF16)
    {
      hyb_tensor_list_set (list, name, tensor);
      return;
    }
  type.dtype = HYB_U16;
  bits = hyb_tensor_new_view (tensor, &type, 0);
  hyb_tensor_list_set (list, name, bits);
  scope_print_message (HYB_SEVERITY_NOTE,
                       "the output “%s” is bfloat16, which NumPy does not have: its bits are "
                       "stored as uint16",
                       name);
}
