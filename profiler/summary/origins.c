/* origins.c — sorts the sources of nodes that ran, in both directions.
 *
 * The source of a row without entries in the capture is itself, or the node that it was made from.
 * Start reading at prof_origins_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/origins.h"

/* A chain of origins in a damaged file may be a circle. */
#define MAX_CHAIN 64

struct _ProfOrigins
{
  const ProfCapture *capture;
  const ProfSummary *summary;
  GArray            *of_row;    /* of ProfOrigin, by row */
  GArray            *computing; /* of ProfOrigin, by node of the model */
};

/* --- Order --- */

static int
compare_numbers (guint32 a, guint32 b)
{
  return a < b ? -1 : a > b;
}

/* By row; computed nodes first. */
static int
compare_of_row (gconstpointer a, gconstpointer b)
{
  const ProfOrigin *x = a, *y = b;
  int               order = compare_numbers (x->row, y->row);

  order = order ? order : compare_numbers (x->role, y->role);
  return order ? order : compare_numbers (x->of, y->of);
}

/* By node of the model; rows that compute it first, then the slower ones: the summary lists them so. */
static int
compare_computing (gconstpointer a, gconstpointer b, gpointer data)
{
  const ProfSummary *summary = data;
  const ProfOrigin  *x = a, *y = b;
  int                order = compare_numbers (x->of, y->of);

  order = order ? order : compare_numbers (x->role, y->role);
  return order ? order : compare_numbers (summary->by_row[x->row], summary->by_row[y->row]);
}

/* --- Collecting --- */

static gboolean
is_model_row (const ProfCapture *capture, guint32 row)
{
  return row < prof_capture_n_nodes (capture) &&
         (prof_capture_get_node (capture, row)->flags & PROF_NODE_ADDED) == 0;
}

/* The node of the model that an added one was made from; PROF_NONE if there is none. */
static guint32
follow_chain (const ProfCapture *capture, guint32 row)
{
  for (guint i = 0; i < MAX_CHAIN && row < prof_capture_n_nodes (capture); i++)
    {
      if (is_model_row (capture, row))
        return row;
      row = prof_capture_get_node (capture, row)->origin;
    }
  return PROF_NONE;
}

static gboolean
is_phase (const ProfCapture *capture, guint32 row)
{
  return (prof_capture_get_node (capture, row)->flags & PROF_NODE_PHASE) != 0;
}

/* Adds the entries of the file whose rows ran.  has: by row, set for those. */
static void
add_stored (ProfOrigins *origins, guint8 *has)
{
  guint             n;
  const ProfOrigin *stored = prof_capture_get_origins (origins->capture, &n);
  guint             n_rows = prof_capture_n_nodes (origins->capture);

  for (guint i = 0; i < n; i++)
    {
      ProfOrigin origin = stored[i];

      if (origin.row >= n_rows || !is_model_row (origins->capture, origin.of) ||
          origins->summary->by_row[origin.row] == PROF_NONE)
        continue;
      origin.role = MIN (origin.role, PROF_N_ROLES - 1);
      has[origin.row] = TRUE;
      g_array_append_val (origins->of_row, origin);
    }
}

ProfOrigins *
prof_origins_new (const ProfCapture *capture, const ProfSummary *summary)
{
  ProfOrigins       *origins = g_new0 (ProfOrigins, 1);
  g_autofree guint8 *has = g_new0 (guint8, MAX (prof_capture_n_nodes (capture), 1));

  origins->capture = capture;
  origins->summary = summary;
  origins->of_row = g_array_new (FALSE, FALSE, sizeof (ProfOrigin));
  add_stored (origins, has);
  for (guint i = 0; i < summary->node->len; i++)
    {
      guint32    row = g_array_index (summary->node, ProfNodeSum, i).row;
      ProfOrigin origin = { row, follow_chain (capture, row), PROF_COMPUTES, 0 };

      if (!has[row] && !is_phase (capture, row) && origin.of != PROF_NONE)
        g_array_append_val (origins->of_row, origin);
    }
  g_array_sort (origins->of_row, compare_of_row);
  origins->computing = g_array_copy (origins->of_row);
  g_array_sort_with_data (origins->computing, compare_computing, (gpointer) summary);
  return origins;
}

void
prof_origins_free (ProfOrigins *origins)
{
  if (!origins)
    return;
  g_array_unref (origins->of_row);
  g_array_unref (origins->computing);
  g_free (origins);
}

/* --- Looking up --- */

static guint32
key_of (const ProfOrigin *origin, gboolean by_row)
{
  return by_row ? origin->row : origin->of;
}

/* The entries of list with a key, by which it is sorted. */
static const ProfOrigin *
find (const GArray *list, guint32 key, gboolean by_row, guint *n)
{
  const ProfOrigin *all = (const ProfOrigin *) (gpointer) list->data;
  guint             low = 0, high = list->len, end;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (key_of (&all[middle], by_row) < key)
        low = middle + 1;
      else
        high = middle;
    }
  end = low;
  while (end < list->len && key_of (&all[end], by_row) == key)
    end++;
  *n = end - low;
  /* The data of an empty list is NULL, to which nothing may be added. */
  return *n > 0 ? all + low : NULL;
}

const ProfOrigin *
prof_origins_of (const ProfOrigins *origins, guint32 row, guint *n)
{
  guint n_rows = prof_capture_n_nodes (origins->capture);

  for (guint i = 0; i < MAX_CHAIN && row < n_rows && is_phase (origins->capture, row); i++)
    row = prof_capture_get_node (origins->capture, row)->origin;
  return find (origins->of_row, row, TRUE, n);
}

guint
prof_origins_n_computed (const ProfOrigins *origins, guint32 row)
{
  guint             n, n_computed = 0;
  const ProfOrigin *all = prof_origins_of (origins, row, &n);

  while (n_computed < n && all[n_computed].role == PROF_COMPUTES)
    n_computed++;
  return n_computed;
}

const ProfOrigin *
prof_origins_computing (const ProfOrigins *origins, guint32 of, guint *n)
{
  return find (origins->computing, of, FALSE, n);
}
