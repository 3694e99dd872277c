/* compare-page-private.h — the struct of the compare page, and the functions that its files share.
 *
 * Calls go one way: compare-page.c (the class) → compare-page-frame.c, compare-page-panes.c →
 * compare-page-measure.c → compare-page-state.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-page.h"

#include "app/compare/compare-result.h"
#include "app/widgets/legend.h"
#include "engine/base/remedy.h"

/* All forms of a model. */
#define SCOPE_MAX_PANES 4

/* One measurement. */
typedef struct
{
  cJSON *json;  /* of hscope compare --json */
  char  *title; /* "batch 1, 32 · training", for the list of results */
} ScopeComparedResult;

struct _ScopeComparePage
{
  AdwBin parent_instance;

  char  *model; /* as the child process opens it; NULL: files are compared, or only results shown */
  char  *params; /* file of parameters; NULL: the one beside the model */
  char  *title;
  char  *path;            /* of the saved comparison, or NULL */
  char **shapes;          /* of inputs, "NAME=1,3" */
  char **files;           /* paths of recordings or models; NULL: forms of model are compared */
  char **forms;           /* of the first panes; NULL: the usual ones */
  gboolean fills;         /* values that the model lacks are random */
  gboolean is_recordings; /* files are recordings, which are not run */

  GCancellable *cancellable;   /* of everything, when the page is closed */
  GCancellable *measuring;     /* NULL: no measurement is running */
  gint64        began;         /* monotonic time of the measurement's start */
  guint         progress_tick; /* source that updates the progress bar */
  guint         adding;        /* source that adds the first panes */
  char         *folder;        /* temporary, for captures; NULL: nothing was measured */
  char         *measured;      /* title of the measurement that is running */

  /* Every form is converted from the unrolled one, whose nodes are the reference for matching. */
  ScopeConversion *unrolled;
  char            *refusal; /* why there is no unrolled form */
  HybRemedy        refusal_remedy;
  GHashTable      *names; /* reference node → its number + 1 */
  ScopeNodeMap    *maps[SCOPE_MAX_PANES];
  ScopeConversion *conversions[SCOPE_MAX_PANES]; /* NULL: the unrolled form */
  gboolean         is_linked, was_measured;
  char            *colours;    /* "none", "self", "difference" */
  guint            n_repaints; /* results of older repaints are dropped */
  GPtrArray       *results;    /* of ScopeComparedResult, in the order they were measured */

  /* Children */
  ScopeComparePane   *panes[SCOPE_MAX_PANES]; /* NULL beyond the last */
  GtkBox             *row, *tools;
  ScopeCompareResult *result;
  GtkStack           *stack; /* lower half: "empty", "waiting", "failed", "cancelled", "result" */
  AdwStatusPage      *waiting, *failed;
  GtkRevealer        *progress_revealer, *message_revealer;
  GtkProgressBar     *progress;
  GtkLabel           *progress_label, *message;
  GtkButton          *message_button; /* for the remedy of a failure */
  ScopeLegend        *legend;
  GtkDropDown        *chooser;  /* of results; visible if there are several */
  GtkWidget          *save;     /* visible if there is a result */
  GtkWidget          *measure;  /* button with a menu of options */
  GtkEditable        *sizes[3]; /* batches, lengths, units: "1, 32" */
  GtkSwitch          *training;
  GtkSpinButton      *seconds;
  GtkPopover         *options;
};

/* --- compare-page-state.c --- */

/* The index of a pane; SCOPE_MAX_PANES if it was closed. */
guint scope_compare_page_find_pane (ScopeComparePage *self, ScopeComparePane *pane);
/* The contents of panes: forms of the model, or files. */
const char *const *scope_compare_page_get_forms (ScopeComparePage *self);
/* Shows what the lower half has while there is no result: "empty", "waiting", "failed", "cancelled". */
void scope_compare_page_show_state (ScopeComparePage *self, const char *state);
/* Gives the place of the panes to the results. */
void scope_compare_page_hide_panes (ScopeComparePage *self);
/* Shows why a measurement failed, with a button for the remedy: above the earlier result, or instead of one. */
void scope_compare_page_show_failure (ScopeComparePage *self, const char *why, HybRemedy remedy);
/* The same for a measurement that the user cancelled. */
void scope_compare_page_show_cancelled (ScopeComparePage *self);
/* Appends a result and shows it.  json, title: (transfer full) */
void scope_compare_page_add_result (ScopeComparePage *self, cJSON *json, char *title);
/* Shows a result of the list. */
void scope_compare_page_show_result (ScopeComparePage *self, guint index);

/* --- compare-page-measure.c --- */

/* Measures the forms of all panes in a child process; does nothing while one is running. */
void scope_compare_page_measure (ScopeComparePage *self);
/* Cancels the measurement. */
void scope_compare_page_stop (ScopeComparePage *self);
/* Updates times, proofs and captures of the panes from the result that is shown. */
void scope_compare_page_update_times (ScopeComparePage *self);
/* Repaints all panes with the chosen colours. */
void scope_compare_page_update_colours (ScopeComparePage *self);

/* --- compare-page-panes.c --- */

/* Appends a pane for a form, unless there are SCOPE_MAX_PANES. */
void scope_compare_page_add_pane (ScopeComparePage *self, const char *form);
/* Begins to convert the model; measuring follows when all panes are ready. */
void scope_compare_page_start (ScopeComparePage *self);

/* --- compare-page-frame.c --- */

/* Creates the children of the page. */
void scope_compare_page_build (ScopeComparePage *self);
