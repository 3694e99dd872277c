/* rank-floats.h — ranks one line of floats; see rank.h for the order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Elements of a line, at most. */
#define HYB_RANK_FLOATS_MOST G_MAXINT32

/* One line of n floats, `step` from one to the next, of which the first k, at least one, are wanted. */
typedef struct
{
  const float *x;
  gint64       n, step, k;
  gboolean     is_ascend;
} HybFloatLine;

/* Returns the first k in order, as numbers whose low 32 bits are their positions, in `room`, which has space for 3 n
 * numbers. */
const gint64 *hyb_rank_floats (const HybFloatLine *line, gint64 *room);
