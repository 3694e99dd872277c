/* run-matrix.c — sums the events of a capture per node and traced run.
 *
 * Two passes over the events find the runs (columns) and the nodes that ran (rows), a walk then
 * adds up the times.  Start reading at prof_run_matrix_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/run-matrix.h"

#include "engine/base/limits.h"
#include "profiler/base/machine.h"
#include "profiler/summary/device-time.h"
#include "profiler/summary/event-walk.h"

#include <string.h>

/* One walk over the events that fills a matrix. */
typedef struct
{
  const ProfCapture *capture;
  ProfRunMatrix     *matrix;
  guint32           *index_of_row; /* by row of the capture: row of the matrix or PROF_NONE */
  guint             *column;       /* by run: column of the matrix; G_MAXUINT if it has none */
  guint              n_columns;    /* entries of column */
  gboolean          *is_exact;     /* by run */
  gboolean           is_of_device; /* a trace followed a GPU, whose work is the time of operators */
  /* Of the current run: */
  guint64 in_nodes; /* ns inside outermost nodes */
  guint64 lost;     /* self ns of nodes without a row */
  guint64 other;    /* self ns of passes and copies */
  guint64 in_steps; /* self ns of branches */
  guint64 busy;     /* ns of a GPU's work */
  guint64 n_spans;
} MatrixFill;

static guint32
row_of (const MatrixFill *fill, const ProfEvent *event)
{
  return event->node < prof_capture_n_nodes (fill->capture) ? event->node : PROF_NONE;
}

/* Stores the sums of the run that ends. */
static void
end_run (MatrixFill *fill, guint column, const ProfEvent *event, guint64 self)
{
  ProfRunMatrix *matrix = fill->matrix;
  double         wall = (double) prof_event_duration (event) * 1e-9;

  if (column != G_MAXUINT)
    {
      matrix->run[column] = event->run;
      matrix->wall_ns[column] = prof_event_duration (event);
      matrix->wall[column] = wall;
      matrix->nodes[column] = (double) fill->in_nodes * 1e-9;
      matrix->spans[column] = (double) fill->n_spans;
      matrix->lost[column] = (double) fill->lost * 1e-9;
      matrix->between[column] = self;
      matrix->other[column] = fill->other + (fill->is_of_device ? 0 : fill->lost);
      matrix->busy[column] = fill->busy;
      matrix->no_operator[column] = fill->is_of_device ? fill->lost : 0;
    }
  else if (fill->is_exact[event->run])
    {
      ProfExactRun run = {
        .wall = wall,
        .between = (double) (self + fill->in_steps) * 1e-9,
        .spans = (double) fill->n_spans,
        .around = MAX (wall - (double) fill->in_nodes * 1e-9, 0),
      };

      g_array_append_val (matrix->exact, run);
    }
  fill->in_nodes = fill->n_spans = fill->lost = fill->other = fill->in_steps = fill->busy = 0;
}

/* Adds work of a GPU to all loops and conditions around its operator. */
static void
add_to_loops (const MatrixFill *fill, guint32 row, guint column, guint64 duration)
{
  ProfRunMatrix *matrix = fill->matrix;

  /* A damaged capture may have graphs that lie inside each other. */
  for (guint depth = 0; depth < PROF_DEPTH_MAX; depth++)
    {
      guint32 graph = prof_capture_get_node (fill->capture, row)->graph;

      if (graph >= prof_capture_n_graphs (fill->capture))
        return;
      row = prof_capture_get_graph (fill->capture, graph)->parent;
      if (row >= prof_capture_n_nodes (fill->capture))
        return;
      if (fill->index_of_row[row] != PROF_NONE)
        matrix->inclusive[(gsize) fill->index_of_row[row] * matrix->n_runs + column] += duration;
    }
}

/* Adds the time of the host or the GPU for a node. */
static void
add_node (MatrixFill *fill, const ProfEvent *event, guint column, guint64 duration, guint64 self)
{
  ProfRunMatrix *matrix = fill->matrix;
  gboolean       is_device = prof_event_kind (event) == PROF_EVENT_DEVICE;
  guint32        row = row_of (fill, event), index;

  fill->n_spans += !is_device;
  if (is_device || prof_event_depth (event) == 1)
    fill->in_nodes += duration;
  if (row == PROF_NONE)
    fill->lost += self;
  if (row == PROF_NONE || column == G_MAXUINT || fill->index_of_row[row] == PROF_NONE)
    return;
  index = fill->index_of_row[row];
  matrix->self[(gsize) index * matrix->n_runs + column] += self;
  matrix->inclusive[(gsize) index * matrix->n_runs + column] += duration;
  matrix->count[index] += !is_device || prof_event_depth (event) == PROF_DEVICE_FIRST;
  if (is_device)
    add_to_loops (fill, row, column, duration);
}

static void
add_event (gpointer data, const ProfEvent *event, guint64 duration, guint64 self)
{
  MatrixFill *fill = data;
  guint       column = event->run < fill->n_columns ? fill->column[event->run] : G_MAXUINT;

  fill->busy += prof_event_is_of_device (event) ? self : 0;
  switch (prof_event_kind (event))
    {
    case PROF_EVENT_NODE:
    case PROF_EVENT_DEVICE:
      add_node (fill, event, column, duration, self);
      return;
    case PROF_EVENT_BRANCH:
      fill->n_spans++;
      fill->in_steps += self;
      return;
    case PROF_EVENT_PASS:
    case PROF_EVENT_COPY:
      fill->other += self;
      return;
    case PROF_EVENT_RUN:
      end_run (fill, column, event, self);
      return;
    case PROF_EVENT_MEMORY:
    case PROF_EVENT_SLICE:
    case PROF_N_EVENTS:
      return;
    }
}

