/* node-list.h — boxes of a diagram as a GListModel; items are created on demand.
 *
 * Replacing the boxes emits one change of the whole list.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

#define SCOPE_TYPE_NODE_ITEM (scope_node_item_get_type ())
G_DECLARE_FINAL_TYPE (ScopeNodeItem, scope_node_item, SCOPE, NODE_ITEM, GObject)

/* The document that the item belongs to, owned by the item. */
ScopeDocument *scope_node_item_get_document (ScopeNodeItem *self);
/* The box of the item. */
guint32 scope_node_item_get_box (ScopeNodeItem *self);

#define SCOPE_TYPE_NODE_LIST (scope_node_list_get_type ())
G_DECLARE_FINAL_TYPE (ScopeNodeList, scope_node_list, SCOPE, NODE_LIST, GObject)

/* Empty; (transfer full) */
ScopeNodeList *scope_node_list_new (void);
/* boxes: (transfer full) array of guint32; both NULL empties the list. */
void scope_node_list_set (ScopeNodeList *self, ScopeDocument *document, GArray *boxes);
/* The box at an index of the list. */
guint32 scope_node_list_get_box (ScopeNodeList *self, guint index);
/* The length of the list. */
guint scope_node_list_get_n (ScopeNodeList *self);
/* The index of a box; G_MAXUINT: it is not in the list. */
guint scope_node_list_find (ScopeNodeList *self, guint32 box);
/* All boxes, owned by the list. */
const guint32 *scope_node_list_get_boxes (ScopeNodeList *self);
