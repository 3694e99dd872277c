/* predict.c — runs a block once, for callers that have no F.
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
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, hyb_block_get_prefix (block),
                    "Call it with hyb_call(), which returns the list",
                    "its output is a list of %u values, not one array", hyb_n_items (output));
      return NULL;
    }
  result = hyb_value_get_tensor (hyb_item (F, output, 0));
  return hyb_f_check (F, error) ? hyb_tensor_ref (result) : NULL;
}

GPtrArray *
hyb_block_predict_all (HybBlock *block, guint n, HybTensor *const *inputs, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (GPtrArray) results =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  HybValue *input;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (values, hyb_value_from_tensor (F, inputs[i]));
  input = n == 1 ? values->pdata[0] : hyb_list (F, n, (HybValue *const *) values->pdata);
  g_ptr_array_set_size (values, 0);
  hyb_flatten_into (hyb_call (F, block, input), values);
  for (guint i = 0; i < values->len && hyb_f_check (F, NULL); i++)
    g_ptr_array_add (results, hyb_tensor_ref (hyb_value_get_tensor (values->pdata[i])));
  return hyb_f_check (F, error) ? g_steal_pointer (&results) : NULL;
}
