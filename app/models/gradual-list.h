/* gradual-list.h — a long list that comes into sight bit by bit.
 *
 * A GtkListView makes some two hundred rows at once, however few of them are in sight.  For that
 * long, nothing else would happen.  This list, put before the selection, begins with a few and
 * adds to them while the main loop is idle; and it goes the same way when nobody looks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_GRADUAL_LIST (scope_gradual_list_get_type ())
G_DECLARE_FINAL_TYPE (ScopeGradualList, scope_gradual_list, SCOPE, GRADUAL_LIST, GObject)

/* source: (transfer full).  Signal "completed": all of it is there. */
ScopeGradualList *scope_gradual_list_new (GListModel *source);
/* view: which shows the list; (transfer none), it may outlive it. */
void scope_gradual_list_follow (ScopeGradualList *self, GtkWidget *view);
/* All items, whoever looks.  (transfer none) */
GListModel *scope_gradual_list_get_source (ScopeGradualList *self);

G_END_DECLS
