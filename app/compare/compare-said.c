/* compare-said.c — see compare-said.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-said.h"

#include "app/widgets/label.h"

#include <glib/gi18n.h>

#define MAX_ROWS 200

static void
append_heading (gpointer data, const char *title, const char *line G_GNUC_UNUSED)
{
  if (title)
    gtk_box_append (data, scope_label_new_wrapping (title, "heading"));
}

static void
append_sentence (gpointer data, const char *text, ScopeSaidStyle style)
{
  static const char *const classes[] = { "numeric", "dim-label", "warning", "numeric" };

  gtk_box_append (data, scope_label_new_wrapping (text, classes[style]));
}

static void
append_fact (gpointer data, const char *name, const char *text)
{
  g_autofree char *sentence = g_strdup_printf ("%s: %s", name, text);

  append_sentence (data, sentence, SCOPE_SAID_PLAIN);
}

/* --- Tables --- */

/* Words take the room that numbers leave. */
static GtkWidget *
new_cell (const ScopeTableColumn *column, const ScopeCell *cell)
{
  GtkWidget *label;

  if (column->is_number)
    {
      label = scope_label_new (cell->text, cell->is_unsure ? "dim-label" : "numeric");
      gtk_widget_set_halign (label, GTK_ALIGN_END);
      gtk_widget_set_valign (label, GTK_ALIGN_START);
      return label;
    }
  label = scope_label_new_wrapping (cell->text, NULL);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (label, TRUE);
  return label;
}

static GtkWidget *
new_title (const ScopeTableColumn *column)
{
  GtkWidget *label = scope_label_new (column->title, "dim-label");

  if (column->is_number)
    gtk_widget_set_halign (label, GTK_ALIGN_END);
  return label;
}

static void
append_table (gpointer data, const ScopeTable *table)
{
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());
  guint    n_hidden = scope_table_n_hidden (table, MAX_ROWS);
  int      top = 1;

  gtk_widget_set_name (GTK_WIDGET (grid), "compare-table");
  gtk_grid_set_column_spacing (grid, 12);
  gtk_grid_set_row_spacing (grid, 6);
  for (guint i = 0; i < table->columns->len; i++)
    gtk_grid_attach (grid, new_title (&g_array_index (table->columns, ScopeTableColumn, i)),
                     (int) i, 0, 1, 1);
  for (int row = -1; scope_table_next (table, MAX_ROWS, &row); top++)
    for (guint i = 0; i < table->columns->len; i++)
      gtk_grid_attach (grid,
                       new_cell (&g_array_index (table->columns, ScopeTableColumn, i),
                                 scope_table_get (table, (guint) row, i)),
                       (int) i, top, 1, 1);
  gtk_box_append (data, GTK_WIDGET (grid));
  if (n_hidden > 0)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), n_hidden);

      gtk_box_append (data, scope_label_new (more, "dim-label"));
    }
}

static const ScopeSaidRenderer widget_renderer = { append_heading, append_sentence, append_fact,
                                                   append_table };

void
scope_compare_said_append (GtkBox *box, const ScopeSaid *said)
{
  scope_said_walk (said, &widget_renderer, box);
}
