/* workspace.h — the state of one open model that all its views share.
 *
 * A workspace owns the document, the selection, the hovered box, the running child process, the
 * measurement, the recorded values and the log.  Views read it, change its selection and follow its
 * signals; they never talk to each other.  Selections are boxes of the document's diagram; VIZ_ROOT
 * means that nothing is selected.
 *
 * Signals: "document-changed", "capture-changed", "focus-changed", "values-changed", "step-changed", "numbers-changed",
 * "bookmarks-changed", "logged", "reveal" (box: bring it into view), "problem" (GError: must be shown to the user).
 * Properties: "selected", "hovered", "state", "title", "running", "progress", "fills".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/node-data.h"
#include "app/document/measurement.h"
#include "app/document/run-options.h"
#include "app/document/tensor-name.h"
#include "app/document/values.h"

typedef enum
{
  SCOPE_STATE_EMPTY,   /* no model was opened */
  SCOPE_STATE_LOADING, /* a worker reads the model; an older document may still be there */
  SCOPE_STATE_READY,
  SCOPE_STATE_FAILED, /* see scope_workspace_get_error(); an older document may still be there */
} ScopeState;

#define SCOPE_TYPE_WORKSPACE (scope_workspace_get_type ())
G_DECLARE_FINAL_TYPE (ScopeWorkspace, scope_workspace, SCOPE, WORKSPACE, GObject)

/* An empty workspace. */
ScopeWorkspace *scope_workspace_new (void);

/* --- Opening --- */

/* Opens a file in a worker; "state" and "document-changed" report the outcome.  params: (nullable)
 * the parameter file, by default the one beside the model. */
void scope_workspace_open (ScopeWorkspace *self, GFile *file, const char *params);
/* Shows a document that was not read from a file; NULL: empties the workspace. */
void scope_workspace_show_document (ScopeWorkspace *self, ScopeDocument *document);
/* Reads the open file again. */
void scope_workspace_reload (ScopeWorkspace *self);
/* Cancels opening. */
void scope_workspace_cancel (ScopeWorkspace *self);

/* To be called before scope_workspace_open().  source: (nullable) the name by which the child
 * process opens the model, such as "gallery:lstm-lm"; by default the file's path.  shapes:
 * (nullable) NULL-terminated "NAME=1,3" of inputs, used if the file lacks them and the user has
 * not given others. */
void
scope_workspace_set_source (ScopeWorkspace *self, const char *source, const char *const *shapes);
/* The name by which the child process opens the model; NULL: nothing is open. */
const char *scope_workspace_get_model_name (ScopeWorkspace *self);
/* The title of a model that is read from this file: its name without the usual endings.
 * (transfer full) */
char *scope_workspace_dup_title (GFile *file);

/* The state of the workspace. */
ScopeState  scope_workspace_get_state (ScopeWorkspace *self);
const char *scope_workspace_get_error (ScopeWorkspace *self); /* of the last failed opening */
HybRemedy   scope_workspace_get_error_remedy (ScopeWorkspace *self); /* of the same */
GFile      *scope_workspace_get_file (ScopeWorkspace *self);         /* (nullable) */
/* (nullable) */
ScopeDocument *scope_workspace_get_document (ScopeWorkspace *self);
const char    *scope_workspace_get_title (ScopeWorkspace *self); /* "": untitled */
/* Sets the title that is shown instead of the file's name. */
void scope_workspace_set_title (ScopeWorkspace *self, const char *title);

/* --- Inputs --- */

/* "NAME=1,3" for each input whose whole shape is known, guessed or given: with these a child process
 * sees the shapes that the document shows.  NULL: there is no document. */
const char *const *scope_workspace_get_shapes (ScopeWorkspace *self);
/* The shapes that the user has given.  (nullable) */
const char *const *scope_workspace_get_given_shapes (ScopeWorkspace *self);
/* Sets the shapes that the user gives, "NAME=1,3" or "NAME=1,?", and reads an open model again.  shapes:
 * (nullable) */
