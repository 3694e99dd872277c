/* copy-rows.h — copies rows of elements, each row with one distance between its elements: to[k · to] = from[k · from].
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

/* n_rows rows of n elements. */
typedef struct
{
  gsize  item; /* bytes of an element: 1, 2, 4, 8 or 16 */
  gint64 n;
  gint64 from, to; /* elements from one element to the next */
  gint64 n_rows;
  gint64 from_row, to_row; /* bytes from one row to the next */
} HybRows;

/* Whether rows of such elements, contiguous in the destination, are copied by vector instructions. */
static inline gboolean
hyb_rows_have_vectors (gsize item, gint64 from)
{
  return (item == 4 || item == 8) && from >= -2 && from <= 3 && from != 0;
}

/* Copies the rows.  Elements need no alignment; the arrays must not overlap. */
void hyb_copy_rows (const HybRows *rows, gconstpointer from, gpointer to);

/* Bytes up to which hyb_move_short() pays. */
#define HYB_MOVE_SHORT 128

/* Copies 4 or more bytes in pieces of one size, of which the last overlaps the one before: sooner than memcpy() finds out
 * how.  The arrays must not overlap. */
static inline void
hyb_move_short (const char *from, char *to, gsize bytes)
{
  gsize at = 0;

  if (bytes >= 16)
    {
      for (; at + 16 < bytes; at += 16)
        memcpy (to + at, from + at, 16);
      memcpy (to + bytes - 16, from + bytes - 16, 16);
    }
  else if (bytes >= 8)
    {
      memcpy (to, from, 8);
      memcpy (to + bytes - 8, from + bytes - 8, 8);
    }
  else
    {
      memcpy (to, from, 4);
      memcpy (to + bytes - 4, from + bytes - 4, 4);
    }
}
