/* values-view-table.c — the table of a slice: reads the visible cells and some around them, and shows them.
 *
 * Cells of a large tensor are read in a worker, because its file may be on a slow disk; until then they are "…".  Start at
 * read_visible().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/values-view-private.h"

#include "app/process/worker.h"
#include "app/widgets/clipboard.h"
#include "engine/tensor/tensor-text.h"

#include <glib/gi18n.h>
#include <math.h>

/* Tensors up to this size are read directly. */
#define SMALL_TENSOR 1000000

typedef struct
{
  HybTensor *tensor, *other;
  ScopePlane plane;
  ScopePart  part;
  HybTensor *block, *other_block; /* results */
} ReadJob;

static void
unref_tensor (HybTensor **tensor)
{
  g_clear_pointer (tensor, hyb_tensor_unref);
}

static void
read_job_free (gpointer data)
{
  ReadJob *job = data;

  unref_tensor (&job->tensor);
  unref_tensor (&job->other);
  unref_tensor (&job->block);
  unref_tensor (&job->other_block);
  g_free (job);
}

ScopeShownValues
scope_values_view_get_shown (ScopeValuesView *self)
{
  return self->other ? (ScopeShownValues) gtk_drop_down_get_selected (self->shown)
                     : SCOPE_SHOWN_THIS;
}

static gboolean
is_small (ScopeValuesView *self)
{
  return hyb_tensor_get_size (self->tensor) <= SMALL_TENSOR;
}

/* --- Cells --- */

/* The index of a cell in the block that was read; -1: it was not. */
static gint64
index_in_block (ScopeValuesView *self, gint64 row, gint64 column)
{
  const ScopePart *part = &self->part;

  if (!self->block || row < part->row || row >= part->row + part->n_rows || column < part->column ||
      column >= part->column + part->n_columns)
    return -1;
  return (row - part->row) * part->n_columns + column - part->column;
}

static double
subtract (double a, double b)
{
  return a == b || (isnan (a) && isnan (b)) ? 0 : a - b;
}

/* digits: of a float; integers are written in full. */
static void
print_element (HybTensor *block, gint64 at, int digits, char *text, gsize size)
{
  g_autoptr (GString) exact = NULL;

  if (hyb_dtype_is_float (hyb_tensor_get_dtype (block)))
    {
      g_snprintf (text, size, "%.*g", digits, hyb_tensor_get_value (block, at));
      return;
    }
  exact = g_string_new (NULL);
  hyb_tensor_append_text (exact, block, at);
  g_strlcpy (text, exact->str, size);
}

static void
fill_cell (gint64 row, gint64 column, ScopeGridCell *cell, gpointer data)
{
  ScopeValuesView *self = data;
  gint64           at = index_in_block (self, row, column);
  ScopeShownValues shown = scope_values_view_get_shown (self);
  HybTensor       *block = shown == SCOPE_SHOWN_OTHER ? self->other_block : self->block;
  double           value, scale;

  if (at < 0 || !block || (shown == SCOPE_SHOWN_DIFFERENCE && !self->other_block))
    return;
  value = hyb_tensor_get_value (block, at);
  scale = self->has_summary ? scope_summary_scale (&self->summary.statistics) : 0;
  if (shown == SCOPE_SHOWN_DIFFERENCE)
    {
      value = subtract (value, hyb_tensor_get_value (self->other_block, at));
      scale = self->difference.largest;
      g_snprintf (cell->text, sizeof cell->text, "%.5g", value);
    }
  else
    print_element (block, at, 5, cell->text, sizeof cell->text);
  cell->shade = !isfinite (value) ? NAN : scale > 0 ? value / scale : 0;
}

/* --- The line below --- */

static int
exact_digits (HybTensor *tensor)
{
  return hyb_tensor_get_dtype (tensor) == HYB_F64 ? 17 : 9;
}

