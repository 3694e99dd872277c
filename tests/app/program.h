/* program.h — the real program as a process of its own, with settings that are nobody's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* A folder for settings, state and cache; free it with program_folder_free(). */
char *program_folder_new (void);
void  program_folder_free (char *folder);

/* display: NULL, that of the test.  model: below tests/data/goldens/models; NULL: none.
 * a11y: what GTK_A11Y shall be; NULL: not set, which means a real bus. */
GSubprocess *
program_start (const char *folder, const char *display, const char *model, const char *a11y);

/* Asks done every 50 ms, for at most 2 minutes. */
gboolean program_wait (gboolean (*done) (gpointer), gpointer data);
/* Whether the settings that the program has written hold a text. */
gboolean program_has_written (const char *folder, const char *text);
/* Ends it as a user's logging out would.  What it said on stderr; (transfer full) */
char *program_end (GSubprocess *program);
