/* event-walk.c — visits the events of a capture with their self times.
 *
 * Where a trace followed a GPU, its work has no events inside, and launches by the host are not visited. Events
 * are stored when they end, so the children of an event are the events one level deeper since the last event of
 * its own level.  Slices, which other threads computed meanwhile, are part of their node already.  One pass
 * with one sum per level is enough.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/event-walk.h"

#include "profiler/summary/device-time.h"

#include <string.h>

/* The ns of an event that count.  inside: the ns of the events in it. */
static guint64
count_time (const ProfDeviceTime *device, const ProfEvent *event, guint64 inside)
{
  ProfEventKind kind = prof_event_kind (event);
  guint64       duration = prof_event_duration (event);

  if (!device || kind == PROF_EVENT_RUN)
    return duration;
  /* While the host launches, the GPU works, or waits for it. */
  if (kind == PROF_EVENT_BRANCH || prof_event_device (event) > 0)
    return inside;
  return duration - MIN (duration, prof_device_time_overlap (device, event));
}

void
prof_walk_events (const ProfCapture *capture, ProfEventFunc func, gpointer data)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  guint64          inside[PROF_DEPTH_MAX + 2] = { 0 };
  g_autoptr (ProfDeviceTime) device = prof_device_time_new (capture);

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      ProfEventKind kind = prof_event_kind (&events[i]);
      gboolean      is_work = prof_event_is_of_device (&events[i]);
      guint         depth = is_work ? 1 : prof_event_depth (&events[i]);
      guint64       duration, self, counted;

      if (kind == PROF_EVENT_MEMORY || kind == PROF_EVENT_SLICE || kind >= PROF_N_EVENTS)
        continue;
      if (is_work)
        {
          duration = self = counted = device ? prof_device_time_get (device, i) : 0;
          inside[1] += counted;
        }
      else
        {
          duration = count_time (device, &events[i], inside[depth + 1]);
          self = duration - MIN (duration, inside[depth + 1]);
          counted = kind == PROF_EVENT_BRANCH ? duration - self : duration;
          inside[depth + 1] = 0;
          inside[depth] += counted;
        }
      if (kind == PROF_EVENT_RUN)
        memset (inside, 0, sizeof inside);
      if (!(device && kind == PROF_EVENT_NODE && prof_event_device (&events[i]) > 0))
        func (data, &events[i], duration, self);
    }
}
