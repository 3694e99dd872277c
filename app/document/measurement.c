/* measurement.c — matches the rows of a capture to boxes of a document, and paints them.
 *
 * scope_measurement_open() reads the capture, sums it up and finds the box of each row by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/measurement.h"

#include "app/adapt/batch-size.h"
#include "app/process/worker.h"
#include "engine/formats/mapped-file.h"
#include "profiler/summary/host-steps.h"

#include <math.h>

/* Data shared by all measurements of one capture. */
typedef struct
{
  gatomicrefcount n_refs;
  ScopeDocument  *document;
  ProfCapture    *capture;
  ProfSummary    *typical; /* of the typical runs */
  ProfOrigins    *origins;
  GArray         *runs;      /* of ProfTracedRun */
  guint32        *boxes;     /* of each row; VIZ_ROOT if it has none */
  guint32        *model_row; /* of each box that is a node of the model; PROF_NONE */
  GHashTable     *on_host;   /* by box: why the host computed it */
  gint64          batch;     /* 0: not known */
} Source;

struct _ScopeMeasurement
{
  gatomicrefcount    n_refs;
  Source            *source;
  int                run;     /* -1: typical runs */
  ProfSummary       *own;     /* of one run; NULL: of the typical ones */
  const ProfSummary *summary; /* one of the two */
  guint32           *by_box;  /* index into summary->node + 1; 0: not measured */
  double             matched;
};

static void
source_unref (Source *source)
{
  if (!g_atomic_ref_count_dec (&source->n_refs))
    return;
  g_clear_pointer (&source->origins, prof_origins_free);
  g_clear_pointer (&source->typical, prof_summary_free);
  g_clear_pointer (&source->runs, g_array_unref);
  g_clear_pointer (&source->capture, prof_capture_unref);
  g_clear_pointer (&source->document, scope_document_unref);
  g_free (source->boxes);
  g_free (source->model_row);
  g_clear_pointer (&source->on_host, g_hash_table_unref);
  g_free (source);
}

ScopeMeasurement *
scope_measurement_ref (ScopeMeasurement *measurement)
{
  g_atomic_ref_count_inc (&measurement->n_refs);
  return measurement;
}

static void
measurement_free (gpointer data)
{
  ScopeMeasurement *measurement = data;

  g_clear_pointer (&measurement->own, prof_summary_free);
  g_clear_pointer (&measurement->source, source_unref);
  g_free (measurement->by_box);
  g_free (measurement);
}

void
scope_measurement_unref (ScopeMeasurement *measurement)
{
  if (g_atomic_ref_count_dec (&measurement->n_refs))
    scope_worker_free (measurement, measurement_free);
}

/* A measurement of source with the costs of run, of which it takes own. */
static ScopeMeasurement *
new_measurement (Source *source, int run, ProfSummary *own)
{
  ScopeMeasurement *self = g_new0 (ScopeMeasurement, 1);
  guint             n_found = 0;

  g_atomic_ref_count_init (&self->n_refs);
  g_atomic_ref_count_inc (&source->n_refs);
  self->source = source;
  self->run = run;
  self->own = own;
  self->summary = own ? own : source->typical;
  self->by_box =
      g_new0 (guint32, viz_diagram_n_boxes (scope_document_get_diagram (source->document)));
  for (guint i = self->summary->node->len; i-- > 0;)
    {
      guint32 row = g_array_index (self->summary->node, ProfNodeSum, i).row;
      guint32 box = source->boxes[row];

      n_found += box != VIZ_ROOT;
      /* The costs of a box are the costs of its operator, not of one of the operator's parts. */
      if ((prof_capture_get_node (source->capture, row)->flags & PROF_NODE_PHASE) == 0)
        self->by_box[box] = i + 1;
    }
  self->by_box[VIZ_ROOT] = 0;
  self->matched = self->summary->node->len > 0 ? (double) n_found / self->summary->node->len : 1;
  return self;
}

