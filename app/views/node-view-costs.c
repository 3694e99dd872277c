/* node-view-costs.c — costs of the selection.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/widgets/bars.h"
#include "profiler/report.h"

#include <glib/gi18n.h>
#include <math.h>

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
