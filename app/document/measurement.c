/* measurement.c — matches the rows of a capture to boxes of a document, and paints them.
 *
 * scope_measurement_open() reads the capture, sums it up and finds the box of each row by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/measurement.h"

#include "app/process/worker.h"

struct _ScopeMeasurement
{
  gatomicrefcount n_refs;
  ScopeDocument  *document;
  ProfCapture    *capture;
  ProfSummary    *summary;
  guint32        *boxes;  /* of each row; VIZ_ROOT if it has none */
  guint32        *by_box; /* index into summary->node + 1; 0: not measured */
  double          matched;
};

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

  g_clear_pointer (&measurement->summary, prof_summary_free);
  g_clear_pointer (&measurement->capture, prof_capture_unref);
  g_clear_pointer (&measurement->document, scope_document_unref);
  g_free (measurement->boxes);
  g_free (measurement->by_box);
  g_free (measurement);
}

void
scope_measurement_unref (ScopeMeasurement *measurement)
{
  if (g_atomic_ref_count_dec (&measurement->n_refs))
    scope_worker_free (measurement, measurement_free);
}

ScopeMeasurement *
scope_measurement_open (const char *path, ScopeDocument *document, GError **error)
{
  g_autoptr (ScopeMeasurement) self = g_new0 (ScopeMeasurement, 1);
  guint n_found = 0;

  g_atomic_ref_count_init (&self->n_refs);
  self->document = scope_document_ref (document);
  self->capture = prof_capture_open (path, error);
  if (!self->capture)
    return NULL;
  self->summary = prof_summary_new (self->capture);
  self->boxes = scope_capture_find_boxes (self->capture,
                                          scope_document_get_graph (document),
                                          scope_document_get_places (document));
  self->by_box = g_new0 (guint32, viz_diagram_n_boxes (scope_document_get_diagram (document)));
  for (guint i = self->summary->node->len; i-- > 0;)
    {
      guint32 box = self->boxes[g_array_index (self->summary->node, ProfNodeSum, i).row];

      n_found += box != VIZ_ROOT;
      self->by_box[box] = i + 1;
    }
  self->by_box[VIZ_ROOT] = 0;
  self->matched = self->summary->node->len > 0 ? (double) n_found / self->summary->node->len : 1;
  return g_steal_pointer (&self);
}

const ProfCapture *
scope_measurement_get_capture (const ScopeMeasurement *measurement)
{
  return measurement->capture;
}

const ProfSummary *
scope_measurement_get_summary (const ScopeMeasurement *measurement)
{
  return measurement->summary;
}

guint32
scope_measurement_get_box (const ScopeMeasurement *measurement, guint32 row)
{
  return row < prof_capture_n_nodes (measurement->capture) ? measurement->boxes[row] : VIZ_ROOT;
}

const ProfNodeSum *
scope_measurement_get_node (const ScopeMeasurement *measurement, guint32 box, guint *rank)
{
  guint32 found = measurement->by_box[box];

  if (rank)
    *rank = found;
  return found > 0 ? &g_array_index (measurement->summary->node, ProfNodeSum, found - 1) : NULL;
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
paint_in_worker (GTask                    *task,
                 gpointer source           G_GNUC_UNUSED,
                 gpointer                  data,
                 GCancellable *cancellable G_GNUC_UNUSED)
{
  const PaintJob         *job = data;
  const ScopeMeasurement *measurement = job->measurement;
  const ScopeHeatSource   heat_source = { .capture = measurement->capture,
                                          .summary = measurement->summary,
                                          .diagram =
                                              scope_document_get_diagram (measurement->document),
                                          .boxes = measurement->boxes };

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
