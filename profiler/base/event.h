/* event.h — one recorded event in 32 bytes, as the recorder writes it and a capture stores it.
 *
 * An event is identified by graph, node, step and run; device and correlation are 0 on the CPU, where
 * the stream is the thread: 0 is the one that runs operators.  Events are written when they end, so
 * those that lie inside another come before it.  NODE events with a device are what the CPU did to launch;
 * what the device did meanwhile or later are DEVICE and COPY events, before the RUN event of their run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  PROF_EVENT_NODE,   /* an executed node */
  PROF_EVENT_BRANCH, /* one step of a loop or one branch of a condition; node: index of the body */
  PROF_EVENT_PASS,   /* node: index of the pass */
  PROF_EVENT_COPY,   /* between host and device; with a device: by its own clock */
  PROF_EVENT_MEMORY, /* a change of memory in use; see prof_event_bytes() */
  PROF_EVENT_RUN,    /* a whole run */
  PROF_EVENT_SLICE,  /* a part of a parallel loop of a node, computed by another thread */
  PROF_EVENT_DEVICE, /* a kernel, fill or copy of a GPU that a node caused; see PROF_DEVICE_FIRST */
  PROF_N_EVENTS,
} ProfEventKind;

/* The depth of DEVICE events: the first one of an execution of its node, or a further one.  A loop has one
 * without a duration if the GPU worked for operators in it alone. */
#define PROF_DEVICE_FIRST   1
#define PROF_DEVICE_FURTHER 2

#define PROF_DURATION_BITS 40
#define PROF_DURATION_MAX  ((G_GUINT64_CONSTANT (1) << PROF_DURATION_BITS) - 1) /* 18 minutes */
#define PROF_DEPTH_MAX     255

typedef struct
{
  guint64 begin_ns; /* since the recorder was created */
  guint64 packed;   /* from bit 0: 40 bits duration in ns, 4 kind, 8 depth, 4 device, 8 stream */
  guint32 node;     /* id in its graph; in captures the row of the table of nodes */
  guint32 step;     /* of the loop around it */
  guint16 graph;    /* slot of the recorder; in captures the index of the graph */
  guint16 run;
  guint32 correlation;
} ProfEvent;

G_STATIC_ASSERT (sizeof (ProfEvent) == 32);

/* The packed field.  Durations beyond PROF_DURATION_MAX are cut to it. */
static inline guint64
prof_event_pack (guint64 duration_ns, ProfEventKind kind, guint depth, guint device, guint stream)
{
  return MIN (duration_ns, PROF_DURATION_MAX) | (guint64) kind << 40 |
         (guint64) (depth & 0xff) << 44 | (guint64) (device & 0xf) << 52 |
         (guint64) (stream & 0xff) << 56;
}

/* The duration in ns. */
static inline guint64
prof_event_duration (const ProfEvent *event)
{
  return event->packed & PROF_DURATION_MAX;
}

/* The kind; from a damaged capture perhaps PROF_N_EVENTS or more. */
static inline ProfEventKind
prof_event_kind (const ProfEvent *event)
{
  return (ProfEventKind) (event->packed >> 40 & 0xf);
}

/* How many events it lies inside. */
static inline guint
prof_event_depth (const ProfEvent *event)
{
  return event->packed >> 44 & 0xff;
}

/* The device; 0 is the CPU. */
static inline guint
prof_event_device (const ProfEvent *event)
{
  return event->packed >> 52 & 0xf;
}

/* The stream of the device. */
static inline guint
prof_event_stream (const ProfEvent *event)
{
  return (guint) (event->packed >> 56);
}

/* For MEMORY events: by how many bytes memory in use changed. */
static inline gint64
prof_event_bytes (const ProfEvent *event)
{
  return (gint64) ((guint64) event->step << 32 | event->node);
}
