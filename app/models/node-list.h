/* node-list.h — boxes of a diagram as a list: rows are made on demand and cost nothing unseen.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_NODE_ITEM (scope_node_item_get_type ())
G_DECLARE_FINAL_TYPE (ScopeNodeItem, scope_node_item, SCOPE, NODE_ITEM, GObject)

ScopeDocument *scope_node_item_get_document (ScopeNodeItem *self);
guint32        scope_node_item_get_box (ScopeNodeItem *self);

#define SCOPE_TYPE_NODE_LIST (scope_node_list_get_type ())
G_DECLARE_FINAL_TYPE (ScopeNodeList, scope_node_list, SCOPE, NODE_LIST, GObject)

ScopeNodeList *scope_node_list_new (void);
/* boxes: (transfer full) GArray of guint32; both NULL: empty. */
void    scope_node_list_set (ScopeNodeList *self, ScopeDocument *document, GArray *boxes);
guint32 scope_node_list_get_box (ScopeNodeList *self, guint index);
guint   scope_node_list_get_n (ScopeNodeList *self);
/* G_MAXUINT: not there. */
guint          scope_node_list_find (ScopeNodeList *self, guint32 box);
const guint32 *scope_node_list_get_boxes (ScopeNodeList *self);

G_END_DECLS
