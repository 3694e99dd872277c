/* progress.h — progress of a measurement on stderr, and cancelling it by a signal.
 *
 * Results go to stdout, so progress never mixes with them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common-options.h"
#include "profiler/record/measure.h"

typedef struct
{
  gboolean as_json, as_bar;
  gboolean has_bar;   /* the line of the terminal shows a bar */
  gint64   last_time; /* of the last output, µs, monotonic */
} ScopeProgress;

/* Chooses the output from --progress: by default a bar if stderr is a terminal, else nothing. */
void scope_progress_init (ScopeProgress *progress, const ScopeCommonOptions *common);
/* Shows the progress, at most ten times a second.  For ProfMeasureOptions.progress; data: a
 * ScopeProgress. */
void scope_progress_update (gpointer data, const ProfProgress *now);
/* Erases the bar or, as JSON, prints one more line with this event and file (nullable). */
void scope_progress_finish (ScopeProgress *progress, const char *event, const char *file);

/* A cancellable that the first SIGINT or SIGTERM cancels; the second one ends the program.
 * (transfer none) */
GCancellable *scope_cancel_on_signal (void);
/* The signal that cancelled it; 0: none. */
int scope_get_signal (void);
