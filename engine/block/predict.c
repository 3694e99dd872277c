/* predict.c — hyb_block_predict(): one call of a block without an F of the caller's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/block/block.h"

HybTensor *
hyb_block_predict (HybBlock *block, HybTensor *input, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  HybValue  *output = hyb_call (F, block, hyb_value_from_tensor (F, input));
  HybTensor *result;

  if (!hyb_f_check (F, error))
    return NULL;
  if (hyb_n_items (output) != 1)
    {
      hyb_error_at (error,
                    HYB_GRAPH_ERROR,
                    HYB_GRAPH_ERROR_STRUCTURE,
                    hyb_block_get_prefix (block),
                    "Call it with hyb_call(), which returns the list",
                    "its output is a list of %u values, not one array",
                    hyb_n_items (output));
      return NULL;
    }
  result = hyb_value_get_tensor (hyb_item (F, output, 0));
  return hyb_f_check (F, error) ? hyb_tensor_ref (result) : NULL;
}
