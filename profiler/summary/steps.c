/* steps.c — sums the events of a capture by step of a loop or of an unrolled sequence.
 *
 * A node may run in any step, so arrays by step grow while the events are walked.  Start reading at
 * prof_summary_steps_of() for one row and at prof_step_matrix_new() for the table of operators and
 * steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/steps.h"

#include "engine/base/limits.h"
#include "profiler/summary/event-walk.h"

#include <math.h>

/* Steps from here on are ignored: a damaged capture may hold any number. */
#define MAX_STEPS (1 << 20)

/* Runs whose events count. */
typedef struct
{
  guint8 *is_used; /* by number; NULL: all */
  guint   n;       /* at least 1 */
} Runs;

static Runs
choose_runs (const ProfCapture *capture, const GArray *numbers)
{
  Runs runs = { 0 };

  for (guint i = 0; numbers && i < numbers->len; i++)
    {
      if (!runs.is_used)
        runs.is_used = g_new0 (guint8, G_MAXUINT16 + 1);
      runs.is_used[g_array_index (numbers, guint16, i)] = TRUE;
      runs.n++;
    }
  for (guint i = 0; !runs.is_used && i < prof_capture_n_events (capture); i++)
    runs.n += prof_event_kind (&prof_capture_get_events (capture)[i]) == PROF_EVENT_RUN;
  runs.n = MAX (runs.n, 1);
  return runs;
}

static gboolean
has_run (const Runs *runs, const ProfEvent *event)
{
  return !runs->is_used || runs->is_used[event->run];
}

typedef struct
{
  const ProfCapture *capture;
  guint32            row; /* PROF_NONE: all rows */
  Runs               runs;
  GArray            *self;  /* of double: ns in all runs, by step */
  GArray            *count; /* of double: executions in all runs, by step */
} StepSums;

/* The iteration of the loop for a node of a body; else the step in the node's name. */
static guint32
step_of (const ProfCapture *capture, const ProfEvent *event)
{
  const ProfNode *node = prof_capture_get_node (capture, event->node);

  return node->graph != 0 ? event->step : node->step;
}

/* The work of the host or a GPU for a node. */
static gboolean
is_of_node (const ProfEvent *event)
{
  return prof_event_kind (event) == PROF_EVENT_NODE || prof_event_kind (event) == PROF_EVENT_DEVICE;
}

/* Of the work of a GPU only the first of an execution counts as one. */
static gboolean
is_execution (const ProfEvent *event)
{
  return prof_event_kind (event) == PROF_EVENT_NODE ||
         prof_event_depth (event) == PROF_DEVICE_FIRST;
}

static void
add_event (gpointer data, const ProfEvent *event, guint64 duration, guint64 self)
{
  StepSums *steps = data;
  guint32   step;

  if (!is_of_node (event) || event->node >= prof_capture_n_nodes (steps->capture) ||
      (steps->row != PROF_NONE && event->node != steps->row) || !has_run (&steps->runs, event))
    return;
  step = step_of (steps->capture, event);
  if (step >= MAX_STEPS)
    return;
  if (step >= steps->self->len)
    {
      g_array_set_size (steps->self, step + 1);
      g_array_set_size (steps->count, step + 1);
    }
  g_array_index (steps->self, double, step) += (double) self;
  g_array_index (steps->count, double, step) += is_execution (event);
}

GArray *
prof_summary_steps_of (const ProfCapture *capture, guint32 row, const GArray *runs)
{
  GArray  *sums = g_array_new (FALSE, FALSE, sizeof (ProfStepSum));
  StepSums steps = {
    .capture = capture,
    .row = row,
    .runs = choose_runs (capture, runs),
    .self = g_array_new (FALSE, TRUE, sizeof (double)),
    .count = g_array_new (FALSE, TRUE, sizeof (double)),
  };

  prof_walk_events (capture, add_event, &steps);
  for (guint i = 0; i < steps.self->len; i++)
    {
      ProfStepSum sum = { .step = i,
                          .self = g_array_index (steps.self, double, i) * 1e-9 / steps.runs.n,
                          .count = g_array_index (steps.count, double, i) / steps.runs.n };

      if (sum.count > 0)
        g_array_append_val (sums, sum);
    }
  g_array_unref (steps.self);
  g_array_unref (steps.count);
  g_free (steps.runs.is_used);
  return sums;
}

/* --- By operator --- */

typedef struct
{
  ProfText place, type;
} StepKey;

typedef struct
{
  const ProfCapture *capture;
  GHashTable        *rows; /* StepKey → GArray of double: ns by step; 0 if it did not run */
  Runs               runs;
  guint              n_steps;
  guint64            limit; /* of rows times steps */
} StepRows;

