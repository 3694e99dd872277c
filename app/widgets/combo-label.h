/* combo-label.h — drop-downs that show the chosen entry in full where there is room.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

/* Lets a row of GtkStringObject cut its chosen entry only where there is no room, and not after 20 characters.  The
 * list that drops down stays as it is. */
void scope_combo_row_show_whole (AdwComboRow *row);
/* The same for a drop-down, which then becomes as narrow as n_chars. */
void scope_drop_down_show_whole (GtkDropDown *list, int n_chars);
