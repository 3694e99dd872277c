/* clipboard.h — copies to the clipboard, of which the one that the user requested last wins, also over those of entries and
 * of other programs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Begins a copy that takes a while, and cancels an earlier one that is still being prepared.  Owned by the clipboard until
 * its contents change or the next copy begins; a task that runs with it must not copy once it is cancelled. */
GCancellable *scope_clipboard_claim (GtkWidget *widget);
/* Copies a text now.  Copies that are still being prepared are cancelled. */
void scope_clipboard_set_text (GtkWidget *widget, const char *text);
