/* clipboard.h — copies to the clipboard that take a while.  Of several copies in this program the one that the user
 * requested last wins.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Begins a copy that takes a while, and cancels an earlier one that is still being prepared.  Owned by the clipboard until
 * something else is copied in this program; a task that runs with it must not copy once it is cancelled. */
GCancellable *scope_clipboard_claim (GtkWidget *widget);
