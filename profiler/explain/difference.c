/* difference.c — matches the nodes of two captures and compares their times.
 *
 * Two passes of matching: by name and operator type, then by name alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/difference.h"

#include "profiler/summary/run-matrix.h"

#include <math.h>

/* One of the two captures. */
typedef struct
{
  const ProfCapture *capture;
  ProfRunMatrix      matrix;
  guint32           *by_row;  /* row of the matrix by row of the capture; PROF_NONE: did not run */
  gboolean          *is_used; /* by row: matched already */
} Side;

/* The key that nodes are matched by: graph, name and, with_operator, the operator type.  (transfer
 * full) */
static char *
key_of (const ProfCapture *capture, guint32 row, gboolean with_operator)
{
  const ProfNode  *node = prof_capture_get_node (capture, row);
  const ProfGraph *graph = node->graph < prof_capture_n_graphs (capture)
                               ? prof_capture_get_graph (capture, node->graph)
                               : NULL;

  return g_strdup_printf ("%s\n%u\n%s\n%s",
                          graph ? prof_capture_get_string (capture, graph->name) : "",
                          graph ? graph->body : 0, prof_capture_get_string (capture, node->name),
                          with_operator ? prof_capture_get_string (capture, node->type) : "");
}

/* Self seconds of a row by run.  (transfer full) */
static double *
dup_runs (const Side *side, guint32 row)
{
  guint   n = side->matrix.n_runs;
  double *runs = g_new (double, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    runs[i] = (double) side->matrix.self[(gsize) side->by_row[row] * n + i] * 1e-9;
  return runs;
}

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  const ProfDifference *x = a, *y = b;
  double                of_x = fabs ((isfinite (x->b) ? x->b : 0) - (isfinite (x->a) ? x->a : 0));
  double                of_y = fabs ((isfinite (y->b) ? y->b : 0) - (isfinite (y->a) ? y->a : 0));

  return of_x < of_y ? 1 : of_x > of_y ? -1 : 0;
}

/* Compares n_b runs of b with n_a runs of a. */
static void
compare_runs (const double *b, guint n_b, const double *a, guint n_a, ProfPairing *pairing)
{
  ProfInterval of_a = prof_median_interval (a, n_a, 0.95);
  ProfInterval of_b = prof_median_interval (b, n_b, 0.95);

  prof_compare_unpaired (&of_b, &of_a, PROF_BUILD_DEVIATION, pairing);
  pairing->n = MIN (n_a, n_b);
}

static void
add_pair (GArray *list, const Side *a, guint32 row_a, const Side *b, guint32 row_b)
{
  g_autofree double *runs_a = row_a != PROF_NONE ? dup_runs (a, row_a) : NULL;
  g_autofree double *runs_b = row_b != PROF_NONE ? dup_runs (b, row_b) : NULL;
  guint              n_a = row_a != PROF_NONE ? a->matrix.n_runs : 0;
  guint              n_b = row_b != PROF_NONE ? b->matrix.n_runs : 0;
  const ProfCapture *named = row_a != PROF_NONE ? a->capture : b->capture;
  guint32            row = row_a != PROF_NONE ? row_a : row_b;
  ProfDifference     difference = {
        .name = prof_capture_get_string (named, prof_capture_get_node (named, row)->name),
        .row_a = row_a,
        .row_b = row_b,
        .a = prof_median (runs_a, n_a),
        .b = prof_median (runs_b, n_b),
  };

  compare_runs (runs_b, n_b, runs_a, n_a, &difference.pairing);
  g_array_append_val (list, difference);
}

/* Matches the rows that are not matched yet. */
static void
match (GArray *list, const Side *a, const Side *b, gboolean with_operator)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 i = 0; i < prof_capture_n_nodes (b->capture); i++)
    if (b->by_row[i] != PROF_NONE && !b->is_used[i])
      g_hash_table_insert (rows, key_of (b->capture, i, with_operator), GUINT_TO_POINTER (i + 1));
  for (guint32 i = 0; i < prof_capture_n_nodes (a->capture); i++)
    {
      g_autofree char *key = NULL;
      guint32          other;

      if (a->by_row[i] == PROF_NONE || a->is_used[i])
        continue;
      key = key_of (a->capture, i, with_operator);
      other = GPOINTER_TO_UINT (g_hash_table_lookup (rows, key)) - 1;
      if (other == PROF_NONE || b->is_used[other])
        continue;
      add_pair (list, a, i, b, other);
      a->is_used[i] = b->is_used[other] = TRUE;
    }
}

