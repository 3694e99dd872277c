/* counters.c — asks CUPTI for the range profiler, which reads the GPU's counters, and gives it back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "profiler/record/cupti.h"
#include "tools/gpu-check/gpu-check.h"

#include <stdio.h>

static void
answer_no (const ProfCupti *cupti, const char *function, CUptiResult result)
{
  g_autofree char *why = prof_cupti_explain (cupti, function, result);

  printf ("check 13, counters of the GPU may be read: no, %s gives %d: %s.\n", function,
          (int) result, why);
}

/* cuptiRangeProfilerEnable() of CUPTI 13.0 crashes if it is called after cuptiProfilerInitialize() failed. */
static gboolean
enable (const ProfCupti *cupti, CUcontext context, GError **error)
{
  CUpti_Profiler_Initialize_Params   started = { .structSize = sizeof started };
  CUpti_RangeProfiler_Enable_Params  enabled = { .structSize = sizeof enabled, .ctx = context };
  CUpti_RangeProfiler_Disable_Params disabled = { .structSize = sizeof disabled };
  CUptiResult                        result = cupti->call.cuptiProfilerInitialize (&started);

  if (result)
    {
      answer_no (cupti, "cuptiProfilerInitialize", result);
      return TRUE;
    }
  result = cupti->call.cuptiRangeProfilerEnable (&enabled);
  if (result)
    {
      answer_no (cupti, "cuptiRangeProfilerEnable", result);
      return TRUE;
    }
  disabled.pRangeProfilerObject = enabled.pRangeProfilerObject;
  result = cupti->call.cuptiRangeProfilerDisable (&disabled);
  if (result)
    return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                         "cuptiRangeProfilerDisable gives %d", (int) result);
  printf ("check 13, counters of the GPU may be read: yes, cuptiRangeProfilerEnable gives 0, but "
          "hscope reads none.\n");
  return TRUE;
}

/* CUPTI must be there before the GPU is opened. */
gboolean
check_counters (GError **error)
{
  const char      *why = NULL;
  const ProfCupti *cupti = prof_cupti_load (&why);
  HybDevice       *device;
  gboolean         is_done;

  if (!cupti)
    return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, NULL, "%s", why);
  if (!cupti->call.cuptiProfilerInitialize || !cupti->call.cuptiRangeProfilerEnable ||
      !cupti->call.cuptiRangeProfilerDisable)
    return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL,
                         "CUPTI 12.9 and later have it",
                         "the CUPTI that was found has no range profiler");
  device = hyb_cuda_open (0, TRUE, error);
  if (!device)
    return FALSE;
  is_done = enable (cupti, device->context, error);
  hyb_cuda_close (device);
  return is_done;
}
