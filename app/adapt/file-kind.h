/* file-kind.h — finds the kind of a file by its first bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Reads at most the first `room` bytes of a regular file.  Returns how many; 0 if it cannot be read. */
gsize scope_read_head (const char *file, gpointer head, gsize room);
/* TRUE if the file's first bytes are of a format that holds arrays and no graph. */
gboolean scope_is_weights_file (const char *file);
