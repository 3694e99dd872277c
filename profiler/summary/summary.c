/* summary.c — the events of a capture added up.
 *
 * Events come when they end, so the children of an event are those one level deeper
 * since the last event of its own level: one pass with one sum a level gives self times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/summary.h"

#include "engine/op/op.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/summary-private.h"

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

/* --- Going through events --- */

void
prof_walk_events (const ProfCapture *capture, ProfEventFunc func, gpointer data)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  guint64          inside[PROF_DEPTH_MAX + 2] = { 0 };

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      ProfEventKind kind = prof_event_kind (&events[i]);
      guint         depth = prof_event_depth (&events[i]);
      guint64       duration = prof_event_duration (&events[i]);
      guint64       self = duration - MIN (duration, inside[depth + 1]);

      if (kind == PROF_EVENT_MEMORY || kind >= PROF_N_EVENTS)
        continue;
      inside[depth + 1] = 0;
      inside[depth] += duration;
      if (kind == PROF_EVENT_RUN)
        memset (inside, 0, sizeof inside);
      func (data, &events[i], duration, self);
    }
}

typedef struct
{
  const ProfCapture *capture;
  Matrix            *matrix;
  guint32           *by_row;
  guint             *column; /* by run: column of the matrix; G_MAXUINT: none */
  guint              n_columns, exact;
  guint64            in_nodes; /* of the run that is going on, outermost nodes only */
  guint64            lost;     /* of those, without a row */
  guint64            n_spans;
  guint64            n_exact;
} Pass;

static guint32
row_of (const Pass *pass, const ProfEvent *event)
{
  return event->node < prof_capture_n_nodes (pass->capture) ? event->node : PROF_NONE;
}

static void
add_event (gpointer data, const ProfEvent *event, guint64 duration, guint64 self)
{
  Pass   *pass = data;
  Matrix *matrix = pass->matrix;
  guint   column = event->run < pass->n_columns ? pass->column[event->run] : G_MAXUINT;
  guint32 row, index;

  switch (prof_event_kind (event))
    {
    case PROF_EVENT_NODE:
      pass->n_spans++;
      if (prof_event_depth (event) == 1)
        pass->in_nodes += duration;
      row = row_of (pass, event);
      if (row == PROF_NONE)
        pass->lost += self;
      if (row == PROF_NONE || column == G_MAXUINT)
        return;
      index = pass->by_row[row];
      matrix->self[(gsize) index * matrix->n_runs + column] += self;
      matrix->inclusive[(gsize) index * matrix->n_runs + column] += duration;
      matrix->count[index]++;
      return;
    case PROF_EVENT_BRANCH:
      pass->n_spans++;
      return;
    case PROF_EVENT_RUN:
      if (column != G_MAXUINT)
        {
          matrix->wall[column] = (double) duration * 1e-9;
          matrix->nodes[column] = (double) pass->in_nodes * 1e-9;
          matrix->spans[column] = (double) pass->n_spans;
          matrix->lost[column] = (double) pass->lost * 1e-9;
        }
      else if (event->run == pass->exact)
        matrix->exact_between = (double) (duration - MIN (duration, pass->in_nodes)) * 1e-9;
      pass->in_nodes = pass->n_spans = pass->lost = 0;
      return;
    case PROF_EVENT_PASS:
    case PROF_EVENT_COPY:
    case PROF_EVENT_MEMORY:
    case PROF_N_EVENTS:
      return;
    }
}

/* Which runs there are, in the order they ended; exact ones stay out. */
static void
find_runs (const ProfCapture *capture, Pass *pass)
{
  const ProfSample *samples = prof_capture_get_samples (capture);
  const ProfEvent  *events = prof_capture_get_events (capture);

  pass->exact = G_MAXUINT;
  for (guint i = 0; i < prof_capture_n_samples (capture); i++)
    if (samples[i].kind == PROF_SAMPLE_EXACT)
      pass->exact = samples[i].run;

  pass->n_columns = G_MAXUINT16 + 1;
  pass->column = g_new (guint, pass->n_columns);
  for (guint i = 0; i < pass->n_columns; i++)
    pass->column[i] = G_MAXUINT;
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (prof_event_kind (&events[i]) == PROF_EVENT_RUN && events[i].run != pass->exact &&
        pass->column[events[i].run] == G_MAXUINT)
      pass->column[events[i].run] = pass->matrix->n_runs++;
}

