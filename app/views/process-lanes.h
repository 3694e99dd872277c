/* process-lanes.h — the lanes of processes that train together, for the timeline.
 *
 * Each process has a lane for its step with its name, one for the parts of the step, and some for averages of gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/measurement.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The spans (array of ScopeSpan) of the chosen run in all processes; empty if the capture is of no such training.  texts: gets
 * labels that must live as long as the spans.  (transfer full) */
GArray *scope_process_lanes (ScopeMeasurement *measurement, GPtrArray *texts);
/* How many processes there are and how much faster they are than one, as a sentence; NULL for other captures.  (transfer full) */
char *scope_process_lanes_describe (ScopeMeasurement *measurement);

G_END_DECLS
