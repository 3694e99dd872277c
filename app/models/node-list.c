/* node-list.c — boxes of a diagram as a GListModel, and its items.
 *
 * An item refers to the document and to its box only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/models/node-list.h"

struct _ScopeNodeItem
{
  GObject        parent_instance;
  ScopeDocument *document;
  guint32        box;
};

G_DEFINE_FINAL_TYPE (ScopeNodeItem, scope_node_item, G_TYPE_OBJECT)

static void
scope_node_item_finalize (GObject *object)
{
  g_clear_pointer (&SCOPE_NODE_ITEM (object)->document, scope_document_unref);
  G_OBJECT_CLASS (scope_node_item_parent_class)->finalize (object);
}

static void
scope_node_item_class_init (ScopeNodeItemClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_node_item_finalize;
}

static void
scope_node_item_init (ScopeNodeItem *self G_GNUC_UNUSED)
{
}

ScopeDocument *
scope_node_item_get_document (ScopeNodeItem *self)
{
  return self->document;
}

guint32
scope_node_item_get_box (ScopeNodeItem *self)
{
  return self->box;
}

struct _ScopeNodeList
{
  GObject        parent_instance;
  ScopeDocument *document;
  GArray        *boxes;
};

static GType
scope_node_list_get_item_type (GListModel *model G_GNUC_UNUSED)
{
  return SCOPE_TYPE_NODE_ITEM;
}

static guint
scope_node_list_get_n_items (GListModel *model)
{
  return scope_node_list_get_n (SCOPE_NODE_LIST (model));
}

static gpointer
scope_node_list_get_item (GListModel *model, guint position)
{
  ScopeNodeList *self = SCOPE_NODE_LIST (model);
  ScopeNodeItem *item;

  if (position >= scope_node_list_get_n (self))
    return NULL;
  item = g_object_new (SCOPE_TYPE_NODE_ITEM, NULL);
  item->document = scope_document_ref (self->document);
  item->box = g_array_index (self->boxes, guint32, position);
  return item;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = scope_node_list_get_item_type;
  interface->get_n_items = scope_node_list_get_n_items;
  interface->get_item = scope_node_list_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (ScopeNodeList,
                               scope_node_list,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
scope_node_list_finalize (GObject *object)
{
  ScopeNodeList *self = SCOPE_NODE_LIST (object);

  g_clear_pointer (&self->document, scope_document_unref);
  g_clear_pointer (&self->boxes, g_array_unref);
  G_OBJECT_CLASS (scope_node_list_parent_class)->finalize (object);
}

static void
scope_node_list_class_init (ScopeNodeListClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_node_list_finalize;
}

static void
scope_node_list_init (ScopeNodeList *self G_GNUC_UNUSED)
{
}

ScopeNodeList *
scope_node_list_new (void)
{
  return g_object_new (SCOPE_TYPE_NODE_LIST, NULL);
}

void
scope_node_list_set (ScopeNodeList *self, ScopeDocument *document, GArray *boxes)
{
  guint removed = scope_node_list_get_n (self);

  g_clear_pointer (&self->document, scope_document_unref);
  g_clear_pointer (&self->boxes, g_array_unref);
  self->document = document ? scope_document_ref (document) : NULL;
  self->boxes = boxes;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, removed, scope_node_list_get_n (self));
}

guint32
scope_node_list_get_box (ScopeNodeList *self, guint index)
{
  return g_array_index (self->boxes, guint32, index);
}

guint
scope_node_list_get_n (ScopeNodeList *self)
{
  return self->boxes ? self->boxes->len : 0;
}

guint
scope_node_list_find (ScopeNodeList *self, guint32 box)
{
  for (guint i = 0; i < scope_node_list_get_n (self); i++)
    if (scope_node_list_get_box (self, i) == box)
      return i;
  return G_MAXUINT;
}

const guint32 *
scope_node_list_get_boxes (ScopeNodeList *self)
{
  return self->boxes ? (const guint32 *) (gpointer) self->boxes->data : NULL;
}