/* Backwards, so that the first row of a box wins. */
static void
find_model_rows (Source *source)
{
  guint n_boxes = viz_diagram_n_boxes (scope_document_get_diagram (source->document));

  source->model_row = g_new (guint32, n_boxes);
  for (guint i = 0; i < n_boxes; i++)
    source->model_row[i] = PROF_NONE;
  for (guint32 row = prof_capture_n_nodes (source->capture); row-- > 0;)
    if ((prof_capture_get_node (source->capture, row)->flags & PROF_NODE_ADDED) == 0)
      source->model_row[source->boxes[row]] = row;
  source->model_row[VIZ_ROOT] = PROF_NONE;
}

/* If several rows have one box, their reasons are alike: it is one operator and its parts. */
static void
find_host_steps (Source *source)
{
  g_autoptr (GHashTable) reasons = prof_host_steps_read (source->capture);
  GHashTableIter iter;
  gpointer       row, reason;

  source->on_host = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_hash_table_iter_init (&iter, reasons);
  while (g_hash_table_iter_next (&iter, &row, &reason))
    {
      gpointer box = GUINT_TO_POINTER (source->boxes[GPOINTER_TO_UINT (row)]);

      if (!g_hash_table_contains (source->on_host, box))
        g_hash_table_insert (source->on_host, box, g_strdup (reason));
    }
  g_hash_table_remove (source->on_host, GUINT_TO_POINTER (VIZ_ROOT));
}

ScopeMeasurement *
scope_measurement_open (const char *path, ScopeDocument *document, GError **error)
{
  ProfCapture      *capture = prof_capture_open (path, error);
  ScopeMeasurement *measurement;
  Source           *source;

  if (!capture)
    return NULL;
  source = g_new0 (Source, 1);
  g_atomic_ref_count_init (&source->n_refs);
  source->document = scope_document_ref (document);
  source->capture = capture;
  source->typical = prof_summary_new (capture);
  source->origins = prof_origins_new (capture, source->typical);
  source->runs = prof_traced_runs (capture);
  source->boxes = scope_capture_find_boxes (capture, scope_document_get_graph (document),
                                            scope_document_get_places (document));
  source->batch = scope_batch_size (capture, scope_document_get_model (document),
                                    scope_document_get_graph (document));
  find_model_rows (source);
  find_host_steps (source);
  measurement = new_measurement (source, -1, NULL);
  source_unref (source);
  if (!scope_measurement_check_file (measurement, error))
    g_clear_pointer (&measurement, scope_measurement_unref);
  return measurement;
}

gboolean
scope_measurement_check_file (const ScopeMeasurement *measurement, GError **error)
{
  GBytes *bytes = prof_capture_get_bytes (measurement->source->capture);

  return hyb_mapped_file_check (g_bytes_get_data (bytes, NULL), error);
}

ScopeMeasurement *
scope_measurement_pick_run (ScopeMeasurement *measurement, int number)
{
  ProfSummary *own =
      number >= 0 ? prof_summary_new_of_run (measurement->source->capture, (guint) number) : NULL;

  if (number >= 0 && !own)
    return NULL;
  return new_measurement (measurement->source, number, own);
}

gint64
scope_measurement_get_batch (const ScopeMeasurement *measurement)
{
  return measurement->source->batch;
}

const ProfCapture *
scope_measurement_get_capture (const ScopeMeasurement *measurement)
{
  return measurement->source->capture;
}

const ProfSummary *
scope_measurement_get_summary (const ScopeMeasurement *measurement)
{
  return measurement->summary;
}

int
scope_measurement_get_run (const ScopeMeasurement *measurement)
{
  return measurement->run;
}

const GArray *
scope_measurement_get_runs (const ScopeMeasurement *measurement)
{
  return measurement->source->runs;
}

double
scope_measurement_get_usual (const ScopeMeasurement *measurement, guint32 row)
{
  const ProfSummary *typical = measurement->source->typical;
  const ProfNodeSum *sum;

  if (row >= prof_capture_n_nodes (measurement->source->capture) ||
      typical->by_row[row] == PROF_NONE)
    return NAN;
  sum = &g_array_index (typical->node, ProfNodeSum, typical->by_row[row]);
  return sum->count > 0 ? sum->inclusive / sum->count : NAN;
}

/* --- Origins --- */

const ProfOrigins *
scope_measurement_get_origins (const ScopeMeasurement *measurement)
{
  return measurement->source->origins;
}

