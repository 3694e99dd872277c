/* outline-view-private.h — the struct of the outline, and the functions that its files share.
 *
 * Calls go from outline-view.c to outline-view-rows.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/models/node-list.h"
#include "app/views/outline-view.h"

struct _ScopeOutlineView
{
  ScopeView parent_instance;

  /* Borrowed: children */
  GtkListView        *list;
  GtkLabel           *status;
  GtkSingleSelection *selection;
  GtkToggleButton    *bookmarks; /* shows them alone */

  ScopeNodeList    *nodes; /* the hits; without a query all nodes */
  ScopeNodeList    *roots; /* of tree: the hits; without a query the top level */
  GtkTreeListModel *tree;
  GHashTable       *bound;    /* set of GtkListItem * with a row */
  double           *costs;    /* seconds by box of measured; NULL: nothing measured */
  ScopeDocument    *measured; /* borrowed, to compare with */
  GCancellable     *searching;
  char             *query;
  gboolean          is_following, is_filtered;
};

/* Makes the rows of the list.  (transfer full) */
GtkListItemFactory *scope_outline_view_new_factory (ScopeOutlineView *self);
/* Shows bookmarks and costs of the rows that there are anew. */
void scope_outline_view_update_rows (ScopeOutlineView *self);
/* Sums the costs of the workspace's measurement, and shows them. */
void scope_outline_view_update_costs (ScopeOutlineView *self);
