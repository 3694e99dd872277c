/* said.c — see said.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said.h"

#define NAME_WIDTH 8 /* characters on a terminal */

typedef struct _Block Block;

struct _Block
{
  void (*render) (const Block *block, const ScopeSaidRenderer *renderer, gpointer data);
  char          *name, *text; /* NULL: the kind has none */
  ScopeSaidStyle style;
  ScopeTable    *table;  /* NULL: another kind */
  ScopeFigure   *figure; /* NULL: another kind */
  ScopeHint      hint;
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
render_figure (const Block *block, const ScopeSaidRenderer *renderer, gpointer data)
{
  if (block->figure->bars->len > 0 || block->figure->curves || block->figure->data)
    renderer->figure (data, block->figure);
}

static void
render_hint (const Block *block, const ScopeSaidRenderer *renderer, gpointer data)
{
  renderer->hint (data, &block->hint);
}

static void
block_free (gpointer data)
{
  Block *block = data;

  g_clear_pointer (&block->table, scope_table_free);
  g_clear_pointer (&block->figure, scope_figure_unref);
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

ScopeTable *
scope_said_table (ScopeSaid *said, const ScopeTableColumn *columns, guint n_columns)
{
  ScopeTable *table = scope_table_new (columns, n_columns);

  add (said, &(Block){ render_table, .table = table });
  return table;
}

ScopeTable *
scope_said_names (ScopeSaid *said, guint indent, gboolean are_numbers)
{
  const ScopeTableColumn columns[] = { { .width = NAME_WIDTH }, { .is_number = are_numbers } };
  ScopeTable            *table = scope_said_table (said, columns, G_N_ELEMENTS (columns));

  table->indent = indent;
  return table;
}

void
scope_said_hint (ScopeSaid *said, const ScopeHint *hint)
{
  add (said, &(Block){ render_hint, .hint = *hint });
}

ScopeFigure *
scope_said_figure (ScopeSaid *said, const ScopeFigure *like)
{
  ScopeFigure *figure = scope_figure_new (like);

  add (said, &(Block){ render_figure, .figure = figure });
  return figure;
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
