/* page.h — one tab: a workspace with all its views, or the start page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/graph-view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_PAGE (scope_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopePage, scope_page, SCOPE, PAGE, AdwBin)

GtkWidget      *scope_page_new (void);
ScopeWorkspace *scope_page_get_workspace (ScopePage *self);
ScopeGraphView *scope_page_get_graph_view (ScopePage *self);
void            scope_page_open (ScopePage *self, GFile *file);
/* A sentence above the graph, with a way out: action may be NULL. */
void scope_page_say (ScopePage *self, const char *text, const char *label, const char *action);

G_END_DECLS
