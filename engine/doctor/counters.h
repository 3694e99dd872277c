/* counters.h — finds the parts of array names that count, such as layer numbers and single letters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Below zero if a comes before b by a counter (dense2 before dense10, block_a before block_b), above zero if behind; 0
 * if the first difference of both names is not a counter. */
int hyb_counters_compare (const char *a, const char *b);
/* The name with “#” for each counter.  (transfer full) */
char *hyb_counters_dup_stem (const char *name);
