/* columns.c — tables: filter, sort, gradual list and selection behind a GtkColumnView.
 *
 * Start reading with scope_columns_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/columns.h"

#include "app/widgets/cell.h"
#include "app/widgets/tooltip.h"

static void
on_setup (GtkSignalListItemFactory *factory G_GNUC_UNUSED, GtkListItem *cell, gpointer data)
{
  const ScopeColumn *column = data;

  guint natural = column->natural_chars ? column->natural_chars : column->is_number ? 9 : 24;

  gtk_list_item_set_child (cell, scope_cell_new (5, natural, column->is_number));
}

static void
on_bind (GtkSignalListItemFactory *factory G_GNUC_UNUSED, GtkListItem *cell, gpointer data)
{
  const ScopeColumn *column = data;
  GtkWidget         *child = gtk_list_item_get_child (cell);
  g_autofree char   *text = column->text (gtk_list_item_get_item (cell));

  scope_cell_set_text (SCOPE_CELL (child), text);
  if (column->part)
    scope_cell_set_part (SCOPE_CELL (child), column->part (gtk_list_item_get_item (cell)));
  if (!column->is_number)
    scope_tooltip_set_whole (child, text, scope_cell_is_cut);
}

static void
add_column (GtkColumnView *view, const ScopeColumn *info)
{
  GtkListItemFactory  *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column;

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), (gpointer) info);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), (gpointer) info);
  column = gtk_column_view_column_new (info->title, factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_expand (column, info->expands);
  if (info->compare)
    {
      GtkSorter *sorter = GTK_SORTER (gtk_custom_sorter_new (info->compare, NULL, NULL));

      gtk_column_view_column_set_sorter (column, sorter);
      g_object_unref (sorter);
    }
  gtk_column_view_append_column (view, column);
  g_object_unref (column);
}

/* Aligns titles of number columns to the right.  GTK has no API for it, so this relies on the structure of
 * the header. */
static void
align_titles (GtkColumnView *view, const ScopeColumn *columns, guint n_columns)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (view));
  GtkWidget *title = header ? gtk_widget_get_first_child (header) : NULL;

  for (guint i = 0; i < n_columns && title; i++)
    {
      GtkWidget *box = gtk_widget_get_first_child (title);

      if (columns[i].is_number && box)
        gtk_widget_set_halign (box, GTK_ALIGN_END);
      title = gtk_widget_get_next_sibling (title);
    }
}

/* The list that takes the focus is named by its columns. */
static void
name_list (GtkColumnView *view, const ScopeColumn *columns, guint n_columns)
{
  GtkWidget *list = gtk_widget_get_last_child (GTK_WIDGET (view));
  GString   *name = g_string_new (NULL);

  for (guint i = 0; i < n_columns; i++)
    g_string_append_printf (name, "%s%s", i > 0 ? ", " : "", columns[i].title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, name->str,
                                  -1);
  g_string_free (name, TRUE);
}

GtkWidget *
scope_columns_new (GListModel        *model,
                   const ScopeColumn *columns,
                   guint              n_columns,
                   GtkFilter         *filter)
{
  GtkColumnView      *view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  GtkFilterListModel *filtered = gtk_filter_list_model_new (g_object_ref (model), filter);
  GtkSortListModel   *sorted;
  ScopeGradualList   *rows;
  GtkSingleSelection *selection;

  for (guint i = 0; i < n_columns; i++)
    add_column (view, &columns[i]);
  align_titles (view, columns, n_columns);
  name_list (view, columns, n_columns);
  gtk_filter_list_model_set_incremental (filtered, TRUE);
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (filtered),
                                    g_object_ref (gtk_column_view_get_sorter (view)));
  gtk_sort_list_model_set_incremental (sorted, TRUE);
  rows = scope_gradual_list_new (G_LIST_MODEL (sorted));
  scope_gradual_list_follow (rows, GTK_WIDGET (view));
  selection = gtk_single_selection_new (G_LIST_MODEL (rows));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  gtk_widget_add_css_class (GTK_WIDGET (view), "data-table");
  return GTK_WIDGET (view);
}

ScopeGradualList *
scope_columns_get_rows (GtkColumnView *view)
{
  return SCOPE_GRADUAL_LIST (
      gtk_single_selection_get_model (GTK_SINGLE_SELECTION (gtk_column_view_get_model (view))));
}

char *
scope_columns_to_text (GtkColumnView *view, const ScopeColumn *columns, guint n_columns)
{
  GListModel *model = scope_gradual_list_get_source (scope_columns_get_rows (view));
  GString    *text = g_string_new (NULL);

  for (guint c = 0; c < n_columns; c++)
    g_string_append_printf (text, "%s%s", c > 0 ? "\t" : "", columns[c].title);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (model, i);

      for (guint c = 0; c < n_columns; c++)
        {
          g_autofree char *cell = columns[c].text (item);

          g_string_append_printf (text, "%s%s", c > 0 ? "\t" : "", cell);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

gboolean
scope_columns_select (GtkColumnView *view,
                      gboolean (*matches) (gpointer item, gpointer data),
                      gpointer data)
{
  GtkSelectionModel *model = gtk_column_view_get_model (view);
  GListModel        *items = scope_gradual_list_get_source (scope_columns_get_rows (view));
  guint              n = g_list_model_get_n_items (items);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (items, i);

      if (matches (item, data))
        return gtk_selection_model_select_item (model, i, TRUE);
    }
  gtk_selection_model_unselect_all (model);
  return FALSE;
}
