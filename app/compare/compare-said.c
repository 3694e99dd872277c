/* compare-said.c — see compare-said.h.
 *
 * A result may come from a stranger, so blocks, rows and texts have limits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-said.h"

#include "app/widgets/chart-area.h"
#include "app/widgets/label.h"
#include "app/widgets/theme.h"

#include <glib/gi18n.h>

#define MAX_BLOCKS  300
#define MAX_ROWS    200
#define MAX_COLUMNS 64
#define MAX_LENGTH  2000 /* characters of a text */

typedef struct
{
  GtkBox *box;
  guint   n_left; /* blocks that may be appended */
} Shown;

/* --- Texts --- */

static GtkWidget *
new_text (const char *text, const char *css_class)
{
  g_autofree char *valid = g_utf8_make_valid (text ? text : "", -1);
  g_autofree char *shown = viz_text_shorten (valid, MAX_LENGTH);

  return scope_label_new_wrapping (shown, css_class);
}

/* widget: (transfer floating) */
static void
append (Shown *shown, GtkWidget *widget)
{
  if (shown->n_left == 0)
    {
      g_object_unref (g_object_ref_sink (widget));
      return;
    }
  if (--shown->n_left == 0)
    {
      g_object_unref (g_object_ref_sink (widget));
      widget = scope_label_new (_ ("There is more than can be shown."), "dim-label");
    }
  gtk_box_append (shown->box, widget);
}

static void
append_heading (gpointer data, const char *title, const char *line G_GNUC_UNUSED)
{
  if (title)
    append (data, new_text (title, "heading"));
}

static void
append_sentence (gpointer data, const char *text, ScopeSaidStyle style)
{
  static const char *const classes[] = { "numeric", "dim-label", "warning", "dim-label" };

  append (data, new_text (text, classes[style]));
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
  label = new_text (cell->text, cell->is_unsure ? "dim-label" : NULL);
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

static GtkWidget *
new_table (const ScopeTable *table)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *grid = gtk_grid_new ();
  guint      n_hidden = scope_table_n_hidden (table, MAX_ROWS);
  guint      n_columns = MIN (table->columns->len, MAX_COLUMNS);
  int        top = 1;

  gtk_widget_set_name (grid, "compare-table");
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  for (guint i = 0; scope_table_has_titles (table) && i < n_columns; i++)
    gtk_grid_attach (GTK_GRID (grid),
                     new_title (&g_array_index (table->columns, ScopeTableColumn, i)), (int) i, 0,
                     1, 1);
  for (int row = -1; scope_table_next (table, MAX_ROWS, &row); top++)
    for (guint i = 0; i < n_columns; i++)
      gtk_grid_attach (GTK_GRID (grid),
                       new_cell (&g_array_index (table->columns, ScopeTableColumn, i),
                                 scope_table_get (table, (guint) row, i)),
                       (int) i, top, 1, 1);
  gtk_box_append (GTK_BOX (box), grid);
  if (n_hidden > 0)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), n_hidden);

      gtk_box_append (GTK_BOX (box), scope_label_new (more, "dim-label"));
    }
  return box;
}

static void
append_table (gpointer data, const ScopeTable *table)
{
  append (data, new_table (table));
}

/* --- Figures --- */

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer unused G_GNUC_UNUSED)
{
  const ScopeFigure *figure = g_object_get_data (G_OBJECT (area), "figure");
  VizRect            rect;
  VizPen            *pen = scope_chart_area_pen (area, cr, width, height, &rect);

  figure->drawing->draw (figure, pen, &rect, scope_theme_get ());
  viz_pen_free (pen);
}

static void
unref_figure (gpointer figure)
{
  scope_figure_unref (figure);
}

static GtkWidget *
new_drawing (const ScopeFigure *figure)
{
  GtkWidget *area = scope_chart_area_new (figure->name, figure->title,
                                          (int) figure->drawing->height (figure), draw);

  g_object_set_data_full (G_OBJECT (area), "figure", scope_figure_ref (figure), unref_figure);
  return area;
}

/* The table of a figure, for those who want to see the numbers. */
static GtkWidget *
new_details (const ScopeFigure *figure)
{
  GtkWidget *expander = gtk_expander_new (figure->details), *table = new_table (figure->table);

  gtk_widget_set_margin_top (table, 6);
  gtk_widget_set_margin_start (table, 18);
  gtk_expander_set_child (GTK_EXPANDER (expander), table);
  return expander;
}

static void
append_figure (gpointer data, const ScopeFigure *figure)
{
  if (!figure->is_folded)
    {
      append (data, new_text (figure->title, NULL));
      append (data, new_drawing (figure));
    }
  if (figure->details)
    append (data, new_details (figure));
}

static void
append_hint (gpointer data, const ScopeHint *hint)
{
  GtkWidget *button = gtk_button_new_with_label (hint->label);

  gtk_widget_set_name (button, hint->name);
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, hint->text);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), hint->action);
  append (data, button);
}

static const ScopeSaidRenderer widget_renderer = { append_heading, append_sentence, append_fact,
                                                   append_table,   append_figure,   append_hint };

void
scope_compare_said_append (GtkBox *box, const ScopeSaid *said)
{
  Shown shown = { box, MAX_BLOCKS };

  scope_said_walk (said, &widget_renderer, &shown);
}
