/* core-type.h — called first in every program that computes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Does not return where the library's kernels have to be chosen anew. */
void scope_ensure_core_type (char **argv);
