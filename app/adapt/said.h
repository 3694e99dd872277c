/* said.h — what is said about a comparison, as a list of blocks: headings, sentences, facts and tables.
 *
 * A list is made once from the numbers.  The terminal (said-text.h), reports (report-said.h) and the window
 * (compare-said.h) walk the same list, each with one ScopeSaidRenderer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _ScopeSaid ScopeSaid;

typedef enum
{
  SCOPE_SAID_PLAIN,
  SCOPE_SAID_FAINT,
  SCOPE_SAID_WARNING,
  SCOPE_SAID_ON_PAGES, /* the terminal has it in the heading */
} ScopeSaidStyle;

typedef struct
{
  const char *title;
  const char *lines;     /* the title on a terminal, where it may have several lines; NULL: title */
  gboolean    is_number; /* to the right */
  int width; /* characters on a terminal; 0: words of any length, printed after all others */
} ScopeTableColumn;

typedef struct
{
  char    *text;      /* several lines are separated by "\n"; NULL: the row ends before this cell */
  gboolean is_unsure; /* it may be noise */
} ScopeCell;

typedef struct
{
  GArray *columns; /* of ScopeTableColumn, with texts of their own */
  GArray *cells;   /* of ScopeCell, row by row */
  guint   foot;    /* from this row on all are shown; G_MAXUINT: there is no foot */
  guint   indent;  /* characters on a terminal */
  guint   n_lines; /* largest number of rows above the foot on a terminal; 0: any */
} ScopeTable;

/* How a medium shows each kind of block. */
typedef struct
{
  /* title: (nullable) on pages.  line: (nullable) on a terminal; "": an empty line */
  void (*heading) (gpointer data, const char *title, const char *line);
  void (*sentence) (gpointer data, const char *text, ScopeSaidStyle style);
  void (*fact) (gpointer data, const char *name, const char *text);
  void (*table) (gpointer data, const ScopeTable *table);
} ScopeSaidRenderer;

/* An empty list.  (transfer full) */
ScopeSaid *scope_said_new (void);
/* Frees the list with its tables; NULL is allowed. */
void scope_said_free (ScopeSaid *said);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSaid, scope_said_free)

/* Texts are copied. */
void scope_said_heading (ScopeSaid *said, const char *title, const char *line);
/* text: (transfer full) (nullable) NULL adds nothing */
void scope_said_sentence (ScopeSaid *said, ScopeSaidStyle style, char *text);
/* A name and what it stands for; both are copied. */
void scope_said_fact (ScopeSaid *said, const char *name, const char *text);
/* An empty table.  Owned by said. */
ScopeTable *scope_said_table (ScopeSaid *said, const ScopeTableColumn *columns, guint n_columns);
/* Adds the next cell of a row.  text: (transfer full) (nullable) */
void scope_table_add (ScopeTable *table, char *text, gboolean is_unsure);
/* Further rows are the foot. */
void scope_table_begin_foot (ScopeTable *table);

/* The number of rows, with those of the foot. */
guint scope_table_n_rows (const ScopeTable *table);
/* A cell of the table, which owns it. */
const ScopeCell *scope_table_get (const ScopeTable *table, guint row, guint column);
/* Advances *row to the next row that is shown: the first n_shown rows above the foot, then the foot.  Start with
 * *row = -1.  FALSE after the last one. */
gboolean scope_table_next (const ScopeTable *table, guint n_shown, int *row);
/* The number of rows that are not shown then. */
guint scope_table_n_hidden (const ScopeTable *table, guint n_shown);

/* Renders all blocks in their order. */
void scope_said_walk (const ScopeSaid *said, const ScopeSaidRenderer *renderer, gpointer data);
