/* group-changes.h — equal changes of many nodes or arrays as one line.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Changes whose sentences differ only in the name become one, such as “changed the operator of “a” and 11
 * more from …”, in the order of their first one.  changes: of HybChange.  (transfer full) array of char *. */
GPtrArray *hyb_group_changes (const GPtrArray *changes);
