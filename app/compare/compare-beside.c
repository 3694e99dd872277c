/* compare-beside.c — see compare-beside.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-beside.h"

#include "app/process/json-fields.h"
#include "app/widgets/label.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>

#define MAX_ROWS  200
#define MAX_NAMES 6 /* of nodes in a row */

static void
attach (GtkGrid *grid, int column, int row, GtkWidget *label)
{
  gtk_grid_attach (grid, label, column, row, 1, 1);
}

static GtkWidget *
new_number (const char *text, const char *css_class)
{
  GtkWidget *label = scope_label_new (text, css_class);

  gtk_widget_set_halign (label, GTK_ALIGN_END);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  return label;
}

static char *
format_time (double seconds)
{
  return seconds > 0 ? prof_format_seconds (seconds) : g_strdup ("–");
}

/* "conv3 + bn3 + relu3", and below it what computes them.  (transfer full) */
static char *
dup_nodes (const cJSON *row)
{
  GString     *text = g_string_new (NULL);
  const cJSON *node, *nodes = cJSON_GetObjectItemCaseSensitive (row, "nodes");
  const char  *theirs = scope_json_get_text (row, "theirs");
  guint        n = 0;

  cJSON_ArrayForEach (node, nodes)
  {
    if (cJSON_IsString (node) && n++ < MAX_NAMES)
      g_string_append_printf (text, "%s%s", n > 1 ? " + " : "", node->valuestring);
  }
  if (n > MAX_NAMES)
    {
      g_string_append_c (text, ' ');
      g_string_append_printf (text, _ ("and %u more"), n - MAX_NAMES);
    }
  if (*theirs != '\0' && !g_str_equal (theirs, text->str))
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("there: %s"), theirs);
    }
  return g_string_free (text, FALSE);
}

static void
add_row (GtkGrid *grid, int number, const cJSON *row)
{
  double           ours = scope_json_get_number (row, "ours_seconds");
  double           theirs = scope_json_get_number (row, "theirs_seconds");
  g_autofree char *nodes = dup_nodes (row);
  g_autofree char *our_text = format_time (ours), *their_text = format_time (theirs);
  g_autofree char *ratio =
      ours > 0 && theirs > 0 ? g_strdup_printf ("%.2f", ours / theirs) : g_strdup ("–");
  GtkWidget *label = scope_label_new_wrapping (nodes, NULL);

  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (label, TRUE);
  attach (grid, 0, number, label);
  attach (grid, 1, number, new_number (our_text, "numeric"));
  attach (grid, 2, number, new_number (their_text, "numeric"));
  attach (grid, 3, number, new_number (ratio, "numeric"));
}

static void
add_rest (GtkBox *box, const char *format, double seconds)
{
  g_autofree char *time = prof_format_seconds (seconds), *text = NULL;

  if (!(seconds > 0))
    return;
  text = g_strconcat (format, " ", time, NULL);
  gtk_box_append (box, scope_label_new_wrapping (text, "dim-label"));
}

static void
add_heading (GtkBox *box, const cJSON *with)
{
  g_autofree char *file = g_path_get_basename (scope_json_get_text (with, "file"));
  g_autofree char *ours = prof_format_seconds (scope_json_get_number (with, "ours_seconds"));
  g_autofree char *theirs = prof_format_seconds (scope_json_get_number (with, "theirs_seconds"));
  g_autofree char *heading = g_strdup_printf (_ ("Beside %s"), file);
  g_autofree char *totals =
      g_strdup_printf (_ ("A traced run takes %s here and %s there."), ours, theirs);

  gtk_box_append (box, scope_label_new_wrapping (heading, "heading"));
  gtk_box_append (box, scope_label_new_wrapping (totals, "numeric"));
}

void
scope_compare_beside_append (GtkBox *box, const cJSON *with)
{
  GtkGrid     *grid = GTK_GRID (gtk_grid_new ());
  const cJSON *row;
  int          n = 0;

  add_heading (box, with);
  gtk_widget_set_name (GTK_WIDGET (grid), "compare-beside");
  gtk_grid_set_column_spacing (grid, 12);
  gtk_grid_set_row_spacing (grid, 6);
  attach (grid, 0, 0, scope_label_new (_ ("Nodes computed together"), "dim-label"));
  attach (grid, 1, 0, new_number (_ ("Here"), "dim-label"));
  attach (grid, 2, 0, new_number (_ ("There"), "dim-label"));
  attach (grid, 3, 0, new_number (_ ("Ratio"), "dim-label"));
  cJSON_ArrayForEach (row, cJSON_GetObjectItemCaseSensitive (with, "groups"))
  {
    if (n++ < MAX_ROWS)
      add_row (grid, n, row);
  }
  gtk_box_append (box, GTK_WIDGET (grid));
  if (n > MAX_ROWS)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), (guint) (n - MAX_ROWS));

      gtk_box_append (box, scope_label_new (more, "dim-label"));
    }
  add_rest (box, _ ("Ours that stand for no node of the model:"),
            scope_json_get_number (with, "ours_unplaced_seconds"));
  add_rest (box, _ ("Theirs that belong to no node of the model:"),
            scope_json_get_number (with, "theirs_unplaced_seconds"));
}
