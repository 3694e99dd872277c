/* cell.h — one line of text in a list or table.
 *
 * Cheaper than a GtkLabel or GtkInscription: it has no children, and its width is given in characters,
 * so that a row computes no text layout before it is drawn.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#define SCOPE_TYPE_CELL (scope_cell_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCell, scope_cell, SCOPE, CELL, GtkWidget)

/* Minimum and natural width in characters.  Numbers are aligned to the right.  (transfer floating) */
GtkWidget *scope_cell_new (guint min_chars, guint natural_chars, gboolean is_number);
void       scope_cell_set_text (ScopeCell *self, const char *text); /* (nullable) */
/* NULL: none. */
const char *scope_cell_get_text (ScopeCell *self);
/* TRUE if the cell is narrower than its text. */
gboolean scope_cell_is_cut (GtkWidget *cell);
/* Sets the width of a bar behind the text, as a share of the cell, 0 to 1; NaN means 0. */
void scope_cell_set_part (ScopeCell *self, double part);
