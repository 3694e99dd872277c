/* event-walk.h — visits the events of a capture with their self times.
 *
 * Everything that sums events goes through this walk.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* Called for one event.  duration and self, the duration without the events inside, are in ns.
 * The time of a step of a loop (BRANCH) outside of its nodes is its own self time and part of the
 * self time of the loop's node, so the self times of all events but BRANCH ones add up to those
 * of the runs. */
typedef void (*ProfEventFunc) (gpointer         data,
                               const ProfEvent *event,
                               guint64          duration,
                               guint64          self);

/* Calls func for every event except MEMORY and SLICE events, in the order in which they ended. */
void prof_walk_events (const ProfCapture *capture, ProfEventFunc func, gpointer data);
