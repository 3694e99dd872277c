/* host-steps.h — the steps that the host computed in runs on a GPU, and why.
 *
 * A capture holds them as facts, one for each reason.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"
#include "profiler/summary/attribute.h"

#define PROF_HOST_STEPS_KEY \
  "device.host." /* facts with this prefix: “4 17: the GPU module …”, rows and the reason */

/* Adds the facts about the plans that a subject runs, also those of bodies that recorder (nullable) saw.  Adds nothing
 * for the processor. */
void prof_host_steps_add (ProfBuilder           *builder,
                          const ProfAttribution *attribution,
                          const ProfSubject     *subject,
                          const ProfRecorder    *recorder);
/* By row (guint32 in a pointer) the reason, as half a sentence; empty if there are none.  (transfer full) */
GHashTable *prof_host_steps_read (const ProfCapture *capture);
