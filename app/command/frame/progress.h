/* progress.h — progress of a command on stderr, and cancelling it by a signal.
 *
 * A command consists of one or more measurements, its parts.  The display covers all of them
 * together and never goes backwards.  Results go to stdout, so progress never mixes with them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "profiler/record/measure.h"

typedef struct
{
  gboolean as_json, as_bar;
  gint64   last_time;       /* of the last output, µs, monotonic */
  double   begin, end;      /* the part that runs: shares of the whole command, 0 … 1 */
  double   later;           /* seconds that the parts after it take at most */
  double   share, deadline; /* shown last; the deadline in seconds of the monotonic clock */
} ScopeProgress;

/* Chooses the output from --progress and --quiet: by default a bar if stderr is a terminal, else nothing.  The whole
 * command is one part. */
void scope_progress_init (ScopeProgress *progress, const ScopeCommonOptions *common);
/* From now on updates are about the part number index of n, whose share of the command is its weight.  later: seconds that
 * the parts after it take at most. */
void scope_progress_set_part (ScopeProgress *progress,
                              const double  *weights,
                              guint          index,
                              guint          n,
                              double         later);
/* Shows the progress, at most ten times a second.  For ProfMeasureOptions.progress; data: a
 * ScopeProgress. */
void scope_progress_update (gpointer data, const ProfProgress *now);
/* Erases the bar or, as JSON, prints one more line with this event and file (nullable). */
void scope_progress_finish (ScopeProgress *progress, const char *event, const char *file);

/* The bar: the share that is done (0 … 1), the current work, and the longest remaining seconds, in at most this many
 * columns. (transfer full) */
char *scope_progress_format (double share, const char *what, double remaining, guint columns);

/* A cancellable that the first SIGINT or SIGTERM cancels; the second one ends the program.
 * (transfer none) */
GCancellable *scope_cancel_on_signal (void);
/* The signal that cancelled it; 0: none. */
int scope_get_signal (void);
