/* plan-constants.c — sums the constants of a plan that are memory of its own.
 *
 * A parameter that is read as it is, and views of it, are constants too, but take no memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-constants.h"

#include "engine/exec/plan-private.h"

static gboolean
lies_in (const HybTensor *tensor, HybTensor *const *given, guint n)
{
  const char *data = hyb_tensor_get_data (tensor);

  for (guint i = 0; i < n; i++)
    {
      const char *begin = given[i] ? hyb_tensor_get_data (given[i]) : NULL;

      if (begin && data >= begin && data < begin + hyb_tensor_get_bytes (given[i]))
        return TRUE;
    }
  return FALSE;
}

gsize
hyb_plan_get_folded_bytes (const HybPlan *plan, HybTensor *const *given, guint n)
{
  gsize bytes = 0;

  for (guint i = 0; i < plan->constants->len; i++)
    {
      HybTensor *constant = g_ptr_array_index (plan->constants, i);

      if (!lies_in (constant, given, n))
        bytes += hyb_tensor_get_bytes (constant);
    }
  return bytes;
}
