/* run-memory.c — counts the bytes of the arrays of a run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/run-memory.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"

gboolean
hyb_run_take_memory (const HybRun *run, const char *what, gsize bytes, GError **error)
{
  HybRunMemory *memory = run->memory;

  if (!memory)
    return TRUE;
  if (memory->used <= memory->limit && bytes <= memory->limit - memory->used)
    {
      memory->used += bytes;
      return TRUE;
    }
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                "its %s of %.4g MiB makes the run, which has %.4g MiB, exceed the %.4g MiB "
                "available",
                what, (double) bytes / (1 << 20), (double) memory->used / (1 << 20),
                (double) memory->limit / (1 << 20));
  return hyb_error_add_remedy (error, HYB_REMEDY_SMALLER, NULL);
}

void
hyb_run_give_memory (const HybRun *run, gsize bytes)
{
  if (run->memory)
    run->memory->used -= MIN (bytes, run->memory->used);
}

HybTensor *
hyb_run_new_output (const HybRun *run, const HybType *type, GError **error)
{
  gsize bytes;

  if (!hyb_shape_bytes (&type->shape, type->dtype, &bytes, error) ||
      !hyb_run_take_memory (run, "output", bytes, error))
    return NULL;
  hyb_run_give_memory (run, bytes);
  return hyb_tensor_new (type, error);
}

void
hyb_run_report_memory (const HybRun *run, gint64 bytes)
{
  const HybProbe *probe = run->probe;

  if (probe && probe->memory)
    probe->memory (probe->data, 0, bytes);
}
