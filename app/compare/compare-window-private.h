/* compare-window-private.h — the struct of the compare window, and what its files offer each other.
 *
 * Calls go one way: compare-window.c (the class) → compare-window-panes.c → compare-window-measure.c
 * → compare-window-state.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-window.h"

#include "app/widgets/legend.h"

#define SCOPE_MAX_PANES 3

struct _ScopeCompareWindow
{
  AdwWindow parent_instance;

  char  *model; /* as the child process opens it */
  char  *title;
  char **shapes; /* of inputs, "NAME=1,3" */

  GCancellable *cancellable;   /* of everything, when the window is closed */
  GCancellable *measuring;     /* NULL: no measurement is running */
  gint64        began;         /* monotonic time of the measurement's start */
  guint         progress_tick; /* source that updates the progress bar */
  guint         adding;        /* source that adds the first panes */
  char         *folder;        /* temporary, for captures; NULL: nothing was measured */

  /* Every form is converted from the unrolled one, whose nodes are the reference for matching. */
  ScopeConversion *unrolled;
  char            *refusal; /* why there is no unrolled form */
  GHashTable      *names;   /* reference node → its number + 1 */
  ScopeNodeMap    *maps[SCOPE_MAX_PANES];
  ScopeConversion *conversions[SCOPE_MAX_PANES]; /* NULL: the unrolled form */
  gboolean         is_linked, was_measured;
  char            *colours;    /* "none", "self", "difference" */
  guint            n_repaints; /* results of older repaints are dropped */

  /* Children */
  ScopeComparePane   *panes[SCOPE_MAX_PANES]; /* NULL beyond the last */
  GtkBox             *row;
  ScopeCompareResult *result;
  GtkStack           *stack; /* lower half: "waiting", "failed", "result" */
  AdwStatusPage      *failed;
  GtkProgressBar     *progress;
  GtkLabel           *progress_label;
  ScopeLegend        *legend;
  GtkEditable        *batches;
  GtkSwitch          *training;
  GtkSpinButton      *seconds;
  GtkPopover         *options;
};

/* --- compare-window-state.c --- */

/* The index of a pane; SCOPE_MAX_PANES if it was closed. */
guint scope_compare_window_find_pane (ScopeCompareWindow *self, ScopeComparePane *pane);

/* --- compare-window-measure.c --- */

/* Measures the forms of all panes in a child process; does nothing while one is running. */
void scope_compare_window_measure (ScopeCompareWindow *self);
/* Cancels the measurement. */
void scope_compare_window_stop (ScopeCompareWindow *self);
/* Updates times, proofs and captures of the panes from the last result. */
void scope_compare_window_update_times (ScopeCompareWindow *self);
/* Repaints all panes with the chosen colours. */
void scope_compare_window_update_colours (ScopeCompareWindow *self);

/* --- compare-window-panes.c --- */

/* Appends a pane for a form, unless there are SCOPE_MAX_PANES. */
void scope_compare_window_add_pane (ScopeCompareWindow *self, const char *form);
/* Begins to convert the model; measuring follows when all panes are ready. */
void scope_compare_window_start (ScopeCompareWindow *self);
