/* values-view-facts.c — statistics, histogram and picture beside the table; each leads to its place
 * in the table.
 *
 * Start at scope_values_view_sum_up().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/values-view-private.h"

#include "app/process/worker.h"
#include "app/widgets/bars.h"
#include "app/widgets/matrix.h"

#include <glib/gi18n.h>
#include <math.h>

/* The target of a row of the sheet. */
typedef enum
{
  PLACE_NOWHERE,
  PLACE_SMALLEST,
  PLACE_LARGEST,
  PLACE_BAD,
  PLACE_DIFFERENCE,
} Place;

typedef struct
{
  HybTensor   *tensor;
  ScopeSummary summary;
} SumJob;

static void
sum_job_free (gpointer data)
{
  hyb_tensor_unref (((SumJob *) data)->tensor);
  g_free (data);
}

/* --- Jumps --- */

static void
jump (ScopeValuesView *self, gint64 element)
{
  if (element < 0 || !self->tensor)
    return;
  if (scope_values_view_move_to (self, element))
    scope_values_view_draw_picture (self);
}

static void
on_link (ScopeSheet *sheet G_GNUC_UNUSED, guint32 place, gpointer data)
{
  ScopeValuesView *self = data;
  const gint64     elements[] = {
        [PLACE_NOWHERE] = -1,
        [PLACE_SMALLEST] = self->summary.smallest,
        [PLACE_LARGEST] = self->summary.largest,
        [PLACE_BAD] = self->summary.first_bad,
        [PLACE_DIFFERENCE] = self->difference.where,
  };

  if (place < G_N_ELEMENTS (elements))
    jump (self, elements[place]);
}

typedef struct
{
  HybTensor *tensor;
  gint64     after, found;
} SearchJob;

static void
search_job_free (gpointer data)
{
  hyb_tensor_unref (((SearchJob *) data)->tensor);
  g_free (data);
}

static void
search_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  SearchJob    *job = data;

  job->found = scope_tensor_find_bad (job->tensor, job->after + 1, cancellable);
  if (job->found < 0)
    job->found = scope_tensor_find_bad (job->tensor, 0, cancellable);
  g_task_return_boolean (task, TRUE);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (source);
  const SearchJob *job = g_task_get_task_data (G_TASK (result));

  if (g_task_propagate_boolean (G_TASK (result), NULL) && job->tensor == self->tensor)
    jump (self, job->found);
}

void
scope_values_view_find_bad (ScopeValuesView *self)
{
  SearchJob *job;
  g_autoptr (GTask) task = NULL;

  if (!self->tensor)
    return;
  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  self->searching = g_cancellable_new ();
  job = g_new (SearchJob, 1);
  *job = (SearchJob){ hyb_tensor_ref (self->tensor), scope_values_view_get_element (self), -1 };
  task = g_task_new (self, self->searching, found_cb, NULL);
  g_task_set_task_data (task, job, search_job_free);
  scope_worker_run (task, search_in_worker);
}

/* --- The sheet --- */

static void
add_number (ScopeValuesView *self, const char *name, double value, Place place)
{
  g_autofree char *text = g_strdup_printf ("%.6g", value);

  scope_sheet_add_row (self->sheet, name, text, NULL, place);
}

/* "12 (3.2 %)"; nothing for 0 unless always is set. */
static void
add_count (ScopeValuesView *self, const char *name, gint64 count, Place place)
{
  double           share = 100 * (double) count / (double) MAX (self->summary.size, 1);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT " (%.3g %%)", count, share);

  scope_sheet_add_row (self->sheet, name, text, NULL, place);
}

