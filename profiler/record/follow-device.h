/* follow-device.h — lets the recorders of several series follow one trace of the GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/series.h"
#include "profiler/record/subject.h"

/* Gives each of n series a recorder, and starts a trace if a subject uses a GPU.  Where there can be none, the series
 * of these subjects get the reason, and runs wait for the GPU after every operator.  NULL without a trace. */
ProfDeviceTrace *prof_follow_device (ProfSubject *const *subjects, ProfSeries *series, guint n);
/* Ends the trace, and records its missing parts.  trace: (nullable) */
void prof_leave_device (ProfDeviceTrace *trace, ProfSeries *series, guint n);