static guint
hash_key (gconstpointer data)
{
  const StepKey *key = data;

  return (guint) key->place * 31 + (guint) key->type;
}

static gboolean
is_same_key (gconstpointer a, gconstpointer b)
{
  const StepKey *x = a, *y = b;

  return x->place == y->place && x->type == y->type;
}

static void
free_steps (gpointer steps)
{
  g_array_unref (steps);
}

/* The name of the loop around a node of a body; else the scope of an unrolled sequence. */
static ProfText
place_of (const ProfCapture *capture, const ProfNode *node)
{
  const ProfGraph *graph = node->graph > 0 && node->graph < prof_capture_n_graphs (capture)
                               ? prof_capture_get_graph (capture, node->graph)
                               : NULL;

  return graph && graph->parent < prof_capture_n_nodes (capture)
             ? prof_capture_get_node (capture, graph->parent)->name
             : node->scope;
}

/* Rows times steps that memory in proportion to the file allows: half of it is for the sums and for
 * the matrix. */
static guint64
cell_limit (const ProfCapture *capture)
{
  guint64 size = g_bytes_get_size (prof_capture_get_bytes (capture));

  return hyb_limits_get_memory (size) / 2 / (2 * sizeof (double));
}

static void
add_to_row (gpointer data, const ProfEvent *event, guint64 duration G_GNUC_UNUSED, guint64 self)
{
  StepRows       *steps = data;
  const ProfNode *node;
  StepKey         key;
  GArray         *values;
  guint32         step;

  if (!is_of_node (event) || event->node >= prof_capture_n_nodes (steps->capture) ||
      !has_run (&steps->runs, event))
    return;
  step = step_of (steps->capture, event);
  if (step >= MAX_STEPS)
    return;
  node = prof_capture_get_node (steps->capture, event->node);
  key = (StepKey){ place_of (steps->capture, node), node->type };
  values = g_hash_table_lookup (steps->rows, &key);
  /* A hostile capture of few events may spread them over any number of rows and steps. */
  if ((guint64) (g_hash_table_size (steps->rows) + !values) * MAX (steps->n_steps, step + 1) >
      steps->limit)
    return;
  if (!values)
    {
      values = g_array_new (FALSE, TRUE, sizeof (double));
      g_hash_table_insert (steps->rows, g_memdup2 (&key, sizeof key), values);
    }
  if (step >= values->len)
    g_array_set_size (values, step + 1);
  g_array_index (values, double, step) += (double) MAX (self, 1);
  steps->n_steps = MAX (steps->n_steps, step + 1);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  double x = ((const ProfStepRow *) a)->self, y = ((const ProfStepRow *) b)->self;

  return (x < y) - (x > y);
}

ProfStepMatrix *
prof_step_matrix_new (const ProfCapture *capture, const GArray *runs)
{
  ProfStepMatrix *matrix = g_new0 (ProfStepMatrix, 1);
  StepRows        steps = { .capture = capture,
                            .rows = g_hash_table_new_full (hash_key, is_same_key, g_free, free_steps),
                            .runs = choose_runs (capture, runs),
                            .limit = cell_limit (capture) };
  GHashTableIter  iter;
  gpointer        key, value;
  double          scale = 1e-9 / steps.runs.n;

  prof_walk_events (capture, add_to_row, &steps);
  matrix->n_steps = steps.n_steps;
  matrix->rows = g_array_new (FALSE, FALSE, sizeof (ProfStepRow));
  g_hash_table_iter_init (&iter, steps.rows);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const GArray *values = value;
      ProfStepRow   row = { .place = ((StepKey *) key)->place,
                            .type = ((StepKey *) key)->type,
                            .steps = g_new (double, steps.n_steps) };

      for (guint i = 0; i < steps.n_steps; i++)
        {
          double self = i < values->len ? g_array_index (values, double, i) * scale : 0;

          row.steps[i] = self > 0 ? self : NAN;
          row.self += self;
        }
      g_array_append_val (matrix->rows, row);
    }
  g_array_sort (matrix->rows, compare_rows);
  g_hash_table_unref (steps.rows);
  g_free (steps.runs.is_used);
  return matrix;
}

void
prof_step_matrix_free (ProfStepMatrix *matrix)
{
  if (!matrix)
    return;
  for (guint i = 0; i < matrix->rows->len; i++)
    g_free (g_array_index (matrix->rows, ProfStepRow, i).steps);
  g_array_unref (matrix->rows);
  g_free (matrix);
}