static void
side_init (Side *side, const ProfCapture *capture)
{
  *side = (Side){ .capture = capture };
  prof_run_matrix_init (&side->matrix, capture, &side->by_row);
  side->is_used = g_new0 (gboolean, MAX (prof_capture_n_nodes (capture), 1));
}

static void
side_clear (Side *side)
{
  prof_run_matrix_clear (&side->matrix);
  g_free (side->by_row);
  g_free (side->is_used);
}

GArray *
prof_difference (const ProfCapture *capture_a, const ProfCapture *capture_b)
{
  Side    a, b;
  GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfDifference));

  side_init (&a, capture_a);
  side_init (&b, capture_b);
  match (list, &a, &b, TRUE);
  match (list, &a, &b, FALSE);
  for (guint32 i = 0; i < prof_capture_n_nodes (capture_a); i++)
    if (a.by_row[i] != PROF_NONE && !a.is_used[i])
      add_pair (list, &a, i, &b, PROF_NONE);
  for (guint32 i = 0; i < prof_capture_n_nodes (capture_b); i++)
    if (b.by_row[i] != PROF_NONE && !b.is_used[i])
      add_pair (list, &a, PROF_NONE, &b, i);

  g_array_sort (list, compare_changes);
  side_clear (&a);
  side_clear (&b);
  return list;
}

/* --- By groups --- */

/* Self seconds by group and run; NaN if no node of the group ran.  (transfer full) */
static double *
sum_groups (const ProfCapture *capture, const guint32 *group, guint n_groups, guint *n_runs)
{
  Side    side = { .capture = capture };
  double *sums;
  gsize   n;

  prof_run_matrix_init (&side.matrix, capture, &side.by_row);
  *n_runs = side.matrix.n_runs;
  n = (gsize) n_groups * *n_runs;
  sums = g_new (double, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    sums[i] = NAN;
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    {
      double            *to;
      g_autofree double *runs = NULL;

      if (side.by_row[row] == PROF_NONE || group[row] >= n_groups)
        continue;
      runs = dup_runs (&side, row);
      to = sums + (gsize) group[row] * *n_runs;
      for (guint run = 0; run < *n_runs; run++)
        to[run] = isnan (to[run]) ? runs[run] : to[run] + runs[run];
    }
  prof_run_matrix_clear (&side.matrix);
  g_free (side.by_row);
  return sums;
}

GArray *
prof_difference_groups (const ProfCapture *a,
                        const guint32     *group_a,
                        const ProfCapture *b,
                        const guint32     *group_b,
                        guint              n_groups)
{
  GArray            *list = g_array_sized_new (FALSE, TRUE, sizeof (ProfDifference), n_groups);
  guint              n_a, n_b;
  g_autofree double *sums_a = sum_groups (a, group_a, n_groups, &n_a);
  g_autofree double *sums_b = sum_groups (b, group_b, n_groups, &n_b);

  for (guint i = 0; i < n_groups; i++)
    {
      const double  *of_a = sums_a + (gsize) i * n_a, *of_b = sums_b + (gsize) i * n_b;
      ProfDifference difference = { .row_a = PROF_NONE, .row_b = PROF_NONE };
      guint          has_a = n_a > 0 && !isnan (of_a[0]) ? n_a : 0;
      guint          has_b = n_b > 0 && !isnan (of_b[0]) ? n_b : 0;

      difference.a = prof_median (of_a, has_a);
      difference.b = prof_median (of_b, has_b);
      compare_runs (of_b, has_b, of_a, has_a, &difference.pairing);
      g_array_append_val (list, difference);
    }
  return list;
}
