/* summary.c — takes medians over the traced runs of a capture, per node and per group of nodes.
 *
 * The times come from the matrix of nodes and runs (run-matrix.h).  Start reading at
 * prof_summary_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/summary.h"

#include "engine/op/op.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/cost.h"
#include "profiler/summary/run-matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *
prof_category_name (guint category)
{
  static const char *const names[HYB_N_CATEGORIES] = {
    [HYB_CATEGORY_DATA] = "data",
    [HYB_CATEGORY_ELEMENTWISE] = "elementwise",
    [HYB_CATEGORY_LINEAR] = "linear",
    [HYB_CATEGORY_CONVOLUTION] = "convolution",
    [HYB_CATEGORY_NORMALISATION] = "normalisation",
    [HYB_CATEGORY_REDUCTION] = "reduction",
    [HYB_CATEGORY_MOVEMENT] = "movement",
    [HYB_CATEGORY_RECURRENT] = "recurrent",
    [HYB_CATEGORY_CONTROL] = "control",
    [HYB_CATEGORY_LOSS] = "loss",
  };

  return category < HYB_N_CATEGORIES ? names[category] : "other";
}

static double *
dup_seconds (const guint64 *ns, guint n)
{
  double *seconds = g_new (double, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    seconds[i] = (double) ns[i] * 1e-9;
  return seconds;
}

/* Medians over the runs of one row of the matrix. */
static ProfNodeSum
sum_node (const ProfCapture *capture, const ProfRunMatrix *matrix, guint32 row, guint index)
{
  const ProfNode    *node = prof_capture_get_node (capture, row);
  gsize              at = (gsize) index * matrix->n_runs;
  g_autofree double *self = dup_seconds (matrix->self + at, matrix->n_runs);
  g_autofree double *inclusive = dup_seconds (matrix->inclusive + at, matrix->n_runs);
  ProfInterval       interval = prof_median_interval (self, matrix->n_runs, 0.95);
  double             count = (double) matrix->count[index] / MAX (matrix->n_runs, 1);

  return (ProfNodeSum){
    .row = row,
    .count = count,
    .self = interval.median,
    .low = interval.low,
    .high = interval.high,
    .inclusive = prof_median (inclusive, matrix->n_runs),
    .flops = count * node->flops,
    .bytes = count * (node->bytes_read + node->bytes_written),
  };
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  const ProfNodeSum *x = a, *y = b;

  if (x->self != y->self)
    return x->self < y->self ? 1 : -1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const ProfGroupSum *x = a, *y = b;

  if (x->self != y->self)
    return x->self < y->self ? 1 : -1;
  return strcmp (x->name, y->name);
}

/* The cost of a loop or a fused layer includes its bodies and parts, which are counted themselves. */
static double
work_outside_bodies (const ProfNode *node, double work)
{
  return prof_node_is_divided (node) ? 0 : work;
}

/* Sums of all nodes with the same name, as name_of gives it. */
static GArray *
sum_groups (const ProfCapture *capture,
            const ProfSummary *summary,
            const char *(*name_of) (const ProfCapture *, const ProfNode *) )
{
  GArray *groups = g_array_new (FALSE, TRUE, sizeof (ProfGroupSum));
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);
      const char        *name = name_of (capture, node);
      guint              index = GPOINTER_TO_UINT (g_hash_table_lookup (known, name));
      ProfGroupSum      *to;

      if (index == 0)
        {
          ProfGroupSum fresh = { .name = name, .category = node->category };

          g_array_append_val (groups, fresh);
          index = groups->len;
          g_hash_table_insert (known, (gpointer) name, GUINT_TO_POINTER (index));
        }
      to = &g_array_index (groups, ProfGroupSum, index - 1);
      to->n_nodes++;
      to->count += sum->count;
      to->self += sum->self;
      to->inclusive += sum->inclusive;
      to->share += summary->traced > 0 ? sum->self / summary->traced : 0;
      to->flops += work_outside_bodies (node, sum->flops);
      to->bytes += work_outside_bodies (node, sum->bytes);
    }
  g_array_sort (groups, compare_groups);
  return groups;
}

static const char *
type_of (const ProfCapture *capture, const ProfNode *node)
{
  return prof_capture_get_string (capture, node->type);
}

static const char *
scope_of (const ProfCapture *capture, const ProfNode *node)
{
  return prof_capture_get_string (capture, node->scope);
}

static const char *
category_of (const ProfCapture *capture, const ProfNode *node)
{
  return prof_category_name (node->category);
}

ProfSummary *
prof_summary_new (const ProfCapture *capture)
{
  ProfSummary  *summary = g_new0 (ProfSummary, 1);
  ProfRunMatrix matrix;
  double        per_span = prof_capture_get_number (capture, "trace.overhead_ns");
  double        per_clock = prof_capture_get_number (capture, "trace.clock_ns");
  guint         index = 0;

  prof_run_matrix_init (&matrix, capture, &summary->by_row);
  summary->n_runs = matrix.n_runs;
  summary->traced = prof_median (matrix.wall, matrix.n_runs);
  summary->nodes = prof_median (matrix.nodes, matrix.n_runs);
  summary->between = summary->traced - summary->nodes;
  summary->n_spans = prof_median (matrix.spans, matrix.n_runs);
  /* In an exact run the second clock reading of each node is between nodes, too. */
  summary->interpreter =
      matrix.exact_between - (isfinite (per_clock) ? per_clock * 1e-9 * summary->n_spans : 0);
  if (summary->interpreter < 0)
    summary->interpreter = 0; /* NaN stays NaN: there was no exact run */
  summary->overhead = isfinite (per_span) ? per_span * 1e-9 * summary->n_spans : 0;
  summary->unattributed = prof_median (matrix.lost, matrix.n_runs);

  summary->node = g_array_new (FALSE, FALSE, sizeof (ProfNodeSum));
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    if (summary->by_row[row] != PROF_NONE)
      {
        ProfNodeSum sum = sum_node (capture, &matrix, row, index++);

        g_array_append_val (summary->node, sum);
      }
  g_array_sort (summary->node, compare_nodes);
  for (guint i = 0; i < summary->node->len; i++)
    summary->by_row[g_array_index (summary->node, ProfNodeSum, i).row] = i;

  summary->operators = sum_groups (capture, summary, type_of);
  summary->scope = sum_groups (capture, summary, scope_of);
  summary->category = sum_groups (capture, summary, category_of);
  summary->step = prof_summary_steps_of (capture, PROF_NONE);
  prof_run_matrix_clear (&matrix);
  return summary;
}

void
prof_summary_free (ProfSummary *summary)
{
  if (!summary)
    return;
  g_array_unref (summary->node);
  g_array_unref (summary->operators);
  g_array_unref (summary->scope);
  g_array_unref (summary->category);
  g_array_unref (summary->step);
  g_free (summary->by_row);
  g_free (summary);
}

double
prof_node_rate (const ProfNode *node, const ProfNodeSum *sum)
{
  return sum->self > 0 && !prof_node_is_divided (node) ? sum->flops / sum->self : NAN;
}
