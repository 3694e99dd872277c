/* outline-view.h — the list of nodes, and the search.
 *
 * Signal "found": the list has changed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_OUTLINE_VIEW (scope_outline_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeOutlineView, scope_outline_view, SCOPE, OUTLINE_VIEW, ScopeView)

/* Lists the nodes that match a query (see adapt/find.h); "" lists all. */
void scope_outline_view_search (ScopeOutlineView *self, const char *query);
/* The boxes that match the last query, owned by the view; n is 0 without a query. */
const guint32 *scope_outline_view_get_hits (ScopeOutlineView *self, guint *n);
/* Shows the next (1) or previous (-1) node of the list. */
void scope_outline_view_step (ScopeOutlineView *self, int direction);
/* The length of the list. */
guint scope_outline_view_n_shown (ScopeOutlineView *self);
