/* workspace-private.h — the inside of a workspace, for workspace*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/workspace.h"

typedef enum
{
  SCOPE_SIGNAL_DOCUMENT,
  SCOPE_SIGNAL_CAPTURE,
  SCOPE_SIGNAL_VALUES,
  SCOPE_SIGNAL_STEP,
  SCOPE_SIGNAL_LOGGED,
  SCOPE_SIGNAL_REVEAL,
  SCOPE_SIGNAL_PROBLEM,
  SCOPE_N_WORKSPACE_SIGNALS,
} ScopeWorkspaceSignal;

struct _ScopeWorkspace
{
  GObject parent_instance;

  /* What is open */
  GFile         *file;
  char          *source; /* what the child calls it; NULL: the file's path */
  char         **shapes; /* of inputs, "NAME=1,3" */
  char          *stamp;  /* of the file as it was read */
  char          *params; /* given by the user; NULL: the one beside it */
  char          *title;
  char          *error;
  ScopeState     state;
  ScopeDocument *document;
  GCancellable  *opening;
  GFile         *watched;
  GFileMonitor  *monitor;  /* of it */
  GCancellable  *watching; /* before there is a monitor */
  guint          reload;   /* source that waits for the writer to finish */

  /* What is looked at */
  guint32 selected;
  guint32 hovered;

  /* What runs */
  GCancellable     *starting; /* before there is a child */
  GSubprocess      *child;
  GDataInputStream *lines;   /* the child's stderr; NULL: it has ended */
  guint             waiting; /* source that no longer waits for it */
  double            progress;
  char             *phase;
  char             *last_words; /* the child's last error */
  char             *next_capture;
  ScopeRunOptions  *options; /* of the last run */
  char             *capture_path;
  guint             n_stops;
  ScopeMeasurement *measurement;
  char            **values_command; /* of the last run; NULL: on another host */
  GCancellable     *asking;
  ScopeValues      *values;
  ScopeStepPath     step; /* that is looked at; n = 0: the last */

  GListStore *log;
};

void scope_workspace_set_state (ScopeWorkspace *self, ScopeState state);
void scope_workspace_set_progress (ScopeWorkspace *self, double progress);
void scope_workspace_notify_running (ScopeWorkspace *self);
void scope_workspace_emit (ScopeWorkspace *self, ScopeWorkspaceSignal which);
/* Follows changes of a file; NULL: of none. */
void scope_workspace_watch (ScopeWorkspace *self, GFile *file);
/* A sentence that the user must not miss. */
void scope_workspace_report_problem (ScopeWorkspace *self, const char *text);
/* workspace-values.c */
void scope_workspace_load_values (ScopeWorkspace *self);
void scope_workspace_clear_values (ScopeWorkspace *self);