/* "[3, 5]: 0.123456789"; with another tensor also its value and the difference.  (transfer full) */
static char *
describe_cell (ScopeValuesView *self, gint64 element, HybTensor *from, HybTensor *other, gint64 at)
{
  g_autofree char *place = scope_element_to_string (hyb_tensor_get_shape (self->tensor), element);
  char             text[40], other_text[40];

  print_element (from, at, exact_digits (from), text, sizeof text);
  if (!other)
    return g_strdup_printf ("%s: %s", place, text);
  print_element (other, at, exact_digits (other), other_text, sizeof other_text);
  return g_strdup_printf (_ ("%s: %s · other: %s · difference: %.5g"), place, text, other_text,
                          subtract (hyb_tensor_get_value (from, at),
                                    hyb_tensor_get_value (other, at)));
}

gint64
scope_values_view_get_element (ScopeValuesView *self)
{
  ScopePlane plane;
  gint64     row, column;

  if (!self->tensor || !scope_grid_get_cursor (self->grid, &row, &column))
    return -1;
  plane = scope_slice_get_plane (&self->slice);
  return scope_plane_locate (&plane, row, column);
}

static void
update_place (ScopeValuesView *self)
{
  gint64           element = scope_values_view_get_element (self);
  ScopeGridRange   selection;
  g_autofree char *text = NULL;
  gint64           at;

  scope_grid_get_selection (self->grid, &selection);
  at = index_in_block (self, selection.row, selection.column);
  if (selection.n_rows * selection.n_columns > 1)
    text = g_strdup_printf (_ ("%ld × %ld values selected"), (long) selection.n_rows,
                            (long) selection.n_columns);
  else if (element >= 0 && is_small (self))
    text = describe_cell (self, element, self->tensor, self->other, element);
  else if (element >= 0 && at >= 0)
    text = describe_cell (self, element, self->block, self->other_block, at);
  gtk_label_set_text (self->place, text ? text : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->grid), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text ? text : "", -1);
}

/* --- Reading --- */

static void
read_block (ReadJob *job, GCancellable *cancellable)
{
  ScopePart part = job->part;

  job->block = scope_plane_read (&job->plane, job->tensor, &job->part, cancellable, NULL);
  if (job->other && job->block)
    job->other_block = scope_plane_read (&job->plane, job->other, &part, cancellable, NULL);
}

static void
read_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  read_block (data, cancellable);
  g_task_return_boolean (task, TRUE);
}

static void
take_block (ScopeValuesView *self, ReadJob *job)
{
  unref_tensor (&self->block);
  unref_tensor (&self->other_block);
  self->block = g_steal_pointer (&job->block);
  self->other_block = g_steal_pointer (&job->other_block);
  self->part = job->part;
  update_place (self);
  gtk_widget_queue_draw (GTK_WIDGET (self->grid));
}

/* The visible cells, and as many on each side. */
static ScopePart
part_around (const ScopeGridRange *visible)
{
  return (ScopePart){ .row = MAX (visible->row - visible->n_rows, 0),
                      .column = MAX (visible->column - visible->n_columns, 0),
                      .n_rows = 3 * visible->n_rows,
                      .n_columns = 3 * visible->n_columns };
}

static gboolean
is_inside (const ScopeGridRange *visible, const ScopePart *part)
{
  return visible->row >= part->row && visible->row + visible->n_rows <= part->row + part->n_rows &&
         visible->column >= part->column &&
         visible->column + visible->n_columns <= part->column + part->n_columns;
}

static void read_visible (ScopeValuesView *self);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (source);

  if (g_task_get_cancellable (G_TASK (result)) != self->reading)
    return;
  g_clear_object (&self->reading);
  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return;
  take_block (self, g_task_get_task_data (G_TASK (result)));
  /* Other cells may have become visible meanwhile. */
  if (self->block)
    read_visible (self);
}