/* Gives each run a column, in the order in which the runs ended.  Exact runs have none. */
static void
find_runs (const ProfCapture *capture, MatrixFill *fill)
{
  const ProfSample *samples = prof_capture_get_samples (capture);
  const ProfEvent  *events = prof_capture_get_events (capture);

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    fill->n_columns = MAX (fill->n_columns, events[i].run + 1u);
  fill->is_exact = g_new0 (gboolean, MAX (fill->n_columns, 1));
  for (guint i = 0; i < prof_capture_n_samples (capture); i++)
    if (samples[i].kind == PROF_SAMPLE_EXACT && samples[i].run < fill->n_columns)
      fill->is_exact[samples[i].run] = TRUE;
  fill->column = g_new (guint, MAX (fill->n_columns, 1));
  memset (fill->column, 0xff, fill->n_columns * sizeof (guint));
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (prof_event_kind (&events[i]) == PROF_EVENT_RUN && !fill->is_exact[events[i].run] &&
        fill->column[events[i].run] == G_MAXUINT)
      fill->column[events[i].run] = fill->matrix->n_runs++;
}

/* Whether an event stands for an execution of its node.  Where a trace followed the GPU, launches by the host do not,
 * since a replay has none. */
static gboolean
is_execution (const MatrixFill *fill, const ProfEvent *event)
{
  ProfEventKind kind = prof_event_kind (event);

  return kind == PROF_EVENT_DEVICE ||
         (kind == PROF_EVENT_NODE && !(fill->is_of_device && prof_event_device (event) > 0));
}

/* Gives each node of the capture that ran a row of the matrix, in the same order. */
static void
find_rows (const ProfCapture *capture, MatrixFill *fill)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  guint            n_nodes = prof_capture_n_nodes (capture);

  fill->index_of_row = g_new (guint32, MAX (n_nodes, 1));
  memset (fill->index_of_row, 0xff, n_nodes * sizeof (guint32));
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (events[i].node < n_nodes && is_execution (fill, &events[i]))
      fill->index_of_row[events[i].node] = 0;
  for (guint32 row = 0; row < n_nodes; row++)
    if (fill->index_of_row[row] != PROF_NONE)
      fill->index_of_row[row] = fill->matrix->n_rows++;
}

/* A hostile capture of many nodes and runs that has few events would need a huge matrix: only as many
 * runs are summed as memory in proportion to the file allows. */
static void
limit_runs (const ProfCapture *capture, MatrixFill *fill)
{
  guint64 size = g_bytes_get_size (prof_capture_get_bytes (capture));
  guint64 row_bytes = 2 * sizeof (guint64) * MAX (fill->matrix->n_rows, 1);
  guint   limit = (guint) MIN (hyb_limits_get_memory (size) / 2 / row_bytes, G_MAXUINT16 + 1);

  if (fill->matrix->n_runs <= limit)
    return;
  fill->matrix->n_dropped = fill->matrix->n_runs - limit;
  fill->matrix->n_runs = limit;
  for (guint i = 0; i < fill->n_columns; i++)
    if (fill->column[i] != G_MAXUINT && fill->column[i] >= limit)
      fill->column[i] = G_MAXUINT;
}

void
prof_run_matrix_init (ProfRunMatrix *matrix, const ProfCapture *capture, guint32 **index_of_row)
{
  MatrixFill fill = { .capture = capture,
                      .matrix = matrix,
                      .is_of_device =
                          prof_capture_get_text (capture, PROF_DEVICE_TRACE_KEY) != NULL };
  gsize      n;

  *matrix = (ProfRunMatrix){ .exact = g_array_new (FALSE, FALSE, sizeof (ProfExactRun)) };
  find_runs (capture, &fill);
  find_rows (capture, &fill);
  limit_runs (capture, &fill);
  n = MAX ((gsize) matrix->n_rows * matrix->n_runs, 1);
  matrix->self = g_new0 (guint64, n);
  matrix->inclusive = g_new0 (guint64, n);
  matrix->count = g_new0 (guint64, MAX (matrix->n_rows, 1));
  matrix->run = g_new0 (guint16, MAX (matrix->n_runs, 1));
  matrix->wall_ns = g_new0 (guint64, MAX (matrix->n_runs, 1));
  matrix->wall = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->nodes = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->spans = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->lost = g_new0 (double, MAX (matrix->n_runs, 1));
  matrix->between = g_new0 (guint64, MAX (matrix->n_runs, 1));
  matrix->other = g_new0 (guint64, MAX (matrix->n_runs, 1));
  matrix->no_operator = g_new0 (guint64, MAX (matrix->n_runs, 1));
  matrix->busy = g_new0 (guint64, MAX (matrix->n_runs, 1));
  prof_walk_events (capture, add_event, &fill);
  g_free (fill.column);
  g_free (fill.is_exact);
  *index_of_row = fill.index_of_row;
}

void
prof_run_matrix_clear (ProfRunMatrix *matrix)
{
  g_free (matrix->self);
  g_free (matrix->inclusive);
  g_free (matrix->count);
  g_free (matrix->run);
  g_free (matrix->wall_ns);
  g_free (matrix->wall);
  g_free (matrix->nodes);
  g_free (matrix->spans);
  g_free (matrix->lost);
  g_free (matrix->between);
  g_free (matrix->other);
  g_free (matrix->no_operator);
  g_free (matrix->busy);
  g_array_unref (matrix->exact);
}
