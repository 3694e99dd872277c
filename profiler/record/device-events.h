/* device-events.h — the events of a GPU in traced runs, under the operators that caused them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/event.h"
#include "profiler/record/device-trace.h"

/* The state of one recorder. */
typedef struct
{
  ProfDeviceTrace *trace; /* borrowed; NULL: no GPU is traced */
  GArray     *
      spans; /* of ProfEvent without times: the operator of span number index + 1; its correlation is the number
                  * of the span around it */
  guint32 open;    /* the number of the innermost span; 0: none */
  GArray *events;  /* of ProfEvent, in the order of time within each run */
  GArray *streams; /* of guint32: numbers of CUPTI, by our numbers */
} ProfDeviceEvents;

/* Begins to follow a trace, which stays the caller's; NULL ends that and keeps the events. */
void prof_device_events_follow (ProfDeviceEvents *events, ProfDeviceTrace *trace);
/* Frees the members of events. */
void prof_device_events_clear (ProfDeviceEvents *events);

/* An operator begins; about: with its node, step and graph. */
void prof_device_events_begin_span (ProfDeviceEvents *events, const ProfEvent *about);
/* The innermost operator ends. */
void prof_device_events_end_span (ProfDeviceEvents *events);
/* Begins a run, with room for n_spans more. */
void prof_device_events_begin_run (ProfDeviceEvents *events, gsize n_spans);
/* Ends a run and adds its events.  base_ns: the origin of times. */
void prof_device_events_end_run (ProfDeviceEvents *events, guint16 run, guint64 base_ns);
/* Drops the events of the run that ended last if it has this number. */
void prof_device_events_drop_run (ProfDeviceEvents *events, guint16 run);
