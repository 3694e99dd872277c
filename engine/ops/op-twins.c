/* op-twins.c — which operators are declared to run on a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/twin.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define HYB_TWIN(name) name,
#include "engine/ops/op-twins.h"
#undef HYB_TWIN
};

static int
compare (const void *key, const void *entry)
{
  return strcmp (key, *(const char *const *) entry);
}

gboolean
hyb_op_has_twin (const HybOp *op)
{
  g_return_val_if_fail (op, FALSE);
  return bsearch (op->name, names, G_N_ELEMENTS (names), sizeof *names, compare) != NULL;
}
