/* run-folder.h — a new folder for the files of one run, which only the process that made it removes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  char *path;
  int   fd; /* the folder itself */
} ScopeRunFolder;

/* Makes a folder in place, which may begin with ~/ (NULL: the folder for temporary files).  (transfer full) NULL: it cannot
 * be made. */
ScopeRunFolder *scope_run_folder_new (const char *place, GError **error);
/* Removes the folder with everything in it; links are not followed. */
void scope_run_folder_free (ScopeRunFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRunFolder, scope_run_folder_free)
