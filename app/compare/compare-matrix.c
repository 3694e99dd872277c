/* compare-matrix.c — a table whose rows can be chosen.
 *
 * Activating a row chooses it and gives up the row that was chosen first, so that two clicks choose a
 * pair.  Start reading with scope_compare_matrix_new() and on_row().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-matrix.h"

#include "app/widgets/label.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>

#define CELL_WIDTH 110

struct _ScopeCompareMatrix
{
  AdwBin      parent_instance;
  char       *chosen[2]; /* names of rows, the older choice first; NULL: fewer are chosen */
  GtkListBox *list;      /* borrowed: child */
};

G_DEFINE_FINAL_TYPE (ScopeCompareMatrix, scope_compare_matrix, ADW_TYPE_BIN)

static guint chosen_signal;

/* --- Choosing --- */

static gboolean
is_chosen (ScopeCompareMatrix *self, const char *name)
{
  return g_strcmp0 (self->chosen[0], name) == 0 || g_strcmp0 (self->chosen[1], name) == 0;
}

static void
update_rows (ScopeCompareMatrix *self)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row;
       row = gtk_widget_get_next_sibling (row))
    {
      gboolean   is_on = is_chosen (self, gtk_widget_get_name (row));
      GtkWidget *mark = g_object_get_data (G_OBJECT (row), "mark");

      if (!mark)
        continue;
      gtk_widget_set_opacity (mark, is_on ? 1 : 0);
      if (is_on)
        gtk_widget_add_css_class (row, "chosen");
      else
        gtk_widget_remove_css_class (row, "chosen");
      gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_SELECTED, is_on, -1);
    }
}

/* The row takes the place of the older choice; a row that is the older choice becomes the newer one. */
static void
on_row (GtkListBox *list G_GNUC_UNUSED, GtkListBoxRow *row, gpointer data)
{
  ScopeCompareMatrix *self = data;
  const char         *name = gtk_widget_get_name (GTK_WIDGET (row));

  if (g_strcmp0 (self->chosen[1], name) == 0)
    return;
  g_free (self->chosen[0]);
  self->chosen[0] = self->chosen[1];
  self->chosen[1] = g_strdup (name);
  update_rows (self);
  g_signal_emit (self, chosen_signal, 0);
}

void
scope_compare_matrix_choose (ScopeCompareMatrix *self, const char *first, const char *second)
{
  g_free (self->chosen[0]);
  g_free (self->chosen[1]);
  self->chosen[0] = g_strdup (first);
  self->chosen[1] = g_strdup (second);
  update_rows (self);
}

gboolean
scope_compare_matrix_get_chosen (ScopeCompareMatrix *self, const char *names[2])
{
  names[0] = self->chosen[0];
  names[1] = self->chosen[1];
  return names[0] && names[1];
}

/* --- Rows --- */

/* Lines beside each other; the first is the main one. */
static GtkWidget *
new_lines (const ScopeCell *cell)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_auto (GStrv) texts = g_strsplit (cell->text, "\n", -1);

  for (guint i = 0; texts[i]; i++)
    {
      GtkWidget *label = scope_label_new (texts[i], i > 0           ? "dim-label"
                                                    : cell->is_best ? "heading"
                                                                    : NULL);

      gtk_widget_add_css_class (label, "numeric");
      gtk_widget_set_hexpand (label, i == 0);
      gtk_box_append (GTK_BOX (line), label);
    }
  return line;
}

/* A number with a bar as long as its share. */
static GtkWidget *
new_cell (const ScopeCell *cell)
{
  GtkWidget *box, *meter;

  if (!(cell->share > 0))
    return scope_label_new (cell->text, "dim-label");
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  meter = gtk_progress_bar_new ();
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (meter), MIN (cell->share, 1));
  gtk_accessible_update_property (GTK_ACCESSIBLE (meter), GTK_ACCESSIBLE_PROPERTY_LABEL, cell->text,
                                  -1);
  gtk_box_append (GTK_BOX (box), new_lines (cell));
  gtk_box_append (GTK_BOX (box), meter);
  scope_tooltip_set (box, cell->hint);
  return box;
}

/* groups: of GtkSizeGroup, one for each column. */
static void
append_column (GtkWidget *line, GtkWidget *widget, const GPtrArray *groups, guint index)
{
  gtk_size_group_add_widget (groups->pdata[index], widget);
  if (index > 0)
    {
      gtk_widget_set_size_request (widget, CELL_WIDTH, -1);
      gtk_widget_set_hexpand (widget, TRUE);
    }
  gtk_box_append (GTK_BOX (line), widget);
}

/* An empty row with the place of its mark. */
static GtkWidget *
add_line (ScopeCompareMatrix *self, GtkWidget **line)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *mark = gtk_image_new_from_icon_name ("object-select-symbolic");

  *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_widget_add_css_class (*line, "matrix-row");
  gtk_widget_set_opacity (mark, 0);
  gtk_box_append (GTK_BOX (*line), mark);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), *line);
  gtk_list_box_append (self->list, row);
  return row;
}

static void
add_titles (ScopeCompareMatrix *self, const ScopeTable *table, const GPtrArray *groups)
{
  GtkWidget *line, *row = add_line (self, &line);

  for (guint i = 0; i < table->columns->len; i++)
    append_column (line,
                   scope_label_new (g_array_index (table->columns, ScopeTableColumn, i).title,
                                    "dim-label"),
                   groups, i);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_widget_set_focusable (row, FALSE);
}

static void
add_row (ScopeCompareMatrix *self, const ScopeTable *table, guint index, const GPtrArray *groups)
{
  const ScopeCell *title = scope_table_get (table, index, 0);
  GtkWidget       *line, *row = add_line (self, &line);
  GtkWidget       *label = scope_label_new (title->text, NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), (int) MIN (g_utf8_strlen (title->text, -1), 16));
  gtk_label_set_max_width_chars (GTK_LABEL (label), 28);
  append_column (line, label, groups, 0);
  for (guint i = 1; i < table->columns->len; i++)
    append_column (line, new_cell (scope_table_get (table, index, i)), groups, i);
  gtk_widget_set_name (row, title->name);
  g_object_set_data (G_OBJECT (row), "mark", gtk_widget_get_first_child (line));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title->text,
                                  -1);
}

static void
fill (ScopeCompareMatrix *self, const ScopeTable *table)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < table->columns->len; i++)
    g_ptr_array_add (groups, gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL));
  if (scope_table_has_titles (table))
    add_titles (self, table, groups);
  for (guint i = 0; i < scope_table_n_rows (table); i++)
    add_row (self, table, i, groups);
}

/* --- Object --- */

static void
scope_compare_matrix_finalize (GObject *object)
{
  ScopeCompareMatrix *self = SCOPE_COMPARE_MATRIX (object);

  g_free (self->chosen[0]);
  g_free (self->chosen[1]);
  G_OBJECT_CLASS (scope_compare_matrix_parent_class)->finalize (object);
}

static void
scope_compare_matrix_class_init (ScopeCompareMatrixClass *class)
{
  G_OBJECT_CLASS (class)->finalize = scope_compare_matrix_finalize;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_compare_matrix_init (ScopeCompareMatrix *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_set_name (GTK_WIDGET (self->list), "compare-matrix");
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "compare-matrix");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Time of a run of each form"), -1);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row), self);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_widget_add_css_class (scroller, "cut");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
scope_compare_matrix_new (const ScopeTable *table)
{
  ScopeCompareMatrix *self = g_object_new (SCOPE_TYPE_COMPARE_MATRIX, NULL);

  fill (self, table);
  return GTK_WIDGET (self);
}
