/* compare-window-private.h — the inside of the compare window, for compare-window*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-window.h"

#include "app/widgets/legend.h"

#define SCOPE_MAX_PANES 3

struct _ScopeCompareWindow
{
  AdwWindow parent_instance;

  char  *model;
  char  *title;
  char **shapes;

  GCancellable *cancellable; /* of everything */
  GCancellable *measuring;   /* NULL: nothing is measured */
  gint64        began;
  guint         tick, adding;
  char         *folder; /* of captures; NULL: nothing was measured */

  /* All forms are written from the unrolled one. */
  ScopeConversion *unrolled;
  char            *refusal; /* why there is none */
  GHashTable      *names;   /* its nodes, → number + 1 */
  ScopeNodeMap    *sides[SCOPE_MAX_PANES];
  ScopeConversion *conversions[SCOPE_MAX_PANES];
  gboolean         is_linked, was_measured;
  char            *colours; /* "none", "self", "difference" */
  guint            n_colourings;

  /* Children */
  ScopeComparePane   *panes[SCOPE_MAX_PANES]; /* NULL: fewer */
  GtkBox             *row;
  ScopeCompareResult *result;
  GtkStack           *stack; /* of the lower half */
  AdwStatusPage      *failed;
  GtkProgressBar     *progress;
  GtkLabel           *progress_label;
  ScopeLegend        *legend;
  GtkEditable        *batches;
  GtkSwitch          *training;
  GtkSpinButton      *seconds;
  GtkPopover         *options;
};

guint scope_compare_window_find_pane (ScopeCompareWindow *self, ScopeComparePane *pane);

/* compare-window-measure.c */
void scope_compare_window_measure (ScopeCompareWindow *self);
void scope_compare_window_stop (ScopeCompareWindow *self);
/* Colours and times of the panes by what was measured last. */
void scope_compare_window_update_times (ScopeCompareWindow *self);
void scope_compare_window_update_colours (ScopeCompareWindow *self);

/* compare-window-panes.c */
void scope_compare_window_add_pane (ScopeCompareWindow *self, const char *form);
void scope_compare_window_start (ScopeCompareWindow *self);
