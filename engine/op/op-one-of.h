/* op-one-of.h — whether an operator is one of several, for code that looks for patterns of nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* TRUE if one of these names is a name or an alias of op.  names: NULL-terminated. */
gboolean hyb_op_is_one_of (const HybOp *op, const char *const *names);
