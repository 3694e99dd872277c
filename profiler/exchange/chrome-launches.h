/* chrome-launches.h — which execution of a node on the host launched a piece of a GPU's work.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* Both arrays are by index of the event in the capture. */
typedef struct
{
  guint32
      *launcher; /* of work: the NODE event that launched it; PROF_NONE: a replay, or not known */
  guint32 *
      next; /* of work: the next one with the same launcher; of a NODE event: its first work; PROF_NONE: none */
} ProfLaunches;

/* Finds the launchers among the first n_events events of capture; later ones have none. */
ProfLaunches *prof_launches_new (const ProfCapture *capture, guint n_events);
/* Frees launches; NULL is allowed. */
void prof_launches_free (ProfLaunches *launches);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfLaunches, prof_launches_free)
