/* sweep-placement.c — finds cells whose times another cell on the same machine has spoilt.
 *
 * Workers of one machine wait for each other, but a scheduler may place two of them where they cannot see each other, in two
 * containers of one node for example.  Their cells then overlap in time.  A worker alone measures one cell after the other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-results.h"

#include <math.h>

#define TOLERANCE 0.05 /* seconds: an end is noted a moment after it */

static int
compare_begins (gconstpointer a, gconstpointer b, gpointer data)
{
  const ScopeSweepResult *cells = data, *x = &cells[*(const guint *) a],
                         *y = &cells[*(const guint *) b];
  int by_host = g_strcmp0 (x->host, y->host);

  if (by_host != 0)
    return by_host;
  return (x->began > y->began) - (x->began < y->began);
}

static gboolean
is_timed (const ScopeSweepResult *result)
{
  return result->is_done && result->host && isfinite (result->began) && isfinite (result->ended);
}

guint
scope_sweep_results_find_crowded (ScopeSweepResults *results)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  ScopeSweepResult *last = NULL; /* of the earlier ones, the one that ended last on this machine */
  guint             n = 0;

  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    if (is_timed (&results->cells[cell]))
      g_array_append_val (order, cell);
  g_array_sort_with_data (order, compare_begins, results->cells);
  for (guint i = 0; i < order->len; i++)
    {
      ScopeSweepResult *result = &results->cells[g_array_index (order, guint, i)];

      if (last && g_strcmp0 (last->host, result->host) != 0)
        last = NULL;
      if (last && result->began + TOLERANCE < last->ended &&
          g_strcmp0 (last->worker, result->worker) != 0)
        {
          n += !last->is_crowded + !result->is_crowded;
          last->is_crowded = result->is_crowded = TRUE;
        }
      if (!last || result->ended > last->ended)
        last = result;
    }
  return n;
}