static void
add_difference (ScopeValuesView *self)
{
  g_autofree char *heading = NULL;

  if (!self->other_title)
    return;
  heading = g_strdup_printf (_ ("Compared with %s"), self->other_title);
  scope_sheet_add_heading (self->sheet, heading);
  if (self->other_error)
    scope_sheet_add_text (self->sheet, self->other_error, "warning");
  else if (!self->other)
    scope_sheet_add_text (self->sheet, _ ("Comparing…"), "dim-label");
  else if (self->difference.n_different == 0)
    scope_sheet_add_text (self->sheet, _ ("All values are equal"), "success");
  else
    {
      add_count (self, _ ("Different"), self->difference.n_different, PLACE_NOWHERE);
      add_number (self, _ ("Largest difference"), self->difference.largest, PLACE_DIFFERENCE);
      add_number (self, _ ("Mean difference"), self->difference.mean, PLACE_NOWHERE);
    }
}

static void
add_statistics (ScopeValuesView *self)
{
  const HybStatistics *statistics = &self->summary.statistics;

  if (self->other_title)
    scope_sheet_add_heading (self->sheet, _ ("This Model"));
  if (self->summary.largest >= 0)
    {
      add_number (self, _ ("Smallest"), statistics->minimum, PLACE_SMALLEST);
      add_number (self, _ ("Largest"), statistics->maximum, PLACE_LARGEST);
      add_number (self, _ ("Mean"), statistics->mean, PLACE_NOWHERE);
      add_number (self, _ ("Deviation"), statistics->deviation, PLACE_NOWHERE);
      add_count (self, _ ("Zeros"), self->summary.n_zeros, PLACE_NOWHERE);
    }
  if (statistics->n_nan > 0)
    add_count (self, _ ("Not a number"), statistics->n_nan, PLACE_BAD);
  if (statistics->n_infinite > 0)
    add_count (self, _ ("Infinite"), statistics->n_infinite, PLACE_BAD);
}

/* "−0.5 to −0.25: 12 values" */
static char *
describe_bin (guint index, double value, gpointer data)
{
  const HybStatistics *statistics = &((ScopeValuesView *) data)->summary.statistics;
  double               width = (statistics->maximum - statistics->minimum) / SCOPE_SUMMARY_BINS;
  double               low = statistics->minimum + index * width;

  return g_strdup_printf (_ ("%.4g to %.4g: %.0f values"), low, low + width, value);
}

static void
add_histogram (ScopeValuesView *self)
{
  GtkWidget *bars;

  if (!(self->summary.statistics.maximum > self->summary.statistics.minimum))
    return;
  bars = scope_bars_new (64);
  gtk_widget_set_name (bars, "values-histogram");
  scope_bars_set_values (SCOPE_BARS (bars), self->summary.bins, SCOPE_SUMMARY_BINS);
  scope_bars_set_axes (SCOPE_BARS (bars),
                       &(ScopeBarAxes){ .low = self->summary.statistics.minimum,
                                        .high = self->summary.statistics.maximum });
  scope_bars_set_label (SCOPE_BARS (bars), describe_bin, self);
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Histogram of the values"), NULL);
  scope_sheet_add (self->sheet, bars);
}

void
scope_values_view_update_facts (ScopeValuesView *self)
{
  if (self->picture)
    g_object_ref (self->picture);
  scope_sheet_clear (self->sheet);
  gtk_widget_set_visible (self->bad_button, self->has_summary && self->summary.first_bad >= 0);
  add_difference (self);
  if (!self->has_summary)
    scope_sheet_add_text (self->sheet, _ ("Computing…"), "dim-label");
  else
    {
      add_statistics (self);
      add_histogram (self);
    }
  if (self->picture)
    {
      scope_sheet_add (self->sheet, self->picture);
      g_object_unref (self->picture);
    }
}

/* --- Statistics --- */

static void
sum_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  SumJob       *job = data;

  g_task_return_boolean (task, scope_summary_compute (&job->summary, job->tensor, cancellable) &&
                                   scope_summary_count (&job->summary, job->tensor, cancellable));
}

static void
summed_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (source);
  const SumJob    *job = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), NULL) || job->tensor != self->tensor)
    return;
  self->summary = job->summary;
  self->has_summary = TRUE;
  scope_values_view_update_facts (self);
  scope_values_view_draw_picture (self);
  gtk_widget_queue_draw (GTK_WIDGET (self->grid));
}

