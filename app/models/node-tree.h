/* node-tree.h — the boxes of a diagram as a tree: groups and loops with what is in them.
 *
 * The items of the rows are ScopeNodeItem.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/models/node-list.h"

#include <gtk/gtk.h>

/* What the tree shows below box, VIZ_ROOT for the top level: nodes, and groups that hold some; weights that are drawn as
 * rows of their consumers are left out.  (transfer full) array of guint32 */
GArray *scope_node_tree_list_children (ScopeDocument *document, guint32 box);
/* For GtkTreeListModelCreateModelFunc.  NULL: nothing is in the item's box.  (transfer full) */
GListModel *scope_node_tree_create_children (ScopeNodeItem *item);
/* Expands the rows of groups that the first picture of the document shows open. */
void scope_node_tree_expand_open (GtkTreeListModel *tree);
/* Expands what is around box.  The position of its row; GTK_INVALID_LIST_POSITION if the tree does not show it. */
guint scope_node_tree_reveal (GtkTreeListModel *tree, ScopeDocument *document, guint32 box);
