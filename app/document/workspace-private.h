/* workspace-private.h — the struct of a workspace, and the functions that its files share.
 *
 * Calls go one way: workspace.c (the class), workspace-inputs.c → workspace-open.c → workspace-run.c →
 * workspace-capture.c, workspace-values.c, workspace-tensor.c, workspace-numbers.c, workspace-bookmarks.c →
 * workspace-state.c (accessors and signals).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/workspace.h"

typedef enum
{
  SCOPE_SIGNAL_DOCUMENT,
  SCOPE_SIGNAL_CAPTURE,
  SCOPE_SIGNAL_FOCUS,
  SCOPE_SIGNAL_VALUES,
  SCOPE_SIGNAL_STEP,
  SCOPE_SIGNAL_NUMBERS,
  SCOPE_SIGNAL_BOOKMARKS,
  SCOPE_SIGNAL_LOGGED,
  SCOPE_SIGNAL_REVEAL,
  SCOPE_SIGNAL_PROBLEM,
  SCOPE_N_WORKSPACE_SIGNALS,
} ScopeWorkspaceSignal;

struct _ScopeWorkspace
{
  GObject parent_instance;

  /* The open model */
  GFile         *file;
  char          *source;        /* name for the child process; NULL: the file's path */
  char         **source_shapes; /* of inputs, "NAME=1,3" */
  char         **given_shapes;  /* by the user */
  char         **shapes;        /* of the open document */
  char         **labels;        /* names of classes; NULL: unknown */
  gboolean       fills;         /* parameters without values become random */
  char          *etag;          /* of the file when it was read */
  char          *params;        /* chosen by the user; NULL: the file beside the model */
  char          *title;
  char          *error;
  HybRemedy      error_remedy;
  ScopeState     state;
  ScopeDocument *document;
  GCancellable  *opening;
  GFile         *watched;
  GFileMonitor  *monitor;        /* of watched */
  GCancellable  *watching;       /* until there is a monitor */
  guint          reload_timeout; /* waits until the writer has finished */

  /* Selection */
  guint32  selected;
  guint32  hovered;
  GArray  *focus; /* of guint32: rows of the measurement */
  gboolean is_focus_chosen;

  GPtrArray *bookmarks; /* of char *: ids of boxes */

  /* The run */
  GCancellable     *starting; /* until there is a child */
  GSubprocess      *child;
  GDataInputStream *lines;            /* the child's stderr; NULL: at its end */
  guint             drain_timeout;    /* of an ended child whose stderr is still open */
  guint             patience_timeout; /* ends a run without progress */
  gboolean          is_overdue;       /* the run was stopped for that reason */
  double            progress;
  char             *phase;
  GError           *last_error; /* of the child */
  char             *next_capture;
  ScopeRunOptions  *options; /* of the last run */
  char             *capture_path;
  guint             n_captures; /* requests to open one */
  guint             n_picks;    /* requests to show one run */
  guint             n_stops;
  ScopeMeasurement *measurement;

  /* Values */
  char        **values_command; /* of the last run; NULL: it ran on another host */
  GCancellable *loading_values;
  ScopeValues  *values;
  ScopeStepPath step; /* that is shown; n = 0: the last */

  ScopeNodeData *numbers; /* (nullable) of the user, by node name */
  char          *numbers_path;
  guint          n_numbers; /* requests to open some, or to remove them */

  GListModel *peers; /* (nullable) the workspaces of the window */
  GListStore *log;
};

/* --- workspace-state.c --- */

/* Installs properties and signals. */
void scope_workspace_class_install (GObjectClass *class);
/* Property getter. */
void scope_workspace_get_value (ScopeWorkspace *self, guint id, GValue *value, GParamSpec *pspec);
/* Setters that notify followers of the property. */
void scope_workspace_set_state (ScopeWorkspace *self, ScopeState state);
/* Sets the progress of the current task, from 0 to 1. */
void scope_workspace_set_progress (ScopeWorkspace *self, double progress);
/* Notifies views that a run has started or ended. */
void scope_workspace_notify_running (ScopeWorkspace *self);
/* The shapes of the source, then the user's.  (transfer full) */
char **scope_workspace_join_shapes (ScopeWorkspace *self);
/* Lists the shapes of the document's inputs, after it has changed. */
void scope_workspace_update_shapes (ScopeWorkspace *self);
/* Notifies followers of "fills". */
void scope_workspace_notify_fills (ScopeWorkspace *self);
/* Clears the chosen rows; afterwards the selected node's rows are in focus. */
void scope_workspace_reset_focus (ScopeWorkspace *self);
/* Emits a signal that has no argument. */
void scope_workspace_emit (ScopeWorkspace *self, ScopeWorkspaceSignal which);
/* Emits "problem". */
void scope_workspace_report_error (ScopeWorkspace *self, const GError *error);
/* The same for a text without a remedy. */
void scope_workspace_report_problem (ScopeWorkspace *self, const char *text);

/* --- workspace-capture.c --- */

/* Drops the measurement if its capture became shorter, and says so. */
void scope_workspace_check_capture (ScopeWorkspace *self);

/* --- workspace-values.c --- */

/* Starts the second run that records values, once the first has ended. */
void scope_workspace_load_values (ScopeWorkspace *self);
/* Frees the values, and cancels loading. */
void scope_workspace_clear_values (ScopeWorkspace *self);

/* --- workspace-run.c --- */

/* Kills the child and drops everything that waits for it. */
void scope_workspace_drop_run (ScopeWorkspace *self);

/* --- workspace-open.c --- */

/* Shows an error if a file of the document became shorter, and drops a capture that did. */
void scope_workspace_check_files (gpointer workspace);
/* Stops watching the file. */
void scope_workspace_unwatch (ScopeWorkspace *self);
