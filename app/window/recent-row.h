/* recent-row.h — one of the files that were open before: name, when it was changed, where it is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Invisible until the file's age is known, and for good if it is gone.  (transfer floating) */
GtkWidget *scope_recent_row_new (const char *uri);
