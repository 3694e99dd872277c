/* node-tree.c — which boxes are below a box, and the way to one.
 *
 * Rows are made when they are expanded, so that a large model costs no more than the visible rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/models/node-tree.h"

static gboolean
is_listed (ScopeDocument *document, guint32 box)
{
  const VizBox *info = viz_diagram_box (scope_document_get_diagram (document), box);

  return !(info->flags & VIZ_BOX_FOLDED) &&
         (info->n_children > 0 || scope_document_get_place (document, box));
}

GArray *
scope_node_tree_list_children (ScopeDocument *document, guint32 box)
{
  VizDiagram *diagram = scope_document_get_diagram (document);
  GArray     *children = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < viz_diagram_box (diagram, box)->n_children; i++)
    {
      guint32 child = viz_diagram_child (diagram, box, i);

      if (is_listed (document, child))
        g_array_append_val (children, child);
    }
  return children;
}

GListModel *
scope_node_tree_create_children (ScopeNodeItem *item)
{
  ScopeDocument *document = scope_node_item_get_document (item);
  g_autoptr (GArray) children =
      scope_node_tree_list_children (document, scope_node_item_get_box (item));
  ScopeNodeList *list;

  if (children->len == 0)
    return NULL;
  list = scope_node_list_new ();
  scope_node_list_set (list, document, g_steal_pointer (&children));
  return G_LIST_MODEL (list);
}

void
scope_node_tree_expand_open (GtkTreeListModel *tree)
{
  /* The list grows at the rows that are expanded. */
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (tree)); i++)
    {
      g_autoptr (GtkTreeListRow) row = gtk_tree_list_model_get_row (tree, i);
      g_autoptr (ScopeNodeItem) item = gtk_tree_list_row_get_item (row);
      VizDiagram *diagram = scope_document_get_diagram (scope_node_item_get_document (item));

      if (viz_diagram_box (diagram, scope_node_item_get_box (item))->flags & VIZ_BOX_OPEN)
        gtk_tree_list_row_set_expanded (row, TRUE);
    }
}

static guint
find_child (ScopeDocument *document, guint32 parent, guint32 box)
{
  g_autoptr (GArray) children = scope_node_tree_list_children (document, parent);

  for (guint i = 0; i < children->len; i++)
    if (g_array_index (children, guint32, i) == box)
      return i;
  return G_MAXUINT;
}

/* Expands the rows around the row of box, and returns it; NULL if the tree does not list the box.  (transfer full) */
static GtkTreeListRow *
reveal_row (GtkTreeListModel *tree, ScopeDocument *document, guint32 box)
{
  guint32 parent = viz_diagram_box (scope_document_get_diagram (document), box)->parent;
  guint   index = find_child (document, parent, box);
  g_autoptr (GtkTreeListRow) around = NULL;

  if (index == G_MAXUINT)
    return NULL;
  if (parent == VIZ_ROOT)
    return gtk_tree_list_model_get_child_row (tree, index);
  around = reveal_row (tree, document, parent);
  if (!around)
    return NULL;
  gtk_tree_list_row_set_expanded (around, TRUE);
  return gtk_tree_list_row_get_child_row (around, index);
}

guint
scope_node_tree_reveal (GtkTreeListModel *tree, ScopeDocument *document, guint32 box)
{
  g_autoptr (GtkTreeListRow) row = box == VIZ_ROOT ? NULL : reveal_row (tree, document, box);

  return row ? gtk_tree_list_row_get_position (row) : GTK_INVALID_LIST_POSITION;
}
