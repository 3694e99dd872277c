/* open-device.c — see open-device.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/open-device.h"

#include "app/command/selftest/first-run.h"

#include "profiler/record/device-trace.h"

#include <string.h>

static gboolean
is_processor (const ScopeCommonOptions *common)
{
  return !common->device || strcmp (common->device, "cpu") == 0;
}

gboolean
scope_open_whole_device (const ScopeCommonOptions *common, HybGpu **gpu, GError **error)
{
  *gpu = NULL;
  if (is_processor (common))
    return TRUE;
  *gpu = hyb_gpu_open_with_math (common->device,
                                 g_strcmp0 (common->math, "fast") == 0 ? HYB_GPU_FAST
                                                                       : HYB_GPU_PRECISE,
                                 error);
  return *gpu != NULL;
}

gboolean
scope_open_device (const ScopeCommonOptions *common, HybGpu **gpu, GError **error)
{
  if (!scope_open_whole_device (common, gpu, error))
    return FALSE;
  if (*gpu)
    scope_first_run (*gpu, common);
  return TRUE;
}

gboolean
scope_open_traced_device (const ScopeCommonOptions *common, HybGpu **gpu, GError **error)
{
  if (!is_processor (common))
    prof_device_trace_prepare ();
  return scope_open_device (common, gpu, error);
}
