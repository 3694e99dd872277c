/* computable.h — whether an operator can be computed at all.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/op.h"

/* FALSE and an error if the operator has no kernel. */
gboolean hyb_op_check_computable (const HybOp *op, GError **error);
/* The same for a node, whose operator may be unknown: the error then names it as the file does, an operator that was
 * registered in Python with its op_type. */
gboolean hyb_node_check_computable (const HybNode *node, GError **error);
