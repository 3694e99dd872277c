/* value-check.h — for operators that refuse some values of their inputs (HybOp.checks_values): an index
 * outside of an axis, for example.
 *
 * Such an operator has a compute() that checks the values and then calls hyb_compute_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"
#include "engine/op/run.h"

/* HybOp.checks_values of operators that always check. */
gboolean hyb_checks_always (gconstpointer params);

/* FALSE, with a message that names the operand, if an element is not in [0, size).  Floats are
 * truncated as kernels truncate them. */
gboolean hyb_check_indices (const HybType *type,
                            gconstpointer  data,
                            gint64         size,
                            const char    *operand,
                            GError       **error);

/* The rest of a compute() whose output types are known: allocates the outputs and runs the forward
 * function of call->op, which must not need workspace.  FALSE if memory does not suffice. */
gboolean hyb_compute_forward (HybCall          *call,
                              const HybRun     *run,
                              HybTensor *const *inputs,
                              HybTensor       **outputs,
                              GError          **error);
