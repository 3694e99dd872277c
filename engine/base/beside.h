/* beside.h — finds files that are installed beside the engine.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The first of these paths that exists, relative to the folder of the library or program that holds
 * this code; NULL-terminated.  (transfer full); NULL if none exists. */
char *hyb_find_beside (const char *const *relative);
