/* grid.h — a scrolling table of numbers of any size, of which only the visible cells are requested and drawn.
 *
 * A GtkColumnView needs a widget for each cell and a column object for each column, of which a tensor has thousands.
 * To be put into a GtkScrolledWindow.  Numbers of rows and columns stay in view.  Arrow keys, Page Up and Down, Home and End
 * move the cursor, with Shift they extend the selection; Ctrl+A selects everything.
 *
 * Signals: "moved": the cursor or the selection changed; "scrolled": other cells are visible.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#define SCOPE_TYPE_GRID (scope_grid_get_type ())
G_DECLARE_FINAL_TYPE (ScopeGrid, scope_grid, SCOPE, GRID, GtkWidget)

typedef struct
{
  char   text[32]; /* "": not known yet */
  double shade;    /* -1 to 1: colour behind the text, as of a difference; NAN: that of an error */
} ScopeGridCell;

/* Fills a cell that is inside the grid. */
typedef void (*ScopeGridFunc) (gint64 row, gint64 column, ScopeGridCell *cell, gpointer data);

/* A rectangle of cells. */
typedef struct
{
  gint64 row, column, n_rows, n_columns;
} ScopeGridRange;

/* Sets the function that fills cells. */
void scope_grid_set_function (ScopeGrid *self, ScopeGridFunc function, gpointer data);
/* Changes the size, and moves the cursor into it. */
void scope_grid_set_size (ScopeGrid *self, gint64 n_rows, gint64 n_columns);
/* Moves the cursor, which becomes the whole selection, and brings it into view. */
void scope_grid_set_cursor (ScopeGrid *self, gint64 row, gint64 column);
/* FALSE: the grid is empty. */
gboolean scope_grid_get_cursor (ScopeGrid *self, gint64 *row, gint64 *column);
/* The selected cells, at least that of the cursor. */
void scope_grid_get_selection (ScopeGrid *self, ScopeGridRange *range);
/* The cells of which a part is visible. */
void scope_grid_get_visible (ScopeGrid *self, ScopeGridRange *range);
