/* far-folder.h — the folder of one run on a target: files that came, and files that the command writes.
 *
 * The folder is locked while its process lives.  Folders that a killed process left behind are removed by the next run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/frames.h"

typedef struct _ScopeFarFolder ScopeFarFolder;

/* Makes a folder in place, which may begin with ~/ (NULL: in the folder for temporary files), and removes those that were left
 * behind.  (transfer full) NULL: it cannot be made. */
ScopeFarFolder *scope_far_folder_new (const char *place, GError **error);
/* Removes the folder with everything in it; links are not followed. */
void scope_far_folder_free (ScopeFarFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeFarFolder, scope_far_folder_free)

/* Its path.  Owned by folder. */
const char *scope_far_folder_get_path (const ScopeFarFolder *folder);
/* Opens a new file.  name: safe.  -1: it cannot be made, or is there. */
int scope_far_folder_open (ScopeFarFolder *folder, const char *name, GError **error);
/* The command writes this: kind 'f' a file, 'p' files whose names begin so.  FALSE: the name is not safe. */
gboolean
scope_far_folder_want (ScopeFarFolder *folder, char kind, const char *name, GError **error);
/* Takes the files that are there for known, so that they are not sent back. */
void scope_far_folder_note (ScopeFarFolder *folder);
/* Sends what the command has written or replaced since the last call.  FALSE: the other end is gone. */
gboolean scope_far_folder_send (ScopeFarFolder *folder, ScopeFrames *frames, GError **error);
