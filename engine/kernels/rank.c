/* rank.c — ranks the elements along one axis: for each line, read it as (key, index) entries, put
 * the first k in order, write them.
 *
 * Lines of floats have a file of their own (rank-floats.h).  Of others up to MAX_INSERTION elements are kept in order by
 * insertion in one pass over the line.  For more, at most half of the line, entries are collected until there are twice as
 * many as wanted, then sorted, and only those that precede the last of the first k are collected further.  Else the whole
 * line is sorted by a stable merge sort.
 * Start with hyb_rank().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/rank.h"

#include "engine/base/parallel.h"
#include "engine/kernels/rank-floats.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

/* Up to this many elements insertion is faster than sorting the line. */
#define MAX_INSERTION 32

/* Whether a precedes b; every number precedes NaN. */
static inline gboolean
comes_before (const HybRankEntry *a, const HybRankEntry *b)
{
  return a->key < b->key || (b->key != b->key && a->key == a->key);
}

/* Element number i of the line that begins at data[base]. */
static inline HybRankEntry
read_entry (const HybRanking *ranking, gint64 base, gint64 i)
{
  double sign = ranking->is_ascend ? 1 : -1;
  gint64 at = base + i * ranking->inner;
  double value = hyb_dtype_get_double (ranking->data, ranking->dtype, (gsize) at);

  return (HybRankEntry){ sign * value, i };
}

static void
read_line (const HybRanking *ranking, gint64 base, HybRankEntry *line)
{
  for (gint64 i = 0; i < ranking->length; i++)
    line[i] = read_entry (ranking, base, i);
}

/* Moves the first k entries, in order, to the front of the line by insertion. */
static void
keep_first (HybRankEntry *line, gint64 n, gint64 k)
{
  gint64 kept = 0;

  for (gint64 i = 0; i < n; i++)
    {
      HybRankEntry entry = line[i];
      gint64       at = kept;

      if (kept == k && !comes_before (&entry, &line[k - 1]))
        continue;
      if (kept == k)
        at = k - 1;
      else
        kept++;
      for (; at > 0 && comes_before (&entry, &line[at - 1]); at--)
        line[at] = line[at - 1];
      line[at] = entry;
    }
}

/* Merges the sorted runs from[0 … middle) and from[middle … end) into `to`. */
static void
merge_runs (const HybRankEntry *from, gint64 middle, gint64 end, HybRankEntry *to)
{
  gint64 a = 0, b = middle;

  for (gint64 i = 0; i < end; i++)
    if (b >= end || (a < middle && !comes_before (&from[b], &from[a])))
      to[i] = from[a++];
    else
      to[i] = from[b++];
}

/* Sorts the line by a stable merge sort; returns the one of the two arrays that holds the
 * result. */
static HybRankEntry *
sort_line (HybRankEntry *line, HybRankEntry *spare, gint64 n)
{
  for (gint64 at = 0; at < n; at += MAX_INSERTION)
    keep_first (line + at, MIN (MAX_INSERTION, n - at), MIN (MAX_INSERTION, n - at));

  for (gint64 width = MAX_INSERTION; width < n; width *= 2)
    {
      HybRankEntry *swap = line;

      for (gint64 at = 0; at < n; at += 2 * width)
        merge_runs (line + at, MIN (width, n - at), MIN (2 * width, n - at), spare + at);
      line = spare;
      spare = swap;
    }
  return line;
}

/* Returns the first k entries of the line at data[base], in order, in one of the two arrays; each has room for 2 k. */
static HybRankEntry *
select_first (const HybRanking *ranking, gint64 base, HybRankEntry *line, HybRankEntry *spare)
{
  gint64       k = ranking->k, n = 0;
  gboolean     is_limited = FALSE;
  HybRankEntry limit = { 0 };

  for (gint64 i = 0; i < ranking->length; i++)
    {
      HybRankEntry entry = read_entry (ranking, base, i);

      /* Of equal ones the earlier precedes, so that a later one never replaces the limit. */
      if (is_limited && !comes_before (&entry, &limit))
        continue;
      line[n++] = entry;
      if (n == 2 * k)
        {
          HybRankEntry *sorted = sort_line (line, spare, n);

          spare = sorted == line ? spare : line;
          line = sorted;
          limit = line[k - 1];
          is_limited = TRUE;
          n = k;
        }
    }
  return sort_line (line, spare, n);
}

