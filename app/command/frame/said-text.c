/* said-text.c — see said-text.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/said-text.h"

#include "engine/base/one-line.h"

#include <stdio.h>

#define WORDS_GAP  2 /* characters before a column of words */
#define FACT_WIDTH 8

static void
append_heading (gpointer data, const char *title G_GNUC_UNUSED, const char *line)
{
  if (line)
    g_string_append_printf (data, *line != '\0' ? "\n%s\n" : "\n", hyb_one_line (line));
}

static void
append_sentence (gpointer data, const char *text, ScopeSaidStyle style)
{
  if (style != SCOPE_SAID_ON_PAGES)
    g_string_append_printf (data, "%s%s\n", style == SCOPE_SAID_WARNING ? "" : "  ",
                            hyb_one_line (text));
}

static void
append_fact (gpointer data, const char *name, const char *text)
{
  g_string_append_printf (data, "%-*s %s\n", FACT_WIDTH, name, hyb_one_line (text));
}

/* --- Tables --- */

/* Appends text in its column; printf would pad by bytes. */
static void
append_padded (GString *line, const ScopeTableColumn *column, const char *text, gboolean is_first)
{
  int length = (int) g_utf8_strlen (text, -1);

  if (column->is_number)
    g_string_append_printf (line, "%*s%s", MAX (column->width - length, 1), "", text);
  else
    g_string_append_printf (line, "%*s%s%*s", is_first ? 0 : WORDS_GAP, "", text,
                            MAX (column->width - length, 0), "");
}

/* The cell of a row, or the title of a column (row -1) as a cell. */
static ScopeCell
get_cell (const ScopeTable *table, int row, guint column)
{
  const ScopeTableColumn *titled = &g_array_index (table->columns, ScopeTableColumn, column);

  return row >= 0 ? *scope_table_get (table, (guint) row, column)
                  : (ScopeCell){ .text = (char *) (titled->lines ? titled->lines : titled->title) };
}

/* One line of a cell; "" if it has fewer, NULL if the row has ended before it.  with_mark: of what may be noise.
 * (transfer full) */
static char *
dup_line (const ScopeCell *cell, guint number, gboolean with_mark)
{
  g_auto (GStrv) lines = cell->text ? g_strsplit (cell->text, "\n", -1) : NULL;

  if (!lines || number >= g_strv_length (lines))
    return lines || number > 0 ? g_strdup ("") : NULL;
  return g_strconcat (with_mark && cell->is_unsure ? "~ " : "", hyb_one_line (lines[number]), NULL);
}

/* Appends one line of a row: first columns with a width, then the words.  FALSE: the row has no such line. */
static gboolean
append_line (GString *to, const ScopeTable *table, int row, guint number)
{
  g_autoptr (GString) line = g_string_new (NULL);
  gboolean has_text = FALSE;

  g_string_append_printf (line, "%*s", (int) table->indent, "");
  for (guint i = 0; i < 2 * table->columns->len; i++)
    {
      guint                   index = i % table->columns->len;
      const ScopeTableColumn *column = &g_array_index (table->columns, ScopeTableColumn, index);
      ScopeCell               cell = get_cell (table, row, index);
      g_autofree char        *text = dup_line (&cell, number, column->is_number);

      if (!text || (column->width > 0) != (i < table->columns->len))
        continue;
      has_text |= *text != '\0';
      append_padded (line, column, text, line->len == table->indent);
    }
  if (has_text)
    g_string_append_printf (to, "%s\n", g_strchomp (line->str));
  return has_text;
}

static void
append_row (GString *to, const ScopeTable *table, int row)
{
  for (guint number = 0; append_line (to, table, row, number); number++)
    ;
}

static void
append_hidden (GString *to, guint n)
{
  if (n > 0)
    g_string_append_printf (to, "  and %u more; --json lists them\n", n);
}

static void
append_table (gpointer data, const ScopeTable *table)
{
  guint n_shown = table->n_lines > 0 ? table->n_lines : G_MAXUINT;
  guint n_hidden = scope_table_n_hidden (table, n_shown);

  append_row (data, table, -1);
  for (int row = -1; scope_table_next (table, n_shown, &row);)
    {
      if ((guint) row >= table->foot)
        {
          append_hidden (data, n_hidden);
          n_hidden = 0;
        }
      append_row (data, table, row);
    }
  append_hidden (data, n_hidden);
}

/* --- All of it --- */

static void
append_figure (gpointer data, const ScopeFigure *figure)
{
  ScopeTable *rows = figure->table ? NULL : scope_figure_list (figure);

  if (!figure->is_on_pages)
    {
      if (figure->line)
        g_string_append_printf (data, "%s\n", hyb_one_line (figure->line));
      append_table (data, rows ? rows : figure->table);
    }
  scope_table_free (rows);
}

static void
append_hint (gpointer data, const ScopeHint *hint)
{
  g_string_append_printf (data, "  %s: %s\n", hint->text, hint->option);
}

static const ScopeSaidRenderer text_renderer = { append_heading, append_sentence, append_fact,
                                                 append_table,   append_figure,   append_hint };

char *
scope_said_dup_text (const ScopeSaid *said)
{
  GString *text = g_string_new (NULL);

  scope_said_walk (said, &text_renderer, text);
  return g_string_free (text, FALSE);
}

void
scope_said_print (const ScopeSaid *said)
{
  g_autofree char *text = scope_said_dup_text (said);

  fputs (text, stdout);
}
