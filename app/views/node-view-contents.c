/* node-view-contents.c — statistics, histogram and pictures of a parameter in the side pane.
 *
 * Computed in a worker, because a parameter may be very large; count_in_worker() is the main function.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/adapt/tensor-slice.h"
#include "app/adapt/tensor-summary.h"
#include "app/document/weight-parts.h"
#include "app/process/worker.h"
#include "app/widgets/bars.h"
#include "app/widgets/matrix.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

/* Matrices of a packed vector beyond this are not drawn. */
#define MAX_PICTURES 8

typedef struct
{
  double *values;
  guint   n_rows, n_columns;
} Picture;

typedef struct
{
  ScopeDocument *document;
  HybTensor     *tensor;
  char          *name;
  ScopeSummary   summary;
  GArray        *parts; /* of ScopeWeightPart */
  Picture        pictures[MAX_PICTURES];
} Contents;

static void
contents_free (gpointer data)
{
  Contents *contents = data;

  for (guint i = 0; i < MAX_PICTURES; i++)
    g_free (contents->pictures[i].values);
  g_clear_pointer (&contents->parts, g_array_unref);
  scope_document_unref (contents->document);
  hyb_tensor_unref (contents->tensor);
  g_free (contents->name);
  g_free (contents);
}

/* --- In the worker --- */

/* Reduces a part to at most SCOPE_MATRIX_MAX_CELLS cells per side. */
static void
draw_part (Contents *contents, const ScopeWeightPart *part, Picture *picture, GCancellable *stop)
{
  const ScopePlane plane = { part->offset, part->rows, part->columns, part->columns, 1 };

  picture->n_rows = (guint) MIN (part->rows, SCOPE_MATRIX_MAX_CELLS);
  picture->n_columns = (guint) MIN (part->columns, SCOPE_MATRIX_MAX_CELLS);
  picture->values =
      scope_plane_draw (&plane, contents->tensor, picture->n_rows, picture->n_columns, stop);
}

static void
count_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  Contents     *contents = data;
  HybGraph     *graph = scope_document_get_graph (contents->document);

  if (!scope_summary_compute (&contents->summary, contents->tensor, cancellable) ||
      !scope_summary_count (&contents->summary, contents->tensor, cancellable))
    {
      g_task_return_error_if_cancelled (task);
      return;
    }
  contents->parts = scope_weight_parts (graph, scope_document_get_types (contents->document, graph),
                                        contents->name, contents->tensor);
  for (guint i = 0; i < MIN (contents->parts->len, MAX_PICTURES); i++)
    draw_part (contents, &g_array_index (contents->parts, ScopeWeightPart, i),
               &contents->pictures[i], cancellable);
  g_task_return_boolean (task, TRUE);
}

/* --- In the pane --- */

static void
add_number (ScopeSheet *sheet, const char *name, double value)
{
  g_autofree char *text = g_strdup_printf ("%.5g", value);

  scope_sheet_add_row (sheet, name, text, NULL, 0);
}

void
scope_node_view_add_statistics (ScopeSheet *sheet, const HybStatistics *statistics)
{
  if (isfinite (statistics->mean))
    {
      add_number (sheet, _ ("Smallest"), statistics->minimum);
      add_number (sheet, _ ("Largest"), statistics->maximum);
      add_number (sheet, _ ("Mean"), statistics->mean);
      add_number (sheet, _ ("Deviation"), statistics->deviation);
    }
  if (statistics->n_nan + statistics->n_infinite > 0)
    {
      g_autofree char *n_nan = g_strdup_printf ("%" G_GINT64_FORMAT, statistics->n_nan);
      g_autofree char *n_infinite = g_strdup_printf ("%" G_GINT64_FORMAT, statistics->n_infinite);
      g_autofree char *text =
          g_strdup_printf (_ ("%s not a number, %s infinite"), n_nan, n_infinite);

      scope_sheet_add_text (sheet, text, "error");
    }
}

