/* copy-bytes.h — copies of a few bytes, often less than 64, which take less time than a call of memcpy().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

/* Copies both ends of n bytes, which overlap unless n = 2 size, size ≤ n ≤ 2 size. */
#define HYB_INTEGER_COPY_ENDS(size)                      \
  {                                                      \
    char first[size], last[size];                        \
                                                         \
    memcpy (first, from, size);                          \
    memcpy (last, (const char *) from + n - size, size); \
    memcpy (to, first, size);                            \
    memcpy ((char *) to + n - size, last, size);         \
  }

/* Copies up to 16 bytes between memory that does not overlap. */
static inline void
hyb_integer_copy_few (gint64 n, gconstpointer from, gpointer to)
{
  if (n >= 8)
    HYB_INTEGER_COPY_ENDS (8)
  else if (n >= 4)
    HYB_INTEGER_COPY_ENDS (4)
  else
    for (gint64 i = 0; i < n; i++)
      ((char *) to)[i] = ((const char *) from)[i];
}

/* Copies n bytes between memory that does not overlap. */
static inline void
hyb_integer_copy (gint64 n, gconstpointer from, gpointer to)
{
  if (n <= 16)
    {
      hyb_integer_copy_few (n, from, to);
      return;
    }
  for (gint64 i = 0; i < n - 16; i += 16)
    memcpy ((char *) to + i, (const char *) from + i, 16);
  memcpy ((char *) to + n - 16, (const char *) from + n - 16, 16);
}
