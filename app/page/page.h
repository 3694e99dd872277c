/* page.h — one tab: a workspace with all its views.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/graph-view.h"
#include "app/views/operators-view.h"
#include "app/views/outline-view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_PAGE (scope_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopePage, scope_page, SCOPE, PAGE, AdwBin)

GtkWidget      *scope_page_new (void);
ScopeWorkspace *scope_page_get_workspace (ScopePage *self);
ScopeGraphView *scope_page_get_graph_view (ScopePage *self);
/* The one that is seen: that, or the graph after a pass. */
ScopeGraphView     *scope_page_get_shown_view (ScopePage *self);
ScopeOutlineView   *scope_page_get_outline_view (ScopePage *self);
ScopeOperatorsView *scope_page_get_operators_view (ScopePage *self);
void                scope_page_open (ScopePage *self, GFile *file);
/* A sentence above the graph, with a way out: action may be NULL. */
void
scope_page_show_message (ScopePage *self, const char *text, const char *label, const char *action);
/* FALSE: could not be started; the page says why. */
gboolean scope_page_run (ScopePage *self, const ScopeRunOptions *options);
/* One of the lower panel: "operators", "timeline", "memory", "findings", "passes", "log". */
void scope_page_show_view (ScopePage *self, const char *name);
void scope_page_search (ScopePage *self, const char *query);
void scope_page_step_search (ScopePage *self, int direction);
/* page-form.c: "unrolled", "foreach", …; NULL: nothing in it is recurrent. */
const char *scope_page_get_form (ScopePage *self);
/* What proves that it computes what it was written from; NULL: it was written by somebody else. */
const char *scope_page_get_proof (ScopePage *self);
/* The same for all pages of one model. */
const char *scope_page_get_family (ScopePage *self);
const char *scope_page_get_family_title (ScopePage *self);
void scope_page_set_family (ScopePage *self, ScopePage *from, const char *form, const char *proof);

/* page-again.c: where from was measured and this is not, measures it in the same way. */
void scope_page_remeasure (ScopePage *self, ScopePage *from);

/* The state of view into the workspace file; when the tab is closed, or asked for. */
void scope_page_save_state (ScopePage *self);
/* The same, only if it has changed, and without waiting for the disk. */
void scope_page_autosave (ScopePage *self);

G_END_DECLS
