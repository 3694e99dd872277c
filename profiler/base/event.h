/* event.h — one thing that happened, in 32 bytes, as the recorder writes it and as a
 * capture keeps it.
 *
 * The key is graph, node, step and run; device, stream and correlation are 0 on the
 * CPU.  Events are written when they end, so what lies inside comes first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  PROF_EVENT_NODE,   /* node: in its graph */
  PROF_EVENT_BRANCH, /* one step of a loop, one arm of a condition; node: which body */
  PROF_EVENT_PASS,   /* node: which pass */
  PROF_EVENT_COPY,   /* between host and device */
  PROF_EVENT_MEMORY, /* node and step: low and high half of how many bytes more */
  PROF_EVENT_RUN,    /* a whole run */
  PROF_N_EVENTS,
} ProfEventKind;

#define PROF_DURATION_BITS 40
#define PROF_DURATION_MAX  ((G_GUINT64_CONSTANT (1) << PROF_DURATION_BITS) - 1) /* 18 minutes */
#define PROF_DEPTH_MAX     255

typedef struct
{
  guint64 begin_ns; /* since the recorder began */
  guint64 packed;   /* from the low end: 40 bits duration, 4 kind, 8 depth, 4 device, 8 stream */
  guint32 node;
  guint32 step;
  guint16 graph;
  guint16 run;
  guint32 correlation;
} ProfEvent;

G_STATIC_ASSERT (sizeof (ProfEvent) == 32);

static inline guint64
prof_event_pack (guint64 duration_ns, ProfEventKind kind, guint depth, guint device, guint stream)
{
  return MIN (duration_ns, PROF_DURATION_MAX) | (guint64) kind << 40 |
         (guint64) (depth & 0xff) << 44 | (guint64) (device & 0xf) << 52 |
         (guint64) (stream & 0xff) << 56;
}

static inline guint64
prof_event_duration (const ProfEvent *event)
{
  return event->packed & PROF_DURATION_MAX;
}

static inline ProfEventKind
prof_event_kind (const ProfEvent *event)
{
  return (ProfEventKind) (event->packed >> 40 & 0xf);
}

/* How many events it lies in. */
static inline guint
prof_event_depth (const ProfEvent *event)
{
  return event->packed >> 44 & 0xff;
}

static inline guint
prof_event_device (const ProfEvent *event)
{
  return event->packed >> 52 & 0xf;
}

static inline guint
prof_event_stream (const ProfEvent *event)
{
  return (guint) (event->packed >> 56);
}

static inline gint64
prof_event_bytes (const ProfEvent *event)
{
  return (gint64) ((guint64) event->step << 32 | event->node);
}
