/* outline-view-rows.c — the rows of the outline: title, shape, name, star of a bookmark, and share of the run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/outline-view-private.h"

#include "app/widgets/cell.h"
#include "app/widgets/label.h"
#include "engine/graph/roles.h"

#include <glib/gi18n.h>

#define MAX_SHAPE_CHARS 20 /* of the least width of a row */

/* --- Costs --- */

typedef struct
{
  const ScopeMeasurement *measurement;
  VizDiagram             *diagram;
  double                 *costs;
} Costs;

/* Adds the time to the box of the node and to all groups around it. */
static void
add_share (const ProfOrigin *origin, double seconds, gpointer data)
{
  const Costs *self = data;

  for (guint32 around = scope_measurement_get_box (self->measurement, origin->of);
       around != VIZ_ROOT; around = viz_diagram_box (self->diagram, around)->parent)
    self->costs[around] += seconds;
}

/* The seconds of all boxes: of nodes with all that computes them, and of groups their sum; first of a run. */
static double *
sum_costs (ScopeDocument *document, ScopeMeasurement *measurement)
{
  VizDiagram *diagram = scope_document_get_diagram (document);
  Costs       self = { measurement, diagram, g_new0 (double, viz_diagram_n_boxes (diagram)) };

  self.costs[VIZ_ROOT] = scope_measurement_get_summary (measurement)->traced;
  scope_measurement_share_out (measurement, add_share, &self);
  return self.costs;
}

/* The share of the run: "14 %"; NULL for a box that did not run.  (transfer full) */
static char *
dup_cost (const ScopeOutlineView *self, ScopeNodeItem *item)
{
  guint32 box = scope_node_item_get_box (item);
  double  share;

  /* Rows of the document before are shown until the search has ended. */
  if (!self->costs || self->measured != scope_node_item_get_document (item) ||
      !(self->costs[box] > 0) || !(self->costs[VIZ_ROOT] > 0))
    return NULL;
  share = self->costs[box] / self->costs[VIZ_ROOT];
  return share < 0.005 ? g_strdup ("< 1 %") : g_strdup_printf ("%.0f %%", 100 * share);
}

/* --- Rows --- */

static void
on_setup (GtkSignalListItemFactory *factory G_GNUC_UNUSED,
          GtkListItem                      *cell,
          gpointer data                     G_GNUC_UNUSED)
{
  GtkWidget *expander = gtk_tree_expander_new ();
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *star = gtk_image_new_from_icon_name ("starred-symbolic");
  GtkWidget *cost = scope_cell_new (5, 5, TRUE);

  gtk_box_append (GTK_BOX (head), scope_cell_new (6, 12, FALSE));
  gtk_widget_set_hexpand (gtk_widget_get_first_child (head), TRUE);
  gtk_box_append (GTK_BOX (head), scope_label_new (NULL, "dim-label"));
  gtk_widget_add_css_class (gtk_widget_get_last_child (head), "numeric");
  gtk_widget_set_name (gtk_widget_get_last_child (head), "outline-shape");
  gtk_box_append (GTK_BOX (texts), head);
  gtk_box_append (GTK_BOX (texts), scope_cell_new (8, 24, FALSE));
  gtk_widget_add_css_class (gtk_widget_get_last_child (texts), "dim-label");
  gtk_widget_add_css_class (gtk_widget_get_last_child (texts), "caption");
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (cost, "caption");
  gtk_box_append (GTK_BOX (row), texts);
  gtk_box_append (GTK_BOX (row), star);
  gtk_box_append (GTK_BOX (row), cost);
  gtk_widget_add_css_class (expander, "outline-row");
  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), row);
  gtk_list_item_set_child (cell, expander);
}

/* The star of a bookmark, and the cost. */
static void
show_marks (ScopeOutlineView *self, GtkListItem *cell)
{
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (cell));
  GtkWidget       *cost = gtk_widget_get_last_child (gtk_tree_expander_get_child (expander));
  g_autoptr (ScopeNodeItem) item = gtk_tree_expander_get_item (expander);
  g_autofree char *text = item ? dup_cost (self, item) : NULL;
  ScopeWorkspace  *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  gtk_widget_set_visible (gtk_widget_get_prev_sibling (cost),
                          item && workspace &&
                              scope_node_item_get_document (item) ==
                                  scope_workspace_get_document (workspace) &&
                              scope_workspace_has_bookmark (workspace,
                                                            scope_node_item_get_box (item)));

  gtk_widget_set_visible (cost, text != NULL);
  scope_cell_set_text (SCOPE_CELL (cost), text);
}

