/* node-view-costs.c — costs of the selection, and what a parameter holds.
 *
 * Contents are counted in a worker: a parameter may be as large as the memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/widgets/bars.h"
#include "profiler/report.h"

#include <glib/gi18n.h>
#include <math.h>

#define N_BINS 48

/* ---- Costs ---- */

static void
add_seconds (ScopeSheet *sheet, const char *name, double seconds, const char *hint)
{
  g_autofree char *text = prof_format_seconds (seconds);

  scope_sheet_add_row (sheet, name, text, hint, 0);
}

static void
add_steps (ScopeSheet *sheet, const ProfCapture *capture, guint32 row)
{
  g_autoptr (GArray) steps = prof_summary_steps_of (capture, row);
  g_autofree double *values = NULL;
  GtkWidget         *bars;

  if (steps == NULL || steps->len < 2)
    return;
  values = g_new (double, steps->len);
  for (guint i = 0; i < steps->len; i++)
    values[i] = g_array_index (steps, ProfStepSum, i).self;
  bars = scope_bars_new (36);
  scope_bars_set_values (SCOPE_BARS (bars), values, steps->len);
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Time of each step"), NULL);
  gtk_widget_set_tooltip_text (bars, _ ("Self time of each step"));
  scope_sheet_add (sheet, bars);
}

void
scope_node_view_show_costs (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box)
{
  guint              rank;
  const ProfSummary *summary =
      measurement != NULL ? scope_measurement_get_summary (measurement) : NULL;
  const ProfNodeSum *sum =
      measurement != NULL ? scope_measurement_get_node (measurement, box, &rank) : NULL;
  g_autofree char *share = NULL;
  g_autofree char *rate = NULL;
  g_autofree char *noise = NULL;

  if (sum == NULL)
    return;
  scope_sheet_add_heading (self->sheet, _ ("Cost"));
  share = g_strdup_printf (_ ("%.1f %% · rank %u"), 100 * sum->self / summary->traced, rank);
  scope_sheet_add_row (self->sheet, _ ("Share of a run"), share, NULL, 0);
  noise = g_strdup_printf (_ ("95 %% interval of the median: %.3g to %.3g ms"),
                           sum->low * 1e3,
                           sum->high * 1e3);
  add_seconds (self->sheet, _ ("Self time"), sum->self, noise);
  if (sum->inclusive > sum->self * 1.001)
    add_seconds (self->sheet, _ ("With what is inside"), sum->inclusive, NULL);
  if (sum->count > 1)
    add_seconds (self->sheet, _ ("Each time"), sum->self / sum->count, NULL);
  if (isfinite (sum->flops) && sum->flops > 0 && sum->self > 0)
    {
      rate = prof_format_quantity (sum->flops / MAX (sum->inclusive, sum->self));
      rate = g_strconcat (g_steal_pointer (&rate), "FLOP/s", NULL);
      scope_sheet_add_row (self->sheet, _ ("Arithmetic rate"), rate, NULL, 0);
    }
  add_steps (self->sheet, scope_measurement_get_capture (measurement), sum->row);
}

/* ---- Contents ---- */

typedef struct
{
  HybTensor    *tensor;
  HybStatistics statistics;
  double        bins[N_BINS];
} Contents;

static void
contents_free (gpointer data)
{
  Contents *contents = data;

  hyb_tensor_unref (contents->tensor);
  g_free (contents);
}

static void
count_in_worker (GTask          *task,
                 gpointer source G_GNUC_UNUSED,
                 gpointer        data,
                 GCancellable   *cancellable)
{
  Contents *contents = data;
  gint64    n = hyb_tensor_get_size (contents->tensor);
  double    low, width;

  hyb_tensor_statistics (contents->tensor, &contents->statistics);
  low = contents->statistics.minimum;
  width = contents->statistics.maximum - low;
  for (gint64 i = 0; width > 0 && i < n; i++)
    {
      double value = hyb_tensor_get_value (contents->tensor, i);

      if ((i & 0xfffff) == 0 && g_cancellable_is_cancelled (cancellable))
        break;
      if (isfinite (value))
        contents->bins[CLAMP ((int) ((value - low) / width * N_BINS), 0, N_BINS - 1)]++;
    }
  g_task_return_boolean (task, TRUE);
}

static void
add_number (ScopeSheet *sheet, const char *name, double value)
{
  g_autofree char *text = g_strdup_printf ("%.5g", value);

  scope_sheet_add_row (sheet, name, text, NULL, 0);
}

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeSheet          *sheet = SCOPE_SHEET (source);
  const Contents      *contents = g_task_get_task_data (G_TASK (result));
  const HybStatistics *statistics = &contents->statistics;
  GtkWidget           *bars;

  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return;
  scope_sheet_clear (sheet);
  add_number (sheet, _ ("Smallest"), statistics->minimum);
  add_number (sheet, _ ("Largest"), statistics->maximum);
  add_number (sheet, _ ("Mean"), statistics->mean);
  add_number (sheet, _ ("Deviation"), statistics->deviation);
  if (statistics->n_nan + statistics->n_infinite > 0)
    {
      g_autofree char *n_nan = g_strdup_printf ("%" G_GINT64_FORMAT, statistics->n_nan);
      g_autofree char *n_infinite = g_strdup_printf ("%" G_GINT64_FORMAT, statistics->n_infinite);
      g_autofree char *text =
          g_strdup_printf (_ ("%s not a number, %s infinite"), n_nan, n_infinite);

      scope_sheet_add_text (sheet, text, "error");
    }
  bars = scope_bars_new (64);
  gtk_widget_set_name (bars, "histogram");
  scope_bars_set_values (SCOPE_BARS (bars), contents->bins, N_BINS);
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Histogram of the values"), NULL);
  scope_sheet_add (sheet, bars);
}

void
scope_node_view_show_contents (ScopeNodeView *self, HybTensor *tensor)
{
  GtkWidget *part = scope_sheet_new ();
  Contents  *contents = g_new0 (Contents, 1);
  g_autoptr (GTask) task = NULL;
  g_autofree char *bytes = g_format_size (hyb_tensor_get_bytes (tensor));

  scope_sheet_add_heading (self->sheet, _ ("Contents"));
  scope_sheet_add_row (self->sheet, _ ("Size"), bytes, NULL, 0);
  gtk_widget_remove_css_class (part, "sheet");
  scope_sheet_add (self->sheet, part);
  contents->tensor = hyb_tensor_ref (tensor);
  task = g_task_new (part, NULL, counted_cb, NULL);
  g_task_set_task_data (task, contents, contents_free);
  g_task_run_in_thread (task, count_in_worker);
}
