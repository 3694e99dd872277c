/* run.c — random seeds, reported values and workspace offsets for kernels.
 *
 * A seed depends on the run, the node and the loop step alone, so that the order of
 * execution and the number of threads do not change random numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/run.h"

#include "engine/base/random.h"
#include "engine/op/run-private.h"

guint64
hyb_run_random_seed (const HybRun *run)
{
  g_return_val_if_fail (run, 0);
  return hyb_random_mix (hyb_random_mix (run->seed, run->key), run->step);
}

void
hyb_run_report (const HybRun *run, const char *hint, const char *format, ...)
{
  g_return_if_fail (run);

  HybRunFault *fault = run->fault;
  va_list      list;

  if (!fault || fault->is_set)
    return;

  fault->is_set = TRUE;
  fault->hint = hint;
  va_start (list, format);
  g_vsnprintf (fault->message, sizeof fault->message, format, list);
  va_end (list);
}

void
hyb_run_report_index (const HybRun *run, int axis, double index, gint64 size)
{
  g_return_if_fail (run);
  hyb_run_report (run, "Correct the indices",
                  "index %g is outside of axis %d, which has the size %" G_GINT64_FORMAT, index,
                  axis, size);
}

gboolean
hyb_run_is_stopped (const HybRun *run)
{
  g_return_val_if_fail (run, FALSE);
  return hyb_run_has_stopped (run);
}

gsize
hyb_workspace_take (gsize *workspace, gsize bytes)
{
  g_return_val_if_fail (workspace, 0);

  gsize offset = *workspace;

  *workspace += (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
  return offset;
}
