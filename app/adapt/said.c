/* said.c — see said.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said.h"

typedef struct _Block Block;

struct _Block
{
  void (*render) (const Block *block, const ScopeSaidRenderer *renderer, gpointer data);
  char          *name, *text; /* NULL: the kind has none */
  ScopeSaidStyle style;
  ScopeTable    *table; /* NULL: another kind */
};

struct _ScopeSaid
{
  GPtrArray *blocks; /* of Block */
};

/* --- Blocks --- */

static void
render_heading (const Block *block, const ScopeSaidRenderer *renderer, gpointer data)
{
  renderer->heading (data, block->name, block->text);
}

static void
render_sentence (const Block *block, const ScopeSaidRenderer *renderer, gpointer data)
{
  renderer->sentence (data, block->text, block->style);
}

static void
render_fact (const Block *block, const ScopeSaidRenderer *renderer, gpointer data)
{
  renderer->fact (data, block->name, block->text);
}

static void
render_table (const Block *block, const ScopeSaidRenderer *renderer, gpointer data)
{
  renderer->table (data, block->table);
}

static void
table_free (ScopeTable *table)
{
  g_array_unref (table->columns);
  g_array_unref (table->cells);
  g_free (table);
}

static void
block_free (gpointer data)
{
  Block *block = data;

  g_clear_pointer (&block->table, table_free);
  g_free (block->name);
  g_free (block->text);
  g_free (block);
}

static void
add (ScopeSaid *said, const Block *block)
{
  g_ptr_array_add (said->blocks, g_memdup2 (block, sizeof *block));
}

ScopeSaid *
scope_said_new (void)
{
  ScopeSaid *said = g_new (ScopeSaid, 1);

  said->blocks = g_ptr_array_new_with_free_func (block_free);
  return said;
}

void
scope_said_free (ScopeSaid *said)
{
  if (!said)
    return;
  g_ptr_array_unref (said->blocks);
  g_free (said);
}

void
scope_said_heading (ScopeSaid *said, const char *title, const char *line)
{
  add (said, &(Block){ render_heading, .name = g_strdup (title), .text = g_strdup (line) });
}

void
scope_said_sentence (ScopeSaid *said, ScopeSaidStyle style, char *text)
{
  if (text)
    add (said, &(Block){ render_sentence, .text = text, .style = style });
}

void
scope_said_fact (ScopeSaid *said, const char *name, const char *text)
{
  add (said, &(Block){ render_fact, .name = g_strdup (name), .text = g_strdup (text) });
}

void
scope_said_walk (const ScopeSaid *said, const ScopeSaidRenderer *renderer, gpointer data)
{
  for (guint i = 0; i < said->blocks->len; i++)
    {
      const Block *block = said->blocks->pdata[i];

      block->render (block, renderer, data);
    }
}

/* --- Tables --- */

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
  g_free (((ScopeCell *) data)->text);
}

ScopeTable *
scope_said_table (ScopeSaid *said, const ScopeTableColumn *columns, guint n_columns)
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
  add (said, &(Block){ render_table, .table = table });
  return table;
}

void
scope_table_add (ScopeTable *table, char *text, gboolean is_unsure)
{
  ScopeCell cell = { text, is_unsure };

  g_array_append_val (table->cells, cell);
}

void
scope_table_begin_foot (ScopeTable *table)
{
  table->foot = scope_table_n_rows (table);
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
