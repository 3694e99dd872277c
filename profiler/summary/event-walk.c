/* event-walk.c — visits the events of a capture with their self times.
 *
 * Events are stored when they end, so the children of an event are the events one level deeper
 * since the last event of its own level.  Slices, which
 * other threads computed meanwhile, are part of their node already.  One pass with one sum per level is enough.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/event-walk.h"

#include <string.h>

void
prof_walk_events (const ProfCapture *capture, ProfEventFunc func, gpointer data)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  guint64          inside[PROF_DEPTH_MAX + 2] = { 0 };

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      ProfEventKind kind = prof_event_kind (&events[i]);
      guint         depth = prof_event_depth (&events[i]);
      guint64       duration = prof_event_duration (&events[i]);
      guint64       self = duration - MIN (duration, inside[depth + 1]);
      guint64       counted = duration;

      if (kind == PROF_EVENT_MEMORY || kind == PROF_EVENT_SLICE || kind >= PROF_N_EVENTS)
        continue;
      if (kind == PROF_EVENT_BRANCH)
        counted -= self;
      inside[depth + 1] = 0;
      inside[depth] += counted;
      if (kind == PROF_EVENT_RUN)
        memset (inside, 0, sizeof inside);
      func (data, &events[i], duration, self);
    }
}
