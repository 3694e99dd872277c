/* rank-floats.c — ranks one line of floats: each becomes an integer that also holds its position, so that one comparison
 * orders two of them.
 *
 * Few elements are placed by counting the smaller ones, which takes no branches.  Of more, up to MAX_INSERTION first ones
 * are kept in order by insertion.  For more of them, at most half of the line, keys are collected until there are twice as
 * many as wanted, then sorted, and only those below the last of the first k are collected further.  Else the whole line is
 * sorted.  Start with hyb_rank_floats().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/rank-floats.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/rank-floats-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Up to this many elements counting is faster than keeping the first ones in order, unless those are few. */
#define MAX_COUNTED 32
#define FEW_KEPT    3
/* Up to this many first elements insertion is faster than sorting. */
#define MAX_INSERTION 32
/* Elements of a line that are compared with the last one kept at once. */
#define PIECE 64
/* Keys that are put in order before they are merged. */
#define RUN MAX_COUNTED

/* Puts `own` at its place among the n_kept sorted keys, of which the last one is lost if there are k. */
static inline void
insert_key (gint64 *kept, gint64 n_kept, gint64 k, gint64 own)
{
  gint64 at = MIN (n_kept, k - 1);

  for (; at > 0 && kept[at - 1] > own; at--)
    kept[at] = kept[at - 1];
  kept[at] = own;
}

/* Keeps the first k in order, a piece at a time; pieces without an element among the first k are skipped. */
static void
keep_first (const HybFloatLine *line, gint64 *kept)
{
  gint64 piece[PIECE], k = line->k, n_kept = 0;

  for (gint64 i = 0; i < line->n; i += PIECE)
    {
      gint64 count = MIN (PIECE, line->n - i);
      float  limit = n_kept == k ? line->x[(kept[k - 1] & G_MAXUINT32) * line->step] : NAN;

      if (line->step == 1 && limit == limit &&
          !HYB_SIMD_CHOOSE (any_precedes) (count, line->x + i, limit, line->is_ascend))
        continue;
      HYB_SIMD_CHOOSE (keys) (line, i, count, piece);
      for (gint64 j = 0; j < count; j++)
        if (n_kept < k || piece[j] < kept[k - 1])
          {
            insert_key (kept, n_kept, k, piece[j]);
            n_kept = MIN (n_kept + 1, k);
          }
    }
}

/* Merges the sorted runs from[0 … middle) and from[middle … end) into `to`, without a branch on their order. */
static void
merge_runs (const gint64 *from, gint64 middle, gint64 end, gint64 *to)
{
  gint64 a = 0, b = middle, i = 0;

  while (a < middle && b < end)
    {
      gint64   left = from[a], right = from[b];
      gboolean is_left = left < right;

      to[i++] = is_left ? left : right;
      a += is_left;
      b += !is_left;
    }
  memcpy (to + i, from + a, sizeof *to * (gsize) (middle - a));
  memcpy (to + i + middle - a, from + b, sizeof *to * (gsize) (end - b));
}

/* Sorts n keys; returns the one of the two arrays that holds them then. */
static gint64 *
sort_keys (gint64 n, gint64 *key, gint64 *spare)
{
  for (gint64 at = 0; at < n; at += RUN)
    HYB_SIMD_CHOOSE (place_keys) (MIN (RUN, n - at), key + at, spare + at);
  for (gint64 width = RUN; width < n; width *= 2)
    {
      gint64 *swap = key;

      key = spare;
      spare = swap;
      for (gint64 at = 0; at < n; at += 2 * width)
        merge_runs (key + at, MIN (width, n - at), MIN (2 * width, n - at), spare + at);
    }
  return spare;
}

/* Returns the first k of n keys in order, in one of two arrays that have room for 2 k ≤ n. */
static gint64 *
select_first (gint64 n, const gint64 *key, gint64 k, gint64 *kept, gint64 *spare)
{
  gint64 n_kept = 0, limit = G_MAXINT64;

  for (gint64 i = 0; i < n; i++)
    {
      kept[n_kept] = key[i];
      n_kept += key[i] < limit;
      if (n_kept == 2 * k)
        {
          gint64 *sorted = sort_keys (n_kept, kept, spare);

          spare = sorted == kept ? spare : kept;
          kept = sorted;
          limit = kept[k - 1];
          n_kept = k;
        }
    }
  return sort_keys (n_kept, kept, spare);
}

const gint64 *
hyb_rank_floats (const HybFloatLine *line, gint64 *room)
{
  gint64  n = line->n, k = line->k;
  gint64 *key = room, *kept = room + n, *spare = room + 2 * n;

  if (k <= MAX_INSERTION && (n > MAX_COUNTED || k <= FEW_KEPT))
    {
      keep_first (line, kept);
      return kept;
    }
  HYB_SIMD_CHOOSE (keys) (line, 0, n, key);
  if (n <= MAX_COUNTED)
    {
      HYB_SIMD_CHOOSE (place_keys) (n, key, kept);
      return kept;
    }
  return k <= n / 2 ? select_first (n, key, k, kept, spare) : sort_keys (n, key, kept);
}
