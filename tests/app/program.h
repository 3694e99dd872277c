/* program.h — runs the real program as a process, with settings in a temporary folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* A folder for settings, state and cache; free it with program_folder_free(). */
char *program_folder_new (void);
void  program_folder_free (char *folder);

/* Starts the program.  display: NULL for the display of the test.  model: (nullable) a folder of
 * tests/data/goldens/models.  a11y: value of GTK_A11Y; NULL: not set, so that a real bus is used. */
GSubprocess *
program_start (const char *folder, const char *display, const char *model, const char *a11y);

/* Calls done every 50 ms until it returns TRUE; FALSE: it did not within 2 minutes. */
gboolean program_wait (gboolean (*done) (gpointer), gpointer data);
/* TRUE if the settings file that the program wrote contains a text. */
gboolean program_has_written (const char *folder, const char *text);
/* Ends the program with SIGTERM and returns its stderr; (transfer full) */
char *program_end (GSubprocess *program);
