/* write-trace.h — captures for other programs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* More than these are left out, and the file says so; 0: PROF_TRACE_EVENTS. */
#define PROF_TRACE_EVENTS 1000000

/* Chrome JSON in Kineto's dialect: Perfetto, HTA and others open it. */
char    *prof_print_chrome (const ProfCapture *capture, guint most_events, gsize *length);
gboolean prof_write_chrome (const ProfCapture *capture, const char *path, GError **error);

/* A row a node that ran, largest first. */
char    *prof_print_csv (const ProfCapture *capture, const ProfSummary *summary);
gboolean prof_write_csv (const ProfCapture *capture, const char *path, GError **error);
