/* match-structure.c — composes two lists of matches.
 *
 * A conversion has two stages (variants.c), each with matches of its own; users see those from the
 * first graph to the last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/match-structure.h"

static int
compare (gconstpointer x, gconstpointer y)
{
  const HybMatch *a = x, *b = y;

  if (a->a != b->a)
    return a->a < b->a ? -1 : 1;
  if (a->b != b->b)
    return a->b < b->b ? -1 : 1;
  return a->step - b->step;
}

/* The index of the first match whose a is this node or a later one.  matches is sorted. */
static guint
find_from (const GArray *matches, HybNodeId a)
{
  guint low = 0, high = matches->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (matches, HybMatch, middle).a < a)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

GArray *
hyb_matches_compose (const GArray *first, const GArray *second)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (HybMatch));
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (HybMatch));
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) second);

  g_array_sort (sorted, compare);
  for (guint i = 0; i < first->len; i++)
    {
      const HybMatch *one = &g_array_index (first, HybMatch, i);

      for (guint k = find_from (sorted, one->b); k < sorted->len; k++)
        {
          HybMatch match = g_array_index (sorted, HybMatch, k);

          /* sorted is in order of a, so the matches of one node are consecutive. */
          if (match.a != one->b)
            break;
          match.a = one->a;
          match.step = match.step >= 0 ? match.step : one->step;
          g_array_append_val (all, match);
        }
    }
  /* Several paths may lead from one node to the same other one: keep each pair once. */
  g_array_sort (all, compare);
  for (guint i = 0; i < all->len; i++)
    if (i == 0 ||
        compare (&g_array_index (all, HybMatch, i - 1), &g_array_index (all, HybMatch, i)))
      g_array_append_val (kept, g_array_index (all, HybMatch, i));
  g_array_unref (all);
  return kept;
}
