/* compare-names.h — the order of names in an array of strings.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

/* For qsort() and g_ptr_array_sort(): a and b point to strings, which are ordered by bytes. */
static inline int
hyb_compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}