void scope_workspace_give_shapes (ScopeWorkspace *self, const char *const *shapes);
/* The first input whose shape is neither known nor guessed.  NULL: none. */
const char *scope_workspace_get_open_input (ScopeWorkspace *self);
/* TRUE if parameters without values are to be filled with random ones. */
gboolean scope_workspace_get_fills (ScopeWorkspace *self);
/* Sets "fills". */
void scope_workspace_set_fills (ScopeWorkspace *self, gboolean fills);
/* TRUE if the model lacks values of parameters and may not be filled with random ones. */
gboolean scope_workspace_lacks_values (ScopeWorkspace *self);

/* --- Selection --- */

/* The selected box, or VIZ_ROOT. */
guint32 scope_workspace_get_selected (ScopeWorkspace *self);
/* Selects a box; VIZ_ROOT clears the selection. */
void scope_workspace_select (ScopeWorkspace *self, guint32 box);
/* Selects the box and emits "reveal", so that views bring it into view. */
void scope_workspace_show (ScopeWorkspace *self, guint32 box);
/* Looks at n rows of the measurement, nodes that ran: selects the box of a single one, or else clears the
 * selection.  reveal: also brings that box into view. */
void scope_workspace_focus (ScopeWorkspace *self, const guint32 *rows, guint n, gboolean reveal);
/* The rows in focus, of guint32, possibly empty: the rows of scope_workspace_focus(), else the
 * first one that computes the node in the selected box.  Owned by the workspace. */
const GArray *scope_workspace_get_focus (ScopeWorkspace *self);
/* Whether the rows were requested, and do not follow from the selection. */
gboolean scope_workspace_is_focus_chosen (ScopeWorkspace *self);
/* The box under the pointer, or VIZ_ROOT. */
guint32 scope_workspace_get_hovered (ScopeWorkspace *self);
/* Sets the box under the pointer; VIZ_ROOT if there is none. */
void scope_workspace_hover (ScopeWorkspace *self, guint32 box);

/* --- Bookmarks --- */

/* TRUE if the user has marked the box. */
gboolean scope_workspace_has_bookmark (ScopeWorkspace *self, guint32 box);
/* Marks the box, or removes its mark; "bookmarks-changed" follows.  Nothing for VIZ_ROOT. */
void scope_workspace_toggle_bookmark (ScopeWorkspace *self, guint32 box);
/* Replaces all bookmarks.  ids: (nullable) NULL-terminated, of boxes. */
void scope_workspace_set_bookmarks (ScopeWorkspace *self, const char *const *ids);
/* The ids, of char *, in the order in which they were added; owned by the workspace. */
const GPtrArray *scope_workspace_get_bookmarks (ScopeWorkspace *self);
/* The boxes of the document that are marked.  (transfer full) array of guint32 */
GArray *scope_workspace_find_bookmarks (ScopeWorkspace *self);

/* --- Log --- */

typedef enum
{
  SCOPE_LOG_NOTE,
  SCOPE_LOG_WARNING,
  SCOPE_LOG_ERROR,
} ScopeLogLevel;

/* Adds a line to the log.  box: the node that it is about, or VIZ_ROOT. */
void scope_workspace_log (ScopeWorkspace *self,
                          ScopeLogLevel   level,
                          guint32         box,
                          const char     *format,
                          ...) G_GNUC_PRINTF (4, 5);
/* A list of ScopeLogItem.  (transfer none) */
GListModel *scope_workspace_get_log (ScopeWorkspace *self);

/* --- Running --- */

/* Starts a run in a child process; needs a document and no other run.  The outcome arrives as
 * "capture-changed" or "problem".  FALSE and an error: there is no hscope, or the launcher cannot
 * be parsed. */
gboolean scope_workspace_run (ScopeWorkspace *self, const ScopeRunOptions *options, GError **error);
/* The first call interrupts the run, which keeps its samples; the second call kills it. */
void scope_workspace_stop_run (ScopeWorkspace *self);
/* TRUE while a run is in progress. */
gboolean    scope_workspace_is_running (ScopeWorkspace *self);
const char *scope_workspace_get_phase (ScopeWorkspace *self);    /* for display; "" if none */
double      scope_workspace_get_progress (ScopeWorkspace *self); /* 0 to 1 */
/* Options of the last run; NULL: nothing was run. */
const ScopeRunOptions *scope_workspace_get_run_options (ScopeWorkspace *self);
/* Where the last run writes its capture; NULL: nothing was run. */
const char *scope_workspace_get_run_path (ScopeWorkspace *self);

