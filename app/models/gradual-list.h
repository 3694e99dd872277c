/* gradual-list.h — a list model that grows while the main loop is idle.
 *
 * A GtkListView creates about 200 rows at once, visible or not, which would block the main loop.  This
 * model, placed before the selection, starts with a few items, adds the others step by step, and
 * shrinks in the same way while its view is unmapped.
 *
 * Signal "completed": all items are there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#define SCOPE_TYPE_GRADUAL_LIST (scope_gradual_list_get_type ())
G_DECLARE_FINAL_TYPE (ScopeGradualList, scope_gradual_list, SCOPE, GRADUAL_LIST, GObject)

/* source: (transfer full) */
ScopeGradualList *scope_gradual_list_new (GListModel *source);
/* Grows while view is mapped.  view may outlive the list. */
void scope_gradual_list_follow (ScopeGradualList *self, GtkWidget *view);
/* The complete list; (transfer none) */
GListModel *scope_gradual_list_get_source (ScopeGradualList *self);
