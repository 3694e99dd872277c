/* op-one-of.c — see op-one-of.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op-one-of.h"

gboolean
hyb_op_is_one_of (const HybOp *op, const char *const *names)
{
  for (; *names; names++)
    if (op == hyb_op_find (*names))
      return TRUE;
  return FALSE;
}
