/* limits.h — the limits of memory and work for files that are opened, here and in child processes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Multiplies the limits by four, for everything that is opened until the program ends.  file_bytes: the
 * size of the file for which they were too low. */
void scope_limits_raise (guint64 file_bytes);
/* Appends the options that give raised limits to hscope; nothing if they were not raised.
 * argv: of char *. */
void scope_limits_add_options (GPtrArray *argv);
