/* compare-said.h — what is said about a comparison, as widgets.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

#include <gtk/gtk.h>

/* Appends the blocks. */
void scope_compare_said_append (GtkBox *box, const ScopeSaid *said);