/* Rows that ran, in the order of rows. */
static void
find_rows (const ProfCapture *capture, Pass *pass)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  guint            n_nodes = prof_capture_n_nodes (capture);

  pass->by_row = g_new (guint32, MAX (n_nodes, 1));
  memset (pass->by_row, 0xff, n_nodes * sizeof (guint32));
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (prof_event_kind (&events[i]) == PROF_EVENT_NODE && events[i].node < n_nodes)
      pass->by_row[events[i].node] = 0;
  for (guint32 row = 0; row < n_nodes; row++)
    if (pass->by_row[row] != PROF_NONE)
      pass->by_row[row] = pass->matrix->n_rows++;
}

void
prof_matrix_fill (Matrix *matrix, const ProfCapture *capture, guint32 **by_row)
{
  Pass  pass = { .capture = capture, .matrix = matrix };
  gsize n;

  *matrix = (Matrix){ .exact_between = NAN };
  find_runs (capture, &pass);
  find_rows (capture, &pass);
  n = MAX ((gsize) matrix->n_rows * matrix->n_runs, 1);
  matrix->self = g_new0 (guint64, n);
  matrix->inclusive = g_new0 (guint64, n);
  matrix->count = g_new0 (guint64, MAX (matrix->n_rows, 1));
  matrix->wall = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->nodes = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->spans = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->lost = g_new0 (double, MAX (matrix->n_runs, 1));
  prof_walk_events (capture, add_event, &pass);
  g_free (pass.column);
  *by_row = pass.by_row;
}

void
prof_matrix_clear (Matrix *matrix)
{
  g_free (matrix->self);
  g_free (matrix->inclusive);
  g_free (matrix->count);
  g_free (matrix->wall);
  g_free (matrix->nodes);
  g_free (matrix->spans);
  g_free (matrix->lost);
}

/* --- Sums --- */

static double *
dup_seconds (const guint64 *ns, guint n)
{
  double *seconds = g_new (double, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    seconds[i] = (double) ns[i] * 1e-9;
  return seconds;
}

static ProfNodeSum
sum_node (const ProfCapture *capture, const Matrix *matrix, guint32 row, guint index)
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

/* A loop's cost counts what its body does; it must not count twice. */
static double
own_work (const ProfNode *node, double work)
{
  return node->category == HYB_CATEGORY_CONTROL ? 0 : work;
}

static GArray *
group (const ProfCapture *capture,
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
      to->flops += own_work (node, sum->flops);
      to->bytes += own_work (node, sum->bytes);
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
  ProfSummary *summary = g_new0 (ProfSummary, 1);
  Matrix       matrix;
  double       per_span = prof_capture_get_number (capture, "trace.overhead_ns");
  double       per_clock = prof_capture_get_number (capture, "trace.clock_ns");
  guint        index = 0;

  prof_matrix_fill (&matrix, capture, &summary->by_row);
  summary->n_runs = matrix.n_runs;
  summary->traced = prof_median (matrix.wall, matrix.n_runs);
  summary->nodes = prof_median (matrix.nodes, matrix.n_runs);
  summary->between = summary->traced - summary->nodes;
  summary->n_spans = prof_median (matrix.spans, matrix.n_runs);
  /* The second look at the clock of an exact run stands between nodes, too. */
  summary->interpreter =
      matrix.exact_between - (isfinite (per_clock) ? per_clock * 1e-9 * summary->n_spans : 0);
  if (summary->interpreter < 0)
    summary->interpreter = 0; /* NaN stays: there was no exact run */
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

  summary->operators = group (capture, summary, type_of);
  summary->scope = group (capture, summary, scope_of);
  summary->category = group (capture, summary, category_of);
  summary->step = prof_summary_steps_of (capture, PROF_NONE);
  prof_matrix_clear (&matrix);
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
  return sum->self > 0 && node->category != HYB_CATEGORY_CONTROL ? sum->flops / sum->self : NAN;
}
