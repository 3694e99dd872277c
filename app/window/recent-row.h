/* recent-row.h — a row of the start page for a recently opened file.
 *
 * The start page lists up to eight of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* A row that activates "win.open-uri".  It stays invisible until the file is known to exist.
 * (transfer floating) */
GtkWidget *scope_recent_row_new (const char *uri);
