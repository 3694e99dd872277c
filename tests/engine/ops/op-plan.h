/* op-plan.h — what a plan consists of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

/* How many nodes of the executor's plan have this operator; those in bodies do not count. */
guint op_count_planned (HybExecutor *executor, const char *op);
