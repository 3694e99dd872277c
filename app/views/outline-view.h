/* outline-view.h — all nodes as a list, searched.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_OUTLINE_VIEW (scope_outline_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeOutlineView, scope_outline_view, SCOPE, OUTLINE_VIEW, ScopeView)

/* Shows what a query finds; "" or NULL: everything.  Signal "found" when boxes change. */
void scope_outline_view_search (ScopeOutlineView *self, const char *query);
const guint32 *
scope_outline_view_get_hits (ScopeOutlineView *self, guint *n); /* n 0: all, or none */
/* The next (1) or previous (-1) hit is shown. */
void  scope_outline_view_step (ScopeOutlineView *self, int direction);
guint scope_outline_view_n_shown (ScopeOutlineView *self);

G_END_DECLS