/* --- Measurements --- */

/* Reads a capture in a worker and attaches it to the document; "capture-changed" or "problem"
 * reports the outcome.  Does nothing without a document. */
void scope_workspace_open_capture (ScopeWorkspace *self, const char *path);
/* (nullable) */
ScopeMeasurement *scope_workspace_get_measurement (ScopeWorkspace *self);
const char       *scope_workspace_get_capture_path (ScopeWorkspace *self); /* (nullable) */
/* Shows the costs of one traced run, summed in a worker; number: of the run in events, -1: typical ones.
 * "capture-changed" follows. */
void scope_workspace_pick_run (ScopeWorkspace *self, int number);

/* --- Values --- */

/* Statistics of every operator's outputs in the last run; NULL: not recorded, or not read yet. */
const ScopeValues *scope_workspace_get_values (ScopeWorkspace *self);
/* The loop step whose values are shown; n = 0 means the last step. */
const ScopeStepPath *scope_workspace_get_step (ScopeWorkspace *self);
/* step: (nullable) NULL means the last step. */
void scope_workspace_set_step (ScopeWorkspace *self, const ScopeStepPath *step);

/* --- Tensors --- */

/* TRUE if the tensor can be read: a parameter with contents, or a recorded value of the last run. */
gboolean scope_workspace_has_tensor (ScopeWorkspace *self, const ScopeTensorName *name);
/* Reads a whole tensor; for a value in a loop, from the shown step.  A large one is mapped from its file. */
void scope_workspace_read_tensor_async (ScopeWorkspace        *self,
                                        const ScopeTensorName *name,
                                        GCancellable          *cancellable,
                                        GAsyncReadyCallback    callback,
                                        gpointer               user_data);
/* (transfer full) NULL and an error: there is no such tensor, or the run failed or was cancelled. */
HybTensor *
scope_workspace_read_tensor_finish (ScopeWorkspace *self, GAsyncResult *result, GError **error);
/* The workspaces of all models of the window, whose tensors can be compared; of ScopeWorkspace. */
void scope_workspace_set_peers (ScopeWorkspace *self, GListModel *peers);
/* (nullable) (transfer none) */
GListModel *scope_workspace_get_peers (ScopeWorkspace *self);

/* The names of classes, for outputs that are classes; NULL: unknown.  (transfer none) */
const char *const *scope_workspace_get_labels (ScopeWorkspace *self);
/* labels: (nullable) copied */
void scope_workspace_set_labels (ScopeWorkspace *self, const char *const *labels);

/* --- Numbers of the user by node name --- */

/* Reads numbers in a worker; needs a document. */
void scope_workspace_open_numbers_async (ScopeWorkspace     *self,
                                         const char         *path,
                                         GAsyncReadyCallback callback,
                                         gpointer            user_data);
/* Attaches the numbers; "numbers-changed" follows.  FALSE and an error: the file cannot be read, has no numbers or
 * holds a graph (HYB_FORMAT_ERROR_UNKNOWN), or none of its names is in the document.  TRUE without an effect if others were
 * requested since, or another model was opened. */
gboolean
scope_workspace_open_numbers_finish (ScopeWorkspace *self, GAsyncResult *result, GError **error);
/* Forgets the numbers; "numbers-changed" follows. */
void scope_workspace_remove_numbers (ScopeWorkspace *self);
/* The numbers, owned by the workspace; NULL: none. */
const ScopeNodeData *scope_workspace_get_numbers (ScopeWorkspace *self);
/* The file of the numbers, or NULL. */
const char *scope_workspace_get_numbers_path (ScopeWorkspace *self);
/* Computes an overlay of the numbers in a worker; needs a document and numbers.
 * scope_measurement_paint_finish() returns it. */
void scope_workspace_paint_numbers_async (ScopeWorkspace     *self,
                                          VizScale            scale,
                                          GCancellable       *cancellable,
                                          GAsyncReadyCallback callback,
                                          gpointer            user_data);