static void
add_histogram (ScopeSheet *sheet, const Contents *contents)
{
  GtkWidget *bars = scope_bars_new (64);

  gtk_widget_set_name (bars, "histogram");
  scope_bars_set_values (SCOPE_BARS (bars), contents->summary.bins, SCOPE_SUMMARY_BINS);
  scope_bars_set_axes (SCOPE_BARS (bars),
                       &(ScopeBarAxes){ .low = contents->summary.statistics.minimum,
                                        .high = contents->summary.statistics.maximum });
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Histogram of the values"), NULL);
  scope_sheet_add (sheet, bars);
}

static void
add_picture (ScopeSheet *sheet, const ScopeWeightPart *part, const Picture *picture, double scale)
{
  GtkWidget *matrix = scope_matrix_new ();

  if (part->title)
    scope_sheet_add_text (sheet, part->title, "dim-label");
  gtk_widget_set_name (matrix, "weight-picture");
  scope_matrix_set_image (SCOPE_MATRIX (matrix),
                          &(ScopeMatrixImage){ .values = picture->values,
                                               .n_rows = picture->n_rows,
                                               .n_columns = picture->n_columns,
                                               .rows = part->rows,
                                               .columns = part->columns,
                                               .scale = scale });
  for (guint gate = 0; gate < part->n_gates; gate++)
    scope_matrix_add_block (SCOPE_MATRIX (matrix), part->gate_row[gate], _ (part->gate[gate]));
  gtk_accessible_update_property (GTK_ACCESSIBLE (matrix), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Picture of the values"), -1);
  gtk_widget_set_margin_top (matrix, 6);
  scope_sheet_add (sheet, matrix);
}

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeSheet      *sheet = SCOPE_SHEET (source);
  const Contents  *contents = g_task_get_task_data (G_TASK (result));
  double           scale = scope_summary_scale (&contents->summary.statistics);
  g_autofree char *legend = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return;
  scope_sheet_clear (sheet);
  scope_node_view_add_statistics (sheet, &contents->summary.statistics);
  add_histogram (sheet, contents);
  for (guint i = 0; i < MIN (contents->parts->len, MAX_PICTURES); i++)
    add_picture (sheet, &g_array_index (contents->parts, ScopeWeightPart, i),
                 &contents->pictures[i], scale);
  legend = g_strdup_printf (_ ("Blue: %.3g and less, orange: %.3g and more"), -scale, scale);
  scope_sheet_add_text (sheet, legend, "dim-label");
  if (contents->parts->len > MAX_PICTURES)
    {
      g_autofree char *more =
          g_strdup_printf (_ ("… and %u more"), contents->parts->len - MAX_PICTURES);

      scope_sheet_add_text (sheet, more, "dim-label");
    }
}

void
scope_node_view_add_values_button (ScopeNodeView *self)
{
  GtkWidget *button = gtk_button_new_with_label (_ ("Show Values"));

  gtk_widget_set_name (button, "show-values");
  gtk_widget_set_margin_top (button, 6);
  gtk_widget_set_margin_bottom (button, 6);
  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), "win.show-view::values");
  scope_sheet_add (self->sheet, button);
}

void
scope_node_view_show_contents (ScopeNodeView *self,
                               ScopeDocument *document,
                               const char    *name,
                               HybTensor     *tensor)
{
  GtkWidget *part = scope_sheet_new ();
  Contents  *contents = g_new0 (Contents, 1);
  g_autoptr (GTask) task = NULL;
  g_autofree char *bytes = prof_format_bytes ((double) hyb_tensor_get_bytes (tensor));

  scope_sheet_add_heading (self->sheet, _ ("Contents"));
  scope_sheet_add_row (self->sheet, _ ("Size"), bytes, NULL, 0);
  scope_node_view_add_values_button (self);
  gtk_widget_remove_css_class (part, "sheet");
  scope_sheet_add (self->sheet, part);
  contents->document = scope_document_ref (document);
  contents->tensor = hyb_tensor_ref (tensor);
  contents->name = g_strdup (name);
  task = g_task_new (part, NULL, counted_cb, NULL);
  g_task_set_task_data (task, contents, contents_free);
  scope_worker_run (task, count_in_worker);
}