static void
read_visible (ScopeValuesView *self)
{
  ScopeGridRange visible;
  ReadJob       *job;
  g_autoptr (GTask) task = NULL;

  scope_grid_get_visible (self->grid, &visible);
  if (!self->tensor || visible.n_rows < 1 || visible.n_columns < 1 || self->reading ||
      (self->block && is_inside (&visible, &self->part)))
    return;
  job = g_new0 (ReadJob, 1);
  job->tensor = hyb_tensor_ref (self->tensor);
  job->other = self->other ? hyb_tensor_ref (self->other) : NULL;
  job->plane = scope_slice_get_plane (&self->slice);
  job->part = part_around (&visible);
  if (is_small (self))
    {
      read_block (job, NULL);
      take_block (self, job);
      read_job_free (job);
      return;
    }
  self->reading = g_cancellable_new ();
  task = g_task_new (self, self->reading, read_cb, NULL);
  g_task_set_task_data (task, job, read_job_free);
  scope_worker_run (task, read_in_worker);
}

static void
drop_block (ScopeValuesView *self)
{
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  unref_tensor (&self->block);
  unref_tensor (&self->other_block);
}

/* --- Scrolling --- */

static void
on_scrolled (ScopeValuesView *self)
{
  read_visible (self);
}

static void
on_moved (ScopeValuesView *self)
{
  read_visible (self);
  update_place (self);
}

/* --- Copying --- */

/* More cells than this are not copied as text; a file is for them. */
#define MAX_COPIED 1000000

static void
print_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  ReadJob      *job = data;

  read_block (job, cancellable);
  g_task_return_pointer (task, job->block ? scope_table_to_text (job->block) : NULL, g_free);
}

static void
printed_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  g_autofree char *text = g_task_propagate_pointer (G_TASK (result), NULL);

  if (text)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (source)), text);
}

void
scope_values_view_copy (ScopeValuesView *self)
{
  ScopeGridRange range;
  HybTensor     *shown =
      scope_values_view_get_shown (self) == SCOPE_SHOWN_OTHER ? self->other : self->tensor;
  ReadJob *job;
  g_autoptr (GTask) task = NULL;

  scope_grid_get_selection (self->grid, &range);
  if (!shown)
    return;
  if ((double) range.n_rows * (double) range.n_columns > MAX_COPIED)
    {
      gtk_label_set_text (self->place,
                          _ ("Too many values to copy: at most a million. Save them instead."));
      return;
    }
  job = g_new0 (ReadJob, 1);
  job->tensor = hyb_tensor_ref (shown);
  job->plane = scope_slice_get_plane (&self->slice);
  job->part = (ScopePart){ range.row, range.column, range.n_rows, range.n_columns };
  task = g_task_new (self, scope_clipboard_claim (GTK_WIDGET (self)), printed_cb, NULL);
  g_task_set_task_data (task, job, read_job_free);
  scope_worker_run (task, print_in_worker);
}

/* --- Slices --- */

void
scope_values_view_show_slice (ScopeValuesView *self)
{
  ScopePlane       plane = { 0 };
  g_autofree char *text = NULL;

  drop_block (self);
  if (self->tensor)
    {
      plane = scope_slice_get_plane (&self->slice);
      text = scope_slice_to_string (&self->slice);
      gtk_editable_set_text (GTK_EDITABLE (self->slice_entry), text);
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->slice_entry), "error");
  scope_grid_set_size (self->grid, plane.rows, plane.columns);
  read_visible (self);
  update_place (self);
}

void
scope_values_view_reread (ScopeValuesView *self)
{
  drop_block (self);
  read_visible (self);
  update_place (self);
  gtk_widget_queue_draw (GTK_WIDGET (self->grid));
}

gboolean
scope_values_view_move_to (ScopeValuesView *self, gint64 element)
{
  ScopeSlice before = self->slice;
  ScopePlane old = scope_slice_get_plane (&before), new;
  gint64     row, column;

  scope_slice_show (&self->slice, element, &row, &column);
  new = scope_slice_get_plane (&self->slice);
  if (new.offset != old.offset)
    scope_values_view_show_slice (self);
  scope_grid_set_cursor (self->grid, row, column);
  return new.offset != old.offset;
}

void
scope_values_view_init_table (ScopeValuesView *self)
{
  scope_grid_set_function (self->grid, fill_cell, self);
  g_signal_connect_swapped (self->grid, "scrolled", G_CALLBACK (on_scrolled), self);
  g_signal_connect_swapped (self->grid, "moved", G_CALLBACK (on_moved), self);
}
