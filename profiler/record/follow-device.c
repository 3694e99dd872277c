/* follow-device.c — lets the recorders of several series follow one trace of the GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/follow-device.h"

ProfDeviceTrace *
prof_follow_device (ProfSubject *const *subjects, ProfSeries *series, guint n)
{
  ProfDeviceTrace *trace = NULL;
  g_autofree char *why = NULL;

  for (guint i = 0; i < n; i++)
    {
      series[i].recorder = prof_recorder_new ();
      if (!prof_subject_get_options (subjects[i])->gpu)
        continue;
      if (!trace && !why)
        trace = prof_device_trace_start (&why);
      if (trace)
        prof_recorder_follow_device (series[i].recorder, trace);
      else
        series[i].device_problem =
            g_strdup_printf ("The GPU's work is not traced, because %s", why);
    }
  return trace;
}

void
prof_leave_device (ProfDeviceTrace *trace, ProfSeries *series, guint n)
{
  g_autofree char *problem = NULL;

  if (!trace)
    return;
  problem = prof_device_trace_dup_problems (trace);
  for (guint i = 0; i < n; i++)
    if (prof_recorder_get_device_events (series[i].recorder))
      {
        series[i].device_trace = prof_device_trace_describe (trace);
        series[i].device_problem = g_strdup (problem);
        prof_recorder_follow_device (series[i].recorder, NULL);
      }
  prof_device_trace_stop (trace);
}
