/* device-trace.h — the work of a GPU while operators ran, from CUPTI.
 *
 * One trace of the process at a time.  Clean runs come before it starts: a trace slows launches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _ProfDeviceTrace ProfDeviceTrace;

typedef enum
{
  PROF_DEVICE_KERNEL,
  PROF_DEVICE_FILL,
  PROF_DEVICE_MOVE,     /* a copy within the device */
  PROF_DEVICE_TRANSFER, /* a copy between host and device */
} ProfDeviceKind;

/* A piece of work of the GPU. */
typedef struct
{
  guint64        begin_ns; /* on our clock (base/clock.h) */
  guint64        duration_ns;
  guint64        span;        /* as given to prof_device_trace_begin_span(); 0: work of no span */
  guint32        correlation; /* the same for all that one call has launched */
  guint32        stream;
  guint16        device; /* 1 is the first GPU */
  ProfDeviceKind kind;
} ProfDeviceWork;

/* Opens the resources of a trace.  To be called before a GPU is opened, since CUPTI is to be
 * there when CUDA starts. */
void prof_device_trace_prepare (void);
/* Starts the trace.  NULL and a sentence without its full stop if there can be none, whose clean times are as
 * good.  why: (transfer full).  (transfer full) */
ProfDeviceTrace *prof_device_trace_start (char **why);
/* Ends the trace.  NULL is allowed. */
void prof_device_trace_stop (ProfDeviceTrace *trace);

/* A span begins on the thread that launches; launches and recordings until it ends are its work, unless
 * another span begins inside.  span: its number, larger than those of spans around it; not 0. */
void prof_device_trace_begin_span (ProfDeviceTrace *trace, guint64 span);
/* The innermost span ends. */
void prof_device_trace_end_span (ProfDeviceTrace *trace);

/* Begins a run: drops the earlier work of the GPU, which must have ended. */
void prof_device_trace_begin_run (ProfDeviceTrace *trace);
/* Ends a run after its work has ended.  Returns its work in the order in which it began; owned by trace until
 * the next run.  array of ProfDeviceWork */
const GArray *prof_device_trace_end_run (ProfDeviceTrace *trace);

/* “CUPTI 13.0”.  (transfer full) */
char *prof_device_trace_describe (const ProfDeviceTrace *trace);
/* Losses in the runs since the start, in sentences; NULL if there are none.  (transfer full) */
char *prof_device_trace_dup_problems (const ProfDeviceTrace *trace);
