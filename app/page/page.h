/* page.h — one tab of the window: a workspace and the views of it.
 *
 * The page owns the workspace, places the views listed in page-views.c and shows messages above
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/graph-view.h"

#define SCOPE_TYPE_PAGE (scope_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopePage, scope_page, SCOPE, PAGE, AdwBin)

/* With an empty workspace; (transfer floating) */
GtkWidget *scope_page_new (void);
/* The workspace of the page, owned by the page. */
ScopeWorkspace *scope_page_get_workspace (ScopePage *self);
/* Opens a model in the page's workspace.  params: (nullable) the parameter file, by default the one beside it. */
void scope_page_open (ScopePage *self, GFile *file, const char *params);

/* --- Views --- */

/* A view by its name in the table of page-views.c, such as "operators", or NULL. */
ScopeView *scope_page_get_view (ScopePage *self, const char *name);
/* The view of the model's graph. */
ScopeGraphView *scope_page_get_graph_view (ScopePage *self);
/* The visible graph: the model's, or the graph after a pass. */
ScopeGraphView *scope_page_get_shown_view (ScopePage *self);
/* Where messages lie over the graph, relative to another widget.  FALSE: there are none. */
gboolean scope_page_find_messages (ScopePage *self, GtkWidget *relative, graphene_rect_t *area);
/* Opens the lower panel at a view: "operators", "timeline", "values", "memory", "findings", "passes", "log". */
void scope_page_show_view (ScopePage *self, const char *name);
/* Searches the graph, showing hits in the outline; "" ends the search. */
void scope_page_search (ScopePage *self, const char *query);
/* Selects the next (1) or previous (-1) hit. */
void scope_page_step_search (ScopePage *self, int direction);

/* --- Messages and runs --- */

/* Shows a message above the views, NULL hides it.  label, action: (nullable) a button that activates
 * the action, "win.convert::unrolled" with a target. */
void
scope_page_show_message (ScopePage *self, const char *text, const char *label, const char *action);
/* The same for good news, in another colour. */
void
scope_page_show_success (ScopePage *self, const char *text, const char *label, const char *action);
/* Shows why something failed, with a button for the remedy of the error and one that shows its node.  An error
 * without a remedy has a button for the log. */
void scope_page_show_error (ScopePage *self, const GError *error);
/* FALSE: not started, because nothing is open, a run is in progress, or hscope is missing; the page
 * shows why. */
gboolean scope_page_run (ScopePage *self, const ScopeRunOptions *options);
/* Measures this page as from was measured, if from was, this page was not, and the setting
 * "measure-forms" is on.  Runs on other hosts are never started automatically. */
void scope_page_remeasure (ScopePage *self, ScopePage *from);

/* --- Forms --- */

/* The form of the model, "unrolled", "foreach", …; NULL: the model is not recurrent. */
const char *scope_page_get_form (ScopePage *self);
/* How the form was proved equal to the model it was converted from; NULL: it was not converted. */
const char *scope_page_get_proof (ScopePage *self);
/* Identifies the model; equal for all pages that show forms of it. */
const char *scope_page_get_family (ScopePage *self);
/* The title that all forms of the model share. */
const char *scope_page_get_family_title (ScopePage *self);
/* Declares that self shows the model of from in another form. */
void scope_page_set_family (ScopePage *self, ScopePage *from, const char *form, const char *proof);

/* --- State of the views --- */

/* Writes folds, camera, selection and capture to the workspace file. */
void scope_page_save_state (ScopePage *self);
/* The same, if they have changed since the last writing. */
void scope_page_autosave (ScopePage *self);
