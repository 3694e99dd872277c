/* popover-focus.h — gives the focus back when a menu closes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* When the popover closes and leaves the focus in itself, as the toolkit does after Escape in a submenu, gives it to
 * back.  Without this no key reaches the window. */
void scope_popover_return_focus (GtkPopover *popover, GtkWidget *back);
