/* constant.h — attributes of the operator _constant, whose output is a tensor that the graph contains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The attributes of a node with these contents, of which they hold a reference.  (transfer full) */
gpointer hyb_constant_params_new (HybTensor *contents);
/* The contents of a node of _constant, owned by params; NULL for other operators. */
HybTensor *hyb_constant_get_contents (const HybOp *op, gconstpointer params);
