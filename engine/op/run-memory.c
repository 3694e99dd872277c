/* run-memory.c — tells what the arrays of a run take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/run-memory.h"

void
hyb_run_tell_memory (const HybRun *run, gint64 bytes)
{
  const HybProbe *probe = run->probe;

  if (probe && probe->memory)
    probe->memory (probe->data, 0, bytes);
}
