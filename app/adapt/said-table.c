/* said-table.c — tables as blocks of a comparison.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said.h"

static void
clear_column (gpointer data)
{
  ScopeTableColumn *column = data;

  g_free ((char *) column->title);
  g_free ((char *) column->lines);
}

static void
clear_cell (gpointer data)
{
  ScopeCell *cell = data;

  g_free (cell->text);
  g_free (cell->hint);
  g_free (cell->name);
}

ScopeTable *
scope_table_new (const ScopeTableColumn *columns, guint n_columns)
{
  ScopeTable *table = g_new0 (ScopeTable, 1);

  table->columns = g_array_new (FALSE, FALSE, sizeof (ScopeTableColumn));
  table->cells = g_array_new (FALSE, FALSE, sizeof (ScopeCell));
  table->foot = G_MAXUINT;
  g_array_set_clear_func (table->columns, clear_column);
  g_array_set_clear_func (table->cells, clear_cell);
  for (guint i = 0; i < n_columns; i++)
    {
      ScopeTableColumn column = columns[i];

      column.title = g_strdup (column.title);
      column.lines = g_strdup (column.lines);
      g_array_append_val (table->columns, column);
    }
  return table;
}

void
scope_table_free (ScopeTable *table)
{
  if (!table)
    return;
  g_array_unref (table->columns);
  g_array_unref (table->cells);
  g_free (table);
}

void
scope_table_add_cell (ScopeTable *table, const ScopeCell *cell)
{
  g_array_append_vals (table->cells, cell, 1);
}

void
scope_table_add (ScopeTable *table, char *text, gboolean is_unsure)
{
  scope_table_add_cell (table, &(ScopeCell){ .text = text, .is_unsure = is_unsure });
}

void
scope_table_add_name (ScopeTable *table, const char *name, char *text)
{
  scope_table_add (table, g_strdup (name), FALSE);
  scope_table_add (table, text, FALSE);
}

void
scope_table_begin_foot (ScopeTable *table)
{
  table->foot = scope_table_n_rows (table);
}

gboolean
scope_table_has_titles (const ScopeTable *table)
{
  for (guint i = 0; i < table->columns->len; i++)
    if (g_array_index (table->columns, ScopeTableColumn, i).title)
      return TRUE;
  return FALSE;
}

guint
scope_table_n_rows (const ScopeTable *table)
{
  return table->cells->len / table->columns->len;
}

const ScopeCell *
scope_table_get (const ScopeTable *table, guint row, guint column)
{
  return &g_array_index (table->cells, ScopeCell, row * table->columns->len + column);
}

/* Rows above the foot. */
static guint
n_above (const ScopeTable *table)
{
  return MIN (table->foot, scope_table_n_rows (table));
}

gboolean
scope_table_next (const ScopeTable *table, guint n_shown, int *row)
{
  guint next = (guint) (*row + 1);

  if (next >= n_shown && next < n_above (table))
    next = n_above (table);
  *row = (int) next;
  return next < scope_table_n_rows (table);
}

guint
scope_table_n_hidden (const ScopeTable *table, guint n_shown)
{
  return n_above (table) > n_shown ? n_above (table) - n_shown : 0;
}
