/* run-private.h — whether a run has been stopped, for code that checks before each operator.
 *
 * Operators call hyb_run_is_stopped(), which checks its argument.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* TRUE if the run must not continue: it was cancelled, or values were reported. */
static inline gboolean
hyb_run_has_stopped (const HybRun *run)
{
  return (run->fault && run->fault->is_set) ||
         (run->cancellable && g_cancellable_is_cancelled (run->cancellable));
}
