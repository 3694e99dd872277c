/* twin.h — whether an operator is declared to run on a GPU.
 * Threads: any thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once
#include "engine/op/op.h"

G_BEGIN_DECLS

/* TRUE if the operator has a twin in the module for GPUs, whether or not that module is installed here. */
HYB_API gboolean hyb_op_has_twin (const HybOp *op);

G_END_DECLS
