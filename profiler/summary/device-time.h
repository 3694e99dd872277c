/* device-time.h — divides the time of traced runs between a GPU and the host.
 *
 * At each moment of a run one event counts: the work of the GPU, else the work of the host.  So times add up to
 * the run, however the two overlap.  Only runs that a trace of the GPU followed are divided.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

typedef struct _ProfDeviceTime ProfDeviceTime;

/* NULL if no trace of a GPU followed the runs of capture, which must outlive the result.  (transfer full) */
ProfDeviceTime *prof_device_time_new (const ProfCapture *capture);
/* Frees time; NULL is allowed. */
void prof_device_time_free (ProfDeviceTime *time);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfDeviceTime, prof_device_time_free)

/* TRUE if an event is work of a GPU. */
gboolean prof_event_is_of_device (const ProfEvent *event);
/* The ns of work number index among the events that count: inside its run, and not while earlier work went on.
 * 0 for other events. */
guint64 prof_device_time_get (const ProfDeviceTime *time, guint index);
/* The ns of an event of the host during which the GPU worked. */
guint64 prof_device_time_overlap (const ProfDeviceTime *time, const ProfEvent *event);
