/* said.h — a comparison as a list of blocks: headings, sentences, facts, tables, figures and hints.
 *
 * A list is made once from the numbers; said-comparison.h makes the parts that hscope and the window share.  The
 * terminal (said-text.h), reports (report-said.h) and the window (compare-said.h) walk the same list, each with one
 * ScopeSaidRenderer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/curve-table.h"

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
  gboolean is_best;   /* in its column */
  double   share;     /* 0 to 1: how large it is beside others, which pages show; 0: they do not */
  char    *hint;      /* (nullable) more about it */
  char    *name;      /* (nullable) of the row, which can be chosen by it */
} ScopeCell;

typedef struct
{
  GArray *columns; /* of ScopeTableColumn, with texts of their own */
  GArray *cells;   /* of ScopeCell, row by row */
  guint   foot;    /* from this row on all are shown; G_MAXUINT: there is no foot */
  guint   indent;  /* characters on a terminal */
  guint   n_lines; /* largest number of rows above the foot on a terminal; 0: any */
} ScopeTable;

typedef struct _ScopeFigure ScopeFigure;

/* How figures of one kind are drawn. */
typedef struct
{
  double (*height) (const ScopeFigure *figure); /* points */
  void (*draw) (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme);
} ScopeDrawing;

extern const ScopeDrawing scope_drawing_bars, scope_drawing_waterfall, scope_drawing_curves;

/* A drawing, and a table of its numbers.  Pages draw it; a terminal prints the table. */
struct _ScopeFigure
{
  const ScopeDrawing *drawing;
  const char         *name;      /* of the widget */
  const char         *title;     /* on pages */
  const char         *line;      /* (nullable) above the table on a terminal */
  const char         *details;   /* (nullable) title of the table on pages; NULL: they only draw */
  gboolean            is_folded; /* the window has the table alone */
  gboolean            is_on_pages; /* the terminal has the numbers elsewhere */
  gpointer            data;        /* (transfer full) of a drawing of its own */
  GDestroyNotify      destroy;     /* frees data */

  GStringChunk  *texts;  /* owns all texts */
  GArray        *bars;   /* of VizBar */
  VizCurveTable *curves; /* NULL: there are bars */
  ScopeTable    *table;  /* NULL: a terminal prints the bars or curves themselves */
};

/* Something to do.  All texts are static. */
typedef struct
{
  const char *text;           /* a sentence without its full stop */
  const char *option;         /* of the command */
  const char *label, *action; /* of a button of the window, */
  const char *name;           /* and its name */
} ScopeHint;

/* How a medium shows each kind of block. */
typedef struct
{
  /* title: (nullable) on pages.  line: (nullable) on a terminal; "": an empty line */
  void (*heading) (gpointer data, const char *title, const char *line);
  void (*sentence) (gpointer data, const char *text, ScopeSaidStyle style);
  void (*fact) (gpointer data, const char *name, const char *text);
  void (*table) (gpointer data, const ScopeTable *table);
  void (*figure) (gpointer data, const ScopeFigure *figure);
  void (*hint) (gpointer data, const ScopeHint *hint);
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
/* Something to do. */
void scope_said_hint (ScopeSaid *said, const ScopeHint *hint);
/* An empty table.  Owned by said. */
ScopeTable *scope_said_table (ScopeSaid *said, const ScopeTableColumn *columns, guint n_columns);
/* An empty table of names and what they stand for, without titles.  Owned by said. */
ScopeTable *scope_said_names (ScopeSaid *said, guint indent, gboolean are_numbers);
/* An empty figure with the first members of like, whose texts are copied.  (transfer full) */
ScopeFigure *scope_figure_new (const ScopeFigure *like);
/* The same as a block, which is not shown while it is empty.  Owned by said. */
ScopeFigure *scope_said_figure (ScopeSaid *said, const ScopeFigure *like);
/* Adds a bar, whose label is copied.  text: (transfer full) beside it */
void scope_figure_add_bar (ScopeFigure *figure, const VizBar *bar, char *text);
/* The figure's table, empty, to be called once.  Owned by the figure. */
ScopeTable *
scope_figure_add_table (ScopeFigure *figure, const ScopeTableColumn *columns, guint n_columns);
/* Its bars or curves as a table.  (transfer full) */
ScopeTable *scope_figure_list (const ScopeFigure *figure);
/* Keeps a figure longer than its list. */
ScopeFigure *scope_figure_ref (const ScopeFigure *figure);
/* Drops a reference; the last one frees the figure. */
void scope_figure_unref (ScopeFigure *figure);

/* An empty table.  (transfer full) */
ScopeTable *scope_table_new (const ScopeTableColumn *columns, guint n_columns);
/* Frees the table; NULL is allowed. */
void scope_table_free (ScopeTable *table);
/* Adds the next cell of a row.  text: (transfer full) (nullable) */
void scope_table_add (ScopeTable *table, char *text, gboolean is_unsure);
/* Adds a row of scope_said_names().  text: (transfer full) */
void scope_table_add_name (ScopeTable *table, const char *name, char *text);
/* Adds a cell with more than a text.  cell: copied; its texts: (transfer full) */
void scope_table_add_cell (ScopeTable *table, const ScopeCell *cell);
/* Further rows are the foot. */
void scope_table_begin_foot (ScopeTable *table);

/* FALSE: the columns speak for themselves. */
gboolean scope_table_has_titles (const ScopeTable *table);
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
