/* temporary-folder.h — a folder for the temporary files of a test program.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Makes a folder and lets TMPDIR name it, for this program and what it starts.  The folder is removed with all that is in
 * it when the program ends, also when it is killed.  To be called before threads are started. */
void temporary_folder_use (void);