const ProfOrigin *
scope_measurement_find_rows (const ScopeMeasurement *measurement, guint32 box, guint *n)
{
  guint32 row = measurement->source->model_row[box];

  *n = 0;
  return row != PROF_NONE ? prof_origins_computing (measurement->source->origins, row, n) : NULL;
}

GArray *
scope_measurement_find_boxes (const ScopeMeasurement *measurement, guint32 row)
{
  GArray           *boxes = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint             n;
  const ProfOrigin *of = prof_origins_of (measurement->source->origins, row, &n);

  for (guint i = 0; i < n; i++)
    {
      guint32 box = scope_measurement_get_box (measurement, of[i].of);

      if (of[i].role != PROF_DIFFERENTIATES && box != VIZ_ROOT)
        g_array_append_val (boxes, box);
    }
  return boxes;
}

static void
share_out_row (const ScopeMeasurement *measurement,
               const ProfNodeSum      *sum,
               ScopeShareFunc          func,
               gpointer                data)
{
  const ProfOrigins *origins = measurement->source->origins;
  guint              n_all, n = prof_origins_n_computed (origins, sum->row);
  const ProfOrigin  *of = prof_origins_of (origins, sum->row, &n_all);

  if (n == 0)
    n = n_all;
  if (n == 0)
    func (&(ProfOrigin){ .row = sum->row, .of = sum->row }, sum->self, data);
  for (guint i = 0; i < n; i++)
    func (&of[i], sum->self / n, data);
}

void
scope_measurement_share_out (const ScopeMeasurement *measurement,
                             ScopeShareFunc          func,
                             gpointer                data)
{
  const GArray *nodes = measurement->summary->node;

  for (guint i = 0; i < nodes->len; i++)
    share_out_row (measurement, &g_array_index (nodes, ProfNodeSum, i), func, data);
}

/* --- Boxes --- */

guint32
scope_measurement_get_box (const ScopeMeasurement *measurement, guint32 row)
{
  return row < prof_capture_n_nodes (measurement->source->capture) ? measurement->source->boxes[row]
                                                                   : VIZ_ROOT;
}

const ProfNodeSum *
scope_measurement_get_node (const ScopeMeasurement *measurement, guint32 box, guint *rank)
{
  guint32 found = measurement->by_box[box];

  if (rank)
    *rank = found;
  return found > 0 ? &g_array_index (measurement->summary->node, ProfNodeSum, found - 1) : NULL;
}

const char *
scope_measurement_get_host_reason (const ScopeMeasurement *measurement, guint32 box)
{
  return g_hash_table_lookup (measurement->source->on_host, GUINT_TO_POINTER (box));
}

double
scope_measurement_get_matched (const ScopeMeasurement *measurement)
{
  return measurement->matched;
}

/* --- Colours --- */

typedef struct
{
  ScopeMeasurement *measurement;
  ScopeHeatStyle    style;
} PaintJob;

static void
paint_job_free (gpointer data)
{
  PaintJob *job = data;

  scope_measurement_unref (job->measurement);
  g_free (job);
}

static void
paint_in_worker (GTask *task, gpointer data)
{
  const PaintJob         *job = data;
  const ScopeMeasurement *measurement = job->measurement;
  const Source           *shared = measurement->source;
  const ScopeHeatSource   heat_source = { .capture = shared->capture,
                                          .summary = measurement->summary,
                                          .diagram = scope_document_get_diagram (shared->document),
                                          .boxes = shared->boxes };

  if (g_task_return_error_if_cancelled (task))
    return;
  g_task_return_pointer (task,
                         scope_capture_paint (&heat_source, job->style.heat, job->style.scale),
                         (GDestroyNotify) viz_overlay_unref);
}

void
scope_measurement_paint_async (ScopeMeasurement   *measurement,
                               ScopeHeatStyle      style,
                               GCancellable       *cancellable,
                               GAsyncReadyCallback callback,
                               gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  PaintJob *job = g_new (PaintJob, 1);

  *job = (PaintJob){ scope_measurement_ref (measurement), style };
  g_task_set_task_data (task, job, paint_job_free);
  scope_worker_run (task, paint_in_worker);
}

VizOverlay *
scope_measurement_paint_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
