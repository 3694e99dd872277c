/* summary.c — takes means over the typical traced runs of a capture, per node and per group of nodes.
 *
 * The times come from the matrix of nodes and runs (run-matrix.h).  Start reading at
 * prof_summary_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/summary.h"

#include "engine/op/op.h"
#include "profiler/base/format.h"
#include "profiler/base/machine.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/cost.h"
#include "profiler/summary/typical-runs.h"

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

/* The input of a summary. */
typedef struct
{
  const ProfCapture *capture;
  ProfRunMatrix      matrix;
  ProfTypicalRuns    typical;
} SummarySource;

/* Means over the typical runs of one row of the matrix. */
static ProfNodeSum
sum_node (const SummarySource *source, guint32 row, guint index)
{
  const ProfRunMatrix *matrix = &source->matrix;
  const ProfNode      *node = prof_capture_get_node (source->capture, row);
  gsize                at = (gsize) index * matrix->n_runs;
  g_autofree double   *all = dup_seconds (matrix->self + at, matrix->n_runs);
  ProfInterval         interval = prof_median_interval (all, matrix->n_runs, 0.95);
  double               self = prof_typical_mean (&source->typical, matrix->self + at);
  double               count = (double) matrix->count[index] / MAX (matrix->n_runs, 1);

  const ProfNodeDetail *detail = prof_capture_find_detail (source->capture, row);

  return (ProfNodeSum){
    .row = row,
    .count = count,
    .allocated = detail ? count * detail->allocated : NAN,
    .inputs = detail ? prof_capture_get_string (source->capture, detail->inputs) : "",
    .self = self,
    .low = MIN (interval.low, self),
    .high = MAX (interval.high, self),
    .inclusive = prof_typical_mean (&source->typical, matrix->inclusive + at),
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
      to->allocated += isfinite (sum->allocated) ? sum->allocated : 0;
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

/* The column of the used run whose length is nearest to the mean; there must be one. */
static guint
find_nearest (const SummarySource *source, double mean)
{
  const ProfRunMatrix *matrix = &source->matrix;
  guint                best = 0;

  for (guint i = 1; i < source->typical.n; i++)
    if (fabs (matrix->wall[source->typical.column[i]] - mean) <
        fabs (matrix->wall[source->typical.column[best]] - mean))
      best = i;
  return source->typical.column[best];
}

/* Seconds between nodes, from the exact runs. */
static void
sum_exact (ProfSummary *summary, const SummarySource *source)
{
  const GArray      *exact = source->matrix.exact;
  double             per_clock = prof_capture_get_number (source->capture, "trace.clock_ns") * 1e-9;
  g_autofree double *between = g_new (double, MAX (exact->len, 1));
  g_autofree double *wall = g_new (double, MAX (exact->len, 1));

  summary->interpreter_low = summary->interpreter_high = NAN;
  for (guint i = 0; i < exact->len; i++)
    {
      const ProfExactRun *run = &g_array_index (exact, ProfExactRun, i);

      /* The second clock reading of each node is between nodes, too. */
      between[i] = run->between - (isfinite (per_clock) ? per_clock * run->spans : 0);
      between[i] = MAX (between[i], 0);
      wall[i] = run->wall;
      summary->interpreter_low = fmin (summary->interpreter_low, between[i]);
      summary->interpreter_high = fmax (summary->interpreter_high, between[i]);
    }
  summary->interpreter = prof_median (between, exact->len);
  summary->exact = prof_median (wall, exact->len);
}

/* Everything but the tables. */
static void
sum_runs (ProfSummary *summary, const SummarySource *source)
{
  const ProfRunMatrix   *matrix = &source->matrix;
  const ProfTypicalRuns *typical = &source->typical;
  double                 per_span = prof_capture_get_number (source->capture, "trace.overhead_ns");
  guint                  n_clean;
  g_autofree double     *clean = prof_capture_dup_undisturbed (source->capture, &n_clean, NULL);

  summary->n_runs = matrix->n_runs;
  summary->n_dropped = matrix->n_dropped;
  summary->n_used = typical->n;
  summary->n_disturbed = typical->n_disturbed;
  summary->traced = prof_typical_mean (typical, matrix->wall_ns);
  summary->between = prof_typical_mean (typical, matrix->between);
  summary->other = prof_typical_mean (typical, matrix->other);
  summary->no_operator = prof_typical_mean (typical, matrix->no_operator);
  summary->device_busy = prof_typical_mean (typical, matrix->busy);
  summary->is_of_device = prof_capture_get_text (source->capture, PROF_DEVICE_TRACE_KEY) != NULL;
  summary->nodes = summary->traced - summary->between;
  if (typical->n > 0)
    {
      guint nearest = find_nearest (source, summary->traced);

      summary->run = matrix->run[nearest];
      summary->is_run_disturbed = typical->is_disturbed[nearest];
    }
  summary->n_spans = prof_median (matrix->spans, matrix->n_runs);
  summary->overhead = isfinite (per_span) ? per_span * 1e-9 * summary->n_spans : 0;
  summary->unattributed = prof_median (matrix->lost, matrix->n_runs);
  summary->clean = prof_median (clean, n_clean);
  summary->noise = summary->traced - summary->clean - summary->overhead;
  /* The cost of tracing the GPU is not known, and the host's spans are not part of the GPU's times. */
  if (summary->is_of_device)
    {
      summary->overhead = 0;
      summary->noise = NAN;
    }
  sum_exact (summary, source);
}

static GArray *
list_used (const SummarySource *source)
{
  GArray *used = g_array_new (FALSE, FALSE, sizeof (guint16));

  for (guint i = 0; i < source->typical.n; i++)
    g_array_append_val (used, source->matrix.run[source->typical.column[i]]);
  return used;
}

/* Everything of a summary from its source.  index_of_row: by row, becomes the summary's. */
static ProfSummary *
sum_source (const SummarySource *source, guint32 *index_of_row)
{
  const ProfCapture *capture = source->capture;
  ProfSummary       *summary = g_new0 (ProfSummary, 1);
  guint              index = 0;

  summary->by_row = index_of_row;
  sum_runs (summary, source);
  summary->node = g_array_new (FALSE, FALSE, sizeof (ProfNodeSum));
  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    if (summary->by_row[row] != PROF_NONE)
      {
        ProfNodeSum sum = sum_node (source, row, index++);

        g_array_append_val (summary->node, sum);
      }
  g_array_sort (summary->node, compare_nodes);
  for (guint i = 0; i < summary->node->len; i++)
    summary->by_row[g_array_index (summary->node, ProfNodeSum, i).row] = i;

  summary->operators = sum_groups (capture, summary, type_of);
  summary->scope = sum_groups (capture, summary, scope_of);
  summary->category = sum_groups (capture, summary, category_of);
  summary->used = list_used (source);
  summary->step = prof_summary_steps_of (capture, PROF_NONE, summary->used);
  return summary;
}

ProfSummary *
prof_summary_new (const ProfCapture *capture)
{
  SummarySource source = { .capture = capture };
  guint32      *index_of_row;
  ProfSummary  *summary;

  prof_run_matrix_init (&source.matrix, capture, &index_of_row);
  prof_typical_runs_init (&source.typical, &source.matrix, capture);
  summary = sum_source (&source, index_of_row);
  prof_typical_runs_clear (&source.typical);
  prof_run_matrix_clear (&source.matrix);
  return summary;
}

ProfSummary *
prof_summary_new_of_run (const ProfCapture *capture, guint number)
{
  SummarySource source = { .capture = capture };
  guint32      *index_of_row;
  ProfSummary  *summary = NULL;
  guint         column = 0;

  prof_run_matrix_init (&source.matrix, capture, &index_of_row);
  while (column < source.matrix.n_runs && source.matrix.run[column] != number)
    column++;
  if (column < source.matrix.n_runs)
    {
      prof_typical_runs_init_one (&source.typical, &source.matrix, capture, column);
      summary = sum_source (&source, index_of_row);
      prof_typical_runs_clear (&source.typical);
    }
  else
    g_free (index_of_row);
  prof_run_matrix_clear (&source.matrix);
  return summary;
}

/* Tukey's rule: beyond the quartiles by more than 1.5 times their distance. */
static void
mark_outliers (GArray *runs)
{
  g_autofree double *sorted = g_new (double, MAX (runs->len, 1));
  double             low, high;

  for (guint i = 0; i < runs->len; i++)
    sorted[i] = g_array_index (runs, ProfTracedRun, i).seconds;
  low = prof_quantile (sorted, runs->len, 0.25);
  high = prof_quantile (sorted, runs->len, 0.75);
  for (guint i = 0; i < runs->len; i++)
    {
      ProfTracedRun *run = &g_array_index (runs, ProfTracedRun, i);

      run->is_outlier =
          run->seconds > high + 1.5 * (high - low) || run->seconds < low - 1.5 * (high - low);
    }
}

GArray *
prof_traced_runs (const ProfCapture *capture)
{
  SummarySource       source = { .capture = capture };
  g_autofree guint32 *index_of_row = NULL;
  GArray             *runs = g_array_new (FALSE, TRUE, sizeof (ProfTracedRun));

  prof_run_matrix_init (&source.matrix, capture, &index_of_row);
  prof_typical_runs_init (&source.typical, &source.matrix, capture);
  for (guint i = 0; i < source.matrix.n_runs; i++)
    {
      ProfTracedRun run = { .number = source.matrix.run[i],
                            .seconds = source.matrix.wall[i],
                            .is_disturbed = source.typical.is_disturbed[i] };

      for (guint k = 0; k < source.typical.n; k++)
        run.is_used |= source.typical.column[k] == i;
      g_array_append_val (runs, run);
    }
  mark_outliers (runs);
  prof_typical_runs_clear (&source.typical);
  prof_run_matrix_clear (&source.matrix);
  return runs;
}

static ProfGroupSum
rest_row (const ProfSummary *summary, const char *name, double seconds)
{
  return (ProfGroupSum){
    .name = name,
    .self = seconds,
    .inclusive = seconds,
    .share = summary->traced > 0 ? seconds / summary->traced : 0,
    .flops = NAN,
    .bytes = NAN,
    .allocated = NAN,
    .category = HYB_N_CATEGORIES,
  };
}

guint
prof_summary_rest (const ProfSummary *summary, ProfGroupSum rest[PROF_MAX_REST])
{
  guint n = 0;

  if (summary->n_used == 0)
    return 0;
  rest[n++] = rest_row (summary, summary->is_of_device ? "(GPU idle)" : "(between operators)",
                        summary->between);
  if (summary->other > 0)
    rest[n++] = rest_row (summary, "(passes and copies)", summary->other);
  if (summary->no_operator > 0)
    rest[n++] = rest_row (summary, "(GPU, no operator)", summary->no_operator);
  return n;
}

/* Which traced runs are left out, as a sentence behind another; "" if all are summed. */
static char *
dup_left_out (const ProfSummary *summary)
{
  if (summary->n_dropped == 0)
    return g_strdup ("");
  return g_strdup_printf ("%u of %u traced runs are left out: their times would take more memory "
                          "than "
                          "the limit for a file of its size.",
                          summary->n_dropped, summary->n_dropped + summary->n_runs);
}

/* The same where a trace followed a GPU.  left_out: as dup_left_out().  (transfer full) */
static char *
relate_device (const ProfSummary *summary, const char *left_out)
{
  double           idle = MAX (summary->clean - summary->device_busy, 0);
  g_autofree char *traced = prof_format_seconds (summary->traced);
  g_autofree char *clean = prof_format_seconds (summary->clean);
  g_autofree char *busy = prof_format_seconds (summary->device_busy);

  return g_strdup_printf (
      "Shares are of the traced time: %s, the mean of the %u most typical of %u traced runs, "
      "×%.2f of a clean run (%s). Operators have the time that the GPU worked for them. It worked "
      "for %s, so in a clean run it idles for %.0f %%; tracing makes launches, and so the time in "
      "which it idles, longer.%s%s",
      traced, summary->n_used, summary->n_runs, summary->traced / summary->clean, clean, busy,
      100 * idle / summary->clean, *left_out ? " " : "", left_out);
}

char *
prof_summary_relation (const ProfSummary *summary)
{
  g_autofree char *left_out = dup_left_out (summary);
  g_autofree char *traced = prof_format_seconds (summary->traced);
  g_autofree char *clean = prof_format_seconds (summary->clean);
  g_autofree char *overhead = prof_format_seconds (summary->overhead);
  g_autofree char *noise = prof_format_seconds (fabs (summary->noise));

  if (summary->n_used == 0 || !(summary->clean > 0))
    return *left_out ? g_steal_pointer (&left_out) : NULL;
  if (summary->is_of_device)
    return relate_device (summary, left_out);
  return g_strdup_printf (
      "Shares are of the traced time: %s, the mean of the %u most typical of %u "
      "traced runs, ×%.2f of a clean run (%s). Recording accounts for %s of the "
      "difference; without it traced runs were %s %s, which is noise.%s%s",
      traced, summary->n_used, summary->n_runs, summary->traced / summary->clean, clean, overhead,
      noise, summary->noise >= 0 ? "slower" : "faster", *left_out ? " " : "", left_out);
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
  g_array_unref (summary->used);
  g_free (summary->by_row);
  g_free (summary);
}

double
prof_node_rate (const ProfNode *node, const ProfNodeSum *sum)
{
  return sum->self > 0 && !prof_node_is_divided (node) ? sum->flops / sum->self : NAN;
}
