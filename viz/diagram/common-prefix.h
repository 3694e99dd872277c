/* common-prefix.h — the words with which nearly all names begin.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The words with which names begin, each with the “_” at its end: four of five names have the first, nine of ten each
 * that follows; at least three must.  (transfer full) */
char *viz_common_prefix (const char *const *names, guint n_names);