void
scope_values_view_sum_up (ScopeValuesView *self)
{
  SumJob *job;
  g_autoptr (GTask) task = NULL;

  g_cancellable_cancel (self->summing);
  g_clear_object (&self->summing);
  self->has_summary = FALSE;
  self->picture = NULL;
  scope_values_view_update_facts (self);
  if (!self->tensor)
    return;
  self->summing = g_cancellable_new ();
  job = g_new0 (SumJob, 1);
  job->tensor = hyb_tensor_ref (self->tensor);
  task = g_task_new (self, self->summing, summed_cb, NULL);
  g_task_set_task_data (task, job, sum_job_free);
  scope_worker_run (task, sum_in_worker);
}

/* --- The picture --- */

typedef struct
{
  HybTensor *tensor;
  ScopePlane plane;
  guint      n_rows, n_columns;
  double    *values; /* result */
} DrawJob;

static void
draw_job_free (gpointer data)
{
  DrawJob *job = data;

  hyb_tensor_unref (job->tensor);
  g_free (job->values);
  g_free (job);
}

static void
draw_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  DrawJob      *job = data;

  job->values =
      scope_plane_draw (&job->plane, job->tensor, job->n_rows, job->n_columns, cancellable);
  g_task_return_boolean (task, job->values != NULL);
}

static void
on_picked (ScopeMatrix *picture G_GNUC_UNUSED, gint64 row, gint64 column, gpointer data)
{
  ScopeValuesView *self = data;
  gboolean         is_vector = self->slice.column_axis < 0;

  scope_grid_set_cursor (self->grid, is_vector ? column : row, is_vector ? 0 : column);
  gtk_widget_grab_focus (GTK_WIDGET (self->grid));
}

static void
add_picture (ScopeValuesView *self)
{
  self->picture = scope_matrix_new ();
  gtk_widget_set_name (self->picture, "values-picture");
  gtk_widget_set_margin_top (self->picture, 9);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->picture), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Picture of the values"), -1);
  g_signal_connect (self->picture, "picked", G_CALLBACK (on_picked), self);
  scope_sheet_add (self->sheet, self->picture);
}

static void
drawn_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (source);
  const DrawJob   *job = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), NULL) || job->tensor != self->tensor)
    return;
  if (!self->picture)
    add_picture (self);
  scope_matrix_set_image (SCOPE_MATRIX (self->picture),
                          &(ScopeMatrixImage){
                              .values = job->values,
                              .n_rows = job->n_rows,
                              .n_columns = job->n_columns,
                              .rows = job->plane.rows,
                              .columns = job->plane.columns,
                              .scale = scope_summary_scale (&self->summary.statistics) });
}

/* A vector, which is a column of the table, is drawn as a row. */
static ScopePlane
plane_of_picture (const ScopeSlice *slice)
{
  ScopePlane plane = scope_slice_get_plane (slice);

  if (slice->column_axis >= 0)
    return plane;
  return (ScopePlane){ plane.offset, 1, plane.rows, 0, plane.row_stride };
}

void
scope_values_view_draw_picture (ScopeValuesView *self)
{
  DrawJob *job;
  g_autoptr (GTask) task = NULL;

  g_cancellable_cancel (self->drawing);
  g_clear_object (&self->drawing);
  if (!self->has_summary || self->summary.size < 2)
    return;
  self->drawing = g_cancellable_new ();
  job = g_new0 (DrawJob, 1);
  job->tensor = hyb_tensor_ref (self->tensor);
  job->plane = plane_of_picture (&self->slice);
  job->n_rows = (guint) MIN (job->plane.rows, SCOPE_MATRIX_MAX_CELLS);
  job->n_columns = (guint) MIN (job->plane.columns, SCOPE_MATRIX_MAX_CELLS);
  task = g_task_new (self, self->drawing, drawn_cb, NULL);
  g_task_set_task_data (task, job, draw_job_free);
  scope_worker_run (task, draw_in_worker);
}

void
scope_values_view_init_facts (ScopeValuesView *self)
{
  g_signal_connect (self->sheet, "link", G_CALLBACK (on_link), self);
}
