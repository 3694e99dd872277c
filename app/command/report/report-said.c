/* report-said.c — see report-said.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-said.h"

#define MAX_ROWS 200

static void
add_heading (gpointer data, const char *title, const char *line G_GNUC_UNUSED)
{
  if (title)
    scope_report_page_add_html (data, title, g_string_new (NULL));
}

static void
add_sentence (gpointer data, const char *text, ScopeSaidStyle style)
{
  GString *html = g_string_new (style == SCOPE_SAID_WARNING ? "<p class=\"warn\">" : "<p>");

  scope_html_append (html, text);
  g_string_append (html, "</p>\n");
  scope_report_page_add_html (data, NULL, html);
}

static void
add_fact (gpointer data, const char *name, const char *text)
{
  GString *html = g_string_new ("<p><b>");

  scope_html_append (html, name);
  g_string_append (html, "</b>: ");
  scope_html_append (html, text);
  g_string_append (html, "</p>\n");
  scope_report_page_add_html (data, NULL, html);
}

/* kind: "td" or "th". */
static void
append_cell (GString *html, const char *kind, const char *class, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text ? text : "", "\n", -1);

  g_string_append_printf (html, "<%s%s>", kind, class);
  for (guint i = 0; lines[i]; i++)
    {
      g_string_append (html, i > 0 ? "<br>" : "");
      scope_html_append (html, lines[i]);
    }
  g_string_append_printf (html, "</%s>", kind);
}

/* Of a cell that is neither a number nor the first of its row. */
static const char *
get_class (const ScopeTable *table, guint column)
{
  gboolean is_number = g_array_index (table->columns, ScopeTableColumn, column).is_number;

  return column > 0 && !is_number ? " class=\"words\"" : "";
}

static void
append_row (GString *html, const ScopeTable *table, guint row)
{
  char style[64];

  g_string_append (html, "<tr>");
  for (guint i = 0; i < table->columns->len; i++)
    {
      const ScopeCell *cell = scope_table_get (table, row, i);

      if (cell->share > 0)
        g_snprintf (style, sizeof style, " style=\"background: rgba(230, 97, 0, %.2f)\"",
                    0.6 * MIN (cell->share, 1));
      append_cell (html, "td",
                   cell->share > 0   ? style
                   : cell->is_unsure ? " class=\"unsure\""
                                     : get_class (table, i),
                   cell->text);
    }
  g_string_append (html, "</tr>\n");
}

/* Nothing for a table without titles. */
static void
append_titles (GString *html, const ScopeTable *table)
{
  if (!scope_table_has_titles (table))
    return;
  g_string_append (html, "<tr>");
  for (guint i = 0; i < table->columns->len; i++)
    append_cell (html, "th", get_class (table, i),
                 g_array_index (table->columns, ScopeTableColumn, i).title);
  g_string_append (html, "</tr>\n");
}

static void
add_table (gpointer data, const ScopeTable *table)
{
  GString *html = g_string_new ("<table>");
  guint    n_hidden = scope_table_n_hidden (table, MAX_ROWS);

  append_titles (html, table);
  for (int row = -1; scope_table_next (table, MAX_ROWS, &row);)
    append_row (html, table, (guint) row);
  g_string_append (html, "</table>\n");
  if (n_hidden > 0)
    g_string_append_printf (html, "<p>and %u more; --json lists them</p>\n", n_hidden);
  scope_report_page_add_html (data, NULL, html);
}

static void
add_figure (gpointer data, const ScopeFigure *figure)
{
  scope_report_page_add_figure (data, figure);
  if (figure->details)
    add_table (data, figure->table);
}

static void
add_hint (gpointer data, const ScopeHint *hint)
{
  add_fact (data, hint->text, hint->option);
}

static const ScopeSaidRenderer page_renderer = { add_heading, add_sentence, add_fact,
                                                 add_table,   add_figure,   add_hint };

void
scope_report_page_add_said (ScopeReportPage *page, const ScopeSaid *said)
{
  scope_said_walk (said, &page_renderer, page);
}
