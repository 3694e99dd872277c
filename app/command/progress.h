/* progress.h — how far a measurement is, on stderr; and stopping one by a signal.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common.h"
#include "profiler/record/measure.h"

typedef struct
{
  gboolean as_json, as_bar;
  gboolean is_dirty;           /* a bar stands on the line */
  gint64   last;               /* µs */
  double   done_before, total; /* of everything, where a command has several measurements */
} ScopeProgress;

/* As --progress says; a bar on a terminal, nothing elsewhere. */
void scope_progress_init (ScopeProgress *progress, const ScopeCommon *common);
/* For ProfMeasureOptions.progress; data is the ScopeProgress. */
void scope_progress_tell (gpointer data, const ProfProgress *now);
/* Ends the bar's line; with JSON one more line: what is done, and the file it went to. */
void scope_progress_finish (ScopeProgress *progress, const char *event, const char *file);

/* Cancelled by the first SIGINT or SIGTERM; the second one ends the program.  (transfer none) */
GCancellable *scope_cancel_on_signal (void);
