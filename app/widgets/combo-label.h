/* combo-label.h — rows with a drop-down that show the chosen entry in full.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

/* Lets a row of GtkStringObject cut its chosen entry only where there is no room, and not after 20 characters.  The
 * list that drops down stays as it is. */
void scope_combo_row_show_whole (AdwComboRow *row);
