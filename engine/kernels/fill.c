/* fill.c — fills an array with one value: to[i] = value.
 *
 * One element is converted; memcpy() doubles it up to PATTERN elements, then threads copy that
 * pattern to the rest of the array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/fill.h"

#include "engine/base/parallel.h"

#include <string.h>

/* Elements that the calling thread writes before other threads copy them. */
#define PATTERN 4096

typedef struct
{
  char  *to;   /* starts with PATTERN elements that are filled already */
  gint64 size; /* bytes of an element */
} FilledPattern;

static void
fill_slice (gint64 begin, gint64 end, gpointer data)
{
  const FilledPattern *pattern = data;

  for (gint64 at = begin; at < end; at += PATTERN)
    memcpy (pattern->to + (PATTERN + at) * pattern->size, pattern->to,
            (gsize) (MIN (PATTERN, end - at) * pattern->size));
}

void
hyb_fill (gpointer to, HybDType dtype, double value, gsize count)
{
  gsize         size = hyb_dtype_size (dtype);
  FilledPattern pattern = { to, (gint64) size };
  gsize         done = 1;

  if (count == 0)
    return;
  hyb_dtype_set_double (to, dtype, 0, value);
  for (; done < MIN (PATTERN, count); done *= 2)
    memcpy ((char *) to + done * size, to, MIN (done, MIN (PATTERN, count) - done) * size);
  if (count > PATTERN)
    hyb_parallel_for ((gint64) count - PATTERN, 8 * PATTERN, fill_slice, &pattern);
}

void
hyb_fill_diagonal (gpointer to, const HybType *type, gint64 k)
{
  gint64 rows = type->shape.dim[0], columns = type->shape.dim[1];

  memset (to, 0, hyb_type_bytes (type));
  for (gint64 row = MAX (0, -k); row < rows && row + k < columns; row++)
    hyb_dtype_set_double (to, type->dtype, (gsize) (row * columns + row + k), 1);
}