/* Writes the first k entries of line number n, whose first element is data[base]. */
static void
write_line (const HybRanking *ranking, gint64 n, gint64 base, const HybRankEntry *line)
{
  gint64 inner = ranking->inner;
  gint64 out = n / inner * ranking->k * inner + n % inner;
  gsize  item = hyb_dtype_size (ranking->dtype);

  for (gint64 i = 0; i < ranking->k; i++)
    {
      gsize at = (gsize) (base + line[i].index * inner);
      gsize to = (gsize) (out + i * inner);

      if (ranking->values)
        memcpy ((char *) ranking->values + to * item, (const char *) ranking->data + at * item,
                item);
      if (ranking->indices)
        hyb_dtype_set_double (ranking->indices, ranking->index_dtype, to, (double) line[i].index);
      if (ranking->mask)
        hyb_dtype_set_double (ranking->mask, ranking->dtype, at, 1);
    }
}

/* As write_line(), for a line of floats in the order that hyb_rank_floats() gives. */
static void
write_floats (const HybRanking *ranking, gint64 n, gint64 base, const gint64 *order)
{
  const float *x = (const float *) ranking->data + base;
  gint64       inner = ranking->inner;
  gint64       out = inner == 1 ? n * ranking->k : n / inner * ranking->k * inner + n % inner;

  for (gint64 i = 0; i < ranking->k; i++)
    {
      gint64 index = order[i] & G_MAXUINT32, to = out + i * inner;

      if (ranking->values)
        ((float *) ranking->values)[to] = x[index * inner];
      if (ranking->indices && ranking->index_dtype == HYB_I64)
        ((gint64 *) ranking->indices)[to] = index;
      else if (ranking->indices)
        hyb_dtype_set_double (ranking->indices, ranking->index_dtype, (gsize) to, (double) index);
      if (ranking->mask)
        ((float *) ranking->mask)[base + index * inner] = 1;
    }
}

/* Slot number s ranks lines s, s + HYB_RANK_SLOTS, s + 2 HYB_RANK_SLOTS … */
static void
rank_slots (gint64 begin, gint64 end, gpointer data)
{
  const HybRanking *ranking = data;
  gint64            lines = ranking->outer * ranking->inner;
  gint64            length = ranking->length;

  for (gint64 slot = begin; slot < end; slot++)
    for (gint64 n = slot; n < lines; n += HYB_RANK_SLOTS)
      {
        HybRankEntry *line = ranking->scratch + slot * 2 * length;
        gint64        base = ranking->inner == 1
                                 ? n * length
                                 : n / ranking->inner * length * ranking->inner + n % ranking->inner;

        if (ranking->dtype == HYB_F32 && ranking->k > 0 && length <= HYB_RANK_FLOATS_MOST)
          {
            HybFloatLine floats = { (const float *) ranking->data + base, length, ranking->inner,
                                    ranking->k, ranking->is_ascend };

            write_floats (ranking, n, base, hyb_rank_floats (&floats, (gint64 *) (gpointer) line));
            continue;
          }
        if (ranking->k > MAX_INSERTION && ranking->k <= length / 2)
          line = select_first (ranking, base, line, line + length);
        else
          {
            read_line (ranking, base, line);
            if (ranking->k <= MAX_INSERTION)
              keep_first (line, length, ranking->k);
            else
              line = sort_line (line, line + length, length);
          }
        write_line (ranking, n, base, line);
      }
}

gsize
hyb_rank_workspace (gint64 n_lines, gint64 length)
{
  return (gsize) (MIN (HYB_RANK_SLOTS, n_lines) * 2 * length) * sizeof (HybRankEntry);
}

void
hyb_rank (const HybRanking *ranking)
{
  gint64 lines = ranking->outer * ranking->inner;
  gint64 grain = lines * ranking->length < 4096 ? HYB_RANK_SLOTS : 1;

  if (lines > 0 && ranking->length > 0)
    hyb_parallel_for (MIN (HYB_RANK_SLOTS, lines), grain, rank_slots, (gpointer) ranking);
}