/* The name below the title.  If the title is the name, the purpose of the node; NULL for a group, whose id only states
 * how it was found. (transfer none) */
static const char *
find_subtitle (ScopeDocument *document, guint32 box)
{
  const VizBox     *info = viz_diagram_box (scope_document_get_diagram (document), box);
  const ScopePlace *place = scope_document_get_place (document, box);
  gboolean          is_given;

  if (!place || g_strcmp0 (info->title, info->id) != 0 ||
      !hyb_node_is_variable (hyb_graph_get_node (place->graph, place->node)))
    return place ? info->id : NULL;
  is_given = hyb_model_get_parameter (scope_document_get_model (document), info->id) != NULL;
  return gettext (hyb_role_name (hyb_graph_get_role (place->graph, place->node, is_given)));
}

/* A shape that is cut looks like another one, so it takes its room from the title unless it is very long. */
static void
show_shape (GtkLabel *label, const char *shape)
{
  gboolean is_long = shape && g_utf8_strlen (shape, -1) > MAX_SHAPE_CHARS;

  gtk_label_set_ellipsize (label, is_long ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars (label, is_long ? MAX_SHAPE_CHARS : -1);
  gtk_label_set_text (label, shape);
  gtk_widget_set_visible (GTK_WIDGET (label), shape != NULL);
}

static void
on_bind (GtkSignalListItemFactory *factory G_GNUC_UNUSED, GtkListItem *cell, gpointer data)
{
  ScopeOutlineView *self = data;
  GtkTreeExpander  *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (cell));
  GtkWidget        *texts = gtk_widget_get_first_child (gtk_tree_expander_get_child (expander));
  GtkWidget        *head = gtk_widget_get_first_child (texts);
  GtkWidget        *shape = gtk_widget_get_last_child (head);
  GtkWidget        *name = gtk_widget_get_next_sibling (head);
  GtkTreeListRow   *row = gtk_list_item_get_item (cell);
  g_autoptr (ScopeNodeItem) item = gtk_tree_list_row_get_item (row);
  ScopeDocument *document = scope_node_item_get_document (item);
  guint32        box = scope_node_item_get_box (item);
  const VizBox  *info = viz_diagram_box (scope_document_get_diagram (document), box);
  const char    *subtitle = find_subtitle (document, box);

  gtk_tree_expander_set_list_row (expander, row);
  scope_cell_set_text (SCOPE_CELL (gtk_widget_get_first_child (head)), info->title);
  show_shape (GTK_LABEL (shape), info->shape);
  gtk_widget_set_visible (name, subtitle != NULL);
  scope_cell_set_text (SCOPE_CELL (name), subtitle);
  show_marks (self, cell);
  g_hash_table_add (self->bound, cell);
}

static void
on_unbind (GtkSignalListItemFactory *factory G_GNUC_UNUSED, GtkListItem *cell, gpointer data)
{
  ScopeOutlineView *self = data;

  if (self->bound)
    g_hash_table_remove (self->bound, cell);
  gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (gtk_list_item_get_child (cell)), NULL);
}

void
scope_outline_view_update_rows (ScopeOutlineView *self)
{
  GHashTableIter iter;
  gpointer       cell;

  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &cell, NULL))
    show_marks (self, cell);
}

void
scope_outline_view_update_costs (ScopeOutlineView *self)
{
  ScopeWorkspace   *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  ScopeDocument    *document = scope_view_get_document (SCOPE_VIEW (self));
  ScopeMeasurement *measurement = workspace ? scope_workspace_get_measurement (workspace) : NULL;

  g_clear_pointer (&self->costs, g_free);
  if (document && measurement)
    self->costs = sum_costs (document, measurement);
  self->measured = document;
  scope_outline_view_update_rows (self);
}

GtkListItemFactory *
scope_outline_view_new_factory (ScopeOutlineView *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, 0);
  return factory;
}
