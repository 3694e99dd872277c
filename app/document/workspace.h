/* workspace.h — the one object that all views of a model share.
 *
 * Document, selection, hover, time span, capture, running state, findings and log.
 * Views read it, change its selection and follow it; they never talk to each other.
 * The currency of the selection is a box of the document's diagram, VIZ_ROOT for none.
 *
 * Signals: "document-changed", "capture-changed", "values-changed", "step-changed", "logged", "reveal" (box), "complaint" (text).
 * Properties to follow: selected, hovered, state, running, progress.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/measurement.h"
#include "app/document/run-options.h"
#include "app/document/values.h"

G_BEGIN_DECLS

typedef enum
{
  SCOPE_STATE_EMPTY,
  SCOPE_STATE_LOADING,
  SCOPE_STATE_READY,
  SCOPE_STATE_FAILED,
} ScopeState;

#define SCOPE_TYPE_WORKSPACE (scope_workspace_get_type ())
G_DECLARE_FINAL_TYPE (ScopeWorkspace, scope_workspace, SCOPE, WORKSPACE, GObject)

ScopeWorkspace *scope_workspace_new (void);

/* Opening runs in a worker; state and document tell how it went.  params: (nullable) */
void scope_workspace_open (ScopeWorkspace *self, GFile *file, const char *params);
/* Something that is in no file; NULL: nothing. */
void scope_workspace_show_document (ScopeWorkspace *self, ScopeDocument *document);
void scope_workspace_reload (ScopeWorkspace *self);
void scope_workspace_cancel (ScopeWorkspace *self);

/* What the child process is to call the model ("gallery:lstm-lm"), and shapes of inputs that the
 * file does not say; before opening.  Both nullable. */
void
scope_workspace_set_source (ScopeWorkspace *self, const char *source, const char *const *shapes);
/* What the child process is to call the model; NULL: nothing is open. */
const char        *scope_workspace_get_model_name (ScopeWorkspace *self);
const char *const *scope_workspace_get_shapes (ScopeWorkspace *self); /* (nullable) */
void               scope_workspace_set_shapes (ScopeWorkspace *self, const char *const *shapes);

ScopeState     scope_workspace_get_state (ScopeWorkspace *self);
const char    *scope_workspace_get_error (ScopeWorkspace *self); /* of the last failure */
GFile         *scope_workspace_get_file (ScopeWorkspace *self);
ScopeDocument *scope_workspace_get_document (ScopeWorkspace *self); /* (nullable) */
const char    *scope_workspace_get_title (ScopeWorkspace *self);
void           scope_workspace_set_title (ScopeWorkspace *self, const char *title);

guint32 scope_workspace_get_selected (ScopeWorkspace *self);
void    scope_workspace_select (ScopeWorkspace *self, guint32 box);
/* Selects, and asks the views to bring it into sight. */
void    scope_workspace_show (ScopeWorkspace *self, guint32 box);
guint32 scope_workspace_get_hovered (ScopeWorkspace *self);
void    scope_workspace_hover (ScopeWorkspace *self, guint32 box);

/* What the user should know; box: VIZ_ROOT for none. */
typedef enum
{
  SCOPE_LOG_NOTE,
  SCOPE_LOG_WARNING,
  SCOPE_LOG_ERROR,
} ScopeLogLevel;

void        scope_workspace_log (ScopeWorkspace *self,
                                 ScopeLogLevel   level,
                                 guint32         box,
                                 const char     *format,
                                 ...) G_GNUC_PRINTF (4, 5);
GListModel *scope_workspace_get_log (ScopeWorkspace *self); /* of ScopeLogItem */

/* Runs: FALSE and an error when the child cannot be started.  What comes of it arrives as
 * "capture-changed" or "complaint". */
gboolean scope_workspace_run (ScopeWorkspace *self, const ScopeRunOptions *options, GError **error);
/* Once: it keeps what it has.  Twice: it ends. */
void        scope_workspace_stop_run (ScopeWorkspace *self);
gboolean    scope_workspace_is_running (ScopeWorkspace *self);
const char *scope_workspace_get_phase (ScopeWorkspace *self);
double      scope_workspace_get_progress (ScopeWorkspace *self);

void              scope_workspace_open_capture (ScopeWorkspace *self, const char *path);
ScopeMeasurement *scope_workspace_get_measurement (ScopeWorkspace *self); /* (nullable) */
const char       *scope_workspace_get_capture_path (ScopeWorkspace *self);
/* How it was run last, and where that leaves its capture; NULL: not at all. */
const ScopeRunOptions *scope_workspace_get_run_options (ScopeWorkspace *self);
const char            *scope_workspace_get_run_path (ScopeWorkspace *self);
/* What every operator of the last run gave; NULL: nothing ran, or it is not told yet. */
const ScopeValues *scope_workspace_get_values (ScopeWorkspace *self);
/* The step of a loop whose values are looked at; n = 0: the last.  step: (nullable): that. */
const ScopeStepPath *scope_workspace_get_step (ScopeWorkspace *self);
void                 scope_workspace_set_step (ScopeWorkspace *self, const ScopeStepPath *step);

G_END_DECLS
