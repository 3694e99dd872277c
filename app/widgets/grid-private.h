/* grid-private.h — the struct of a grid, and the functions that its files share.
 *
 * Calls go one way: grid.c (the class, keys and mouse) → grid-draw.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/grid.h"

struct _ScopeGrid
{
  GtkWidget parent_instance;

  GtkAdjustment      *hadjustment, *vadjustment; /* owned; over the cells, without the headings */
  GtkScrollablePolicy hpolicy, vpolicy;

  ScopeGridFunc function;
  gpointer      data;
  gint64        n_rows, n_columns;
  gint64        row, column;               /* of the cursor */
  gint64        anchor_row, anchor_column; /* the other corner of the selection */

  /* In pixels, by the font */
  int line, cell_width, head_width;
};

/* --- grid-draw.c --- */

/* Adapts sizes to the font and to the number of rows. */
void scope_grid_measure_font (ScopeGrid *self);
/* Draws the visible cells. */
void scope_grid_draw (ScopeGrid            *self,
                      GtkSnapshot          *snapshot,
                      const ScopeGridRange *visible,
                      const ScopeGridRange *selection);
