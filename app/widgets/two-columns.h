/* two-columns.h — two widgets side by side where both have room, else one below the other.
 *
 * A widget of its own, because GTK has no container that chooses by the room that its children need, and AdwBreakpoint came
 * with libadwaita 1.4.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#define SCOPE_TYPE_TWO_COLUMNS (scope_two_columns_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTwoColumns, scope_two_columns, SCOPE, TWO_COLUMNS, GtkWidget)

/* Takes both widgets as children.  (transfer floating) */
GtkWidget *scope_two_columns_new (GtkWidget *first, GtkWidget *second);
