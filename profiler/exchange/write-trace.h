/* write-trace.h — writes captures for other programs: Chrome trace JSON and CSV.
 *
 * Both can be written to a file or returned as text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

#define PROF_TRACE_EVENTS 1000000 /* default limit of events in a Chrome trace */

/* Chrome JSON in Kineto's dialect, which Perfetto, HTA and others open.  Events beyond max_events
 * (0: PROF_TRACE_EVENTS) are left out, and the file says how many.  *length may be NULL.  (transfer
 * full) */
char *prof_print_chrome (const ProfCapture *capture, guint max_events, gsize *length);
/* Writes it to path.  FALSE with an error if that fails. */
gboolean prof_write_chrome (const ProfCapture *capture, const char *path, GError **error);

/* CSV with one row per node that ran, largest self time first.  (transfer full) */
char *prof_print_csv (const ProfCapture *capture, const ProfSummary *summary);
/* Writes it to path.  FALSE with an error if that fails. */
gboolean prof_write_csv (const ProfCapture *capture, const char *path, GError **error);
