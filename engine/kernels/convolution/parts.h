/* parts.h — independent parts of a convolution, such as the samples of a batch, shared out over threads.
 *
 * A thread that computes whole parts reads what it wrote itself.  If all threads computed each part
 * together, each would read what the others laid out, from their caches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Computes one part in area number `area` of the workspace. */
typedef void (*HybPartFunc) (gint64 part, gint64 area, gconstpointer data);

/* Parts of nearly equal size. */
typedef struct
{
  gint64 n;
  double work; /* multiplications of each */
  gint64 area; /* elements of the workspace that one needs */
} HybParts;

/* Returns the areas that the workspace must have, whatever the number of threads is. */
gint64 hyb_parts_n_areas (const HybParts *parts);

/* Calls func for each part.  Each thread computes as many as the others, in an area of its own; the
 * parts that are left are computed one by one, outside of a parallel loop, so that func can split
 * them itself. */
void hyb_parts_for_each (const HybParts *parts, HybPartFunc func, gconstpointer data);
