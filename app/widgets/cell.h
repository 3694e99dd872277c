/* cell.h — one line of text in a list.
 *
 * Less than a GtkLabel or a GtkInscription: it is made of nothing else, and as wide as it is told,
 * so that a row costs no text before it is seen.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_CELL (scope_cell_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCell, scope_cell, SCOPE, CELL, GtkWidget)

/* At least so many characters wide, and as many as natural if there is room. */
GtkWidget  *scope_cell_new (guint least, guint natural, gboolean is_number);
void        scope_cell_set_text (ScopeCell *self, const char *text);
const char *scope_cell_get_text (ScopeCell *self);

G_END_DECLS
