/* node-view-costs.c — costs of the selected node or group in the side pane.
 *
 * A node's costs come from the measurement's summary; a group's are summed over the nodes inside it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/adapt/host-badges.h"
#include "app/widgets/bars.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

/* --- Nodes --- */

static void
add_seconds (ScopeSheet *sheet, const char *name, double seconds, const char *hint)
{
  g_autofree char *text = prof_format_seconds (seconds);

  scope_sheet_add_row (sheet, name, text, hint, 0);
}

static void
add_steps (ScopeSheet *sheet, ScopeMeasurement *measurement, guint32 row)
{
  g_autoptr (GArray) steps =
      prof_summary_steps_of (scope_measurement_get_capture (measurement), row,
                             scope_measurement_get_summary (measurement)->used);
  g_autofree double *values = NULL;
  GtkWidget         *bars;

  if (!steps || steps->len < 2)
    return;
  values = g_new (double, steps->len);
  for (guint i = 0; i < steps->len; i++)
    values[i] = g_array_index (steps, ProfStepSum, i).self;
  bars = scope_bars_new (36);
  scope_bars_set_values (SCOPE_BARS (bars), values, steps->len);
  scope_bars_set_axes (SCOPE_BARS (bars),
                       &(ScopeBarAxes){ .format = prof_format_seconds,
                                        .name = _ ("step"),
                                        .first = g_array_index (steps, ProfStepSum, 0).step });
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Time of each step"), NULL);
  gtk_widget_set_tooltip_text (bars, _ ("Self time of each step"));
  scope_sheet_add (sheet, bars);
}

/* The kernel that computed a row, in the language of the window if it is one of the engine's texts. */
static void
add_kernel (ScopeSheet *sheet, ScopeMeasurement *measurement, guint32 row)
{
  const char *kernel = prof_capture_find_kernel (scope_measurement_get_capture (measurement), row);

  if (*kernel)
    scope_sheet_add_row (sheet, _ ("Kernel"), gettext (kernel), _ ("How the processor computed it"),
                         0);
}

/* The costs of the row that computes a node which did not run itself, or NULL. */
static const ProfNodeSum *
find_computing (ScopeMeasurement *measurement, guint32 box, guint *rank)
{
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  guint              n;
  const ProfOrigin  *rows = scope_measurement_find_rows (measurement, box, &n);

  if (n == 0 || rows[0].role == PROF_DIFFERENTIATES || summary->by_row[rows[0].row] == PROF_NONE)
    return NULL;
  *rank = summary->by_row[rows[0].row] + 1;
  return &g_array_index (summary->node, ProfNodeSum, *rank - 1);
}

/* Self time of a row with the parts of its operator. */
static double
self_with_parts (ScopeMeasurement *measurement, const ProfNodeSum *sum)
{
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  double             seconds = sum->self;

  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *part = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, part->row);

      if ((node->flags & PROF_NODE_PHASE) && node->origin == sum->row)
        seconds += part->self;
    }
  return seconds;
}

/* Says that the costs are not of one node alone. */
static void
add_sharing (ScopeSheet *sheet, ScopeMeasurement *measurement, const ProfNodeSum *sum)
{
  const ProfOrigins *origins = scope_measurement_get_origins (measurement);
  guint              n, n_computed = prof_origins_n_computed (origins, sum->row);
  g_autofree char   *text = NULL;

  prof_origins_of (origins, sum->row, &n);
  n = n_computed > 0 ? n_computed : n;
  if (n < 2)
    return;
  text = g_strdup_printf (_ ("of %u nodes, computed together"), n);
  scope_sheet_add_text (sheet, text, "dim-label");
}

/* Says that the host computed the node in runs on a GPU, and why. */
static void
add_host_reason (ScopeSheet *sheet, ScopeMeasurement *measurement, guint32 box)
{
  const char      *reason = scope_measurement_get_host_reason (measurement, box);
  g_autofree char *text = reason ? scope_host_badge_describe (reason) : NULL;

  if (text)
    scope_sheet_add_text (sheet, text, "dim-label");
}

void
scope_node_view_show_costs (ScopeNodeView *self, ScopeMeasurement *measurement, guint32 box)
{
  guint              rank;
  const ProfSummary *summary = measurement ? scope_measurement_get_summary (measurement) : NULL;
  const ProfNodeSum *sum =
      measurement ? scope_measurement_get_node (measurement, box, &rank) : NULL;
  double           seconds;
  g_autofree char *share = NULL;
  g_autofree char *rate = NULL;
  g_autofree char *noise = NULL;

  if (measurement && !sum)
    sum = find_computing (measurement, box, &rank);
  if (!sum)
    return;
  seconds = self_with_parts (measurement, sum);
  scope_sheet_add_heading (self->sheet, _ ("Cost"));
  /* Ranks are of single rows, not of several nodes together. */
  share = seconds > sum->self * 1.001
              ? g_strdup_printf ("%.1f %%", 100 * seconds / summary->traced)
              : g_strdup_printf (_ ("%.1f %% · rank %u"), 100 * seconds / summary->traced, rank);
  scope_sheet_add_row (self->sheet, _ ("Share of a run"), share, NULL, 0);
  noise = isfinite (sum->low)
              ? g_strdup_printf (_ ("95 %% confidence interval of the median: %.3g to %.3g ms"),
                                 sum->low * 1e3, sum->high * 1e3)
              : g_strdup (_ ("Too few runs for a confidence interval of the median"));
  add_seconds (self->sheet, _ ("Self time"), seconds, noise);
  if (sum->inclusive > seconds * 1.001)
    add_seconds (self->sheet, _ ("Inclusive time"), sum->inclusive, NULL);
  if (sum->count > 1)
    add_seconds (self->sheet, _ ("Per execution"), seconds / sum->count, NULL);
  if (isfinite (sum->flops) && sum->flops > 0 && sum->self > 0)
    {
      rate = prof_format_quantity (sum->flops / MAX (sum->inclusive, sum->self));
      rate = g_strconcat (g_steal_pointer (&rate), "FLOP/s", NULL);
      scope_sheet_add_row (self->sheet, _ ("Arithmetic rate"), rate, NULL, 0);
    }
  add_kernel (self->sheet, measurement, sum->row);
  add_sharing (self->sheet, measurement, sum);
  add_host_reason (self->sheet, measurement, box);
  add_steps (self->sheet, measurement, sum->row);
}

/* --- Groups --- */

/* Self time of all nodes in a group; NAN: none was measured.  A loop counts with everything inside it.
 * flops: (out) */
static double
sum_inside (ScopeMeasurement *measurement, VizDiagram *diagram, guint32 box, double *flops)
{
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  double             seconds = NAN;

  *flops = 0;
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      guint32            of = scope_measurement_get_box (measurement, sum->row);

      if (of == VIZ_ROOT || (of != box && !viz_diagram_is_inside (diagram, of, box)))
        continue;
      seconds = isnan (seconds) ? sum->self : seconds + sum->self;
      *flops += isfinite (sum->flops) ? sum->flops : 0;
    }
  return seconds;
}

static char *
label_step (guint index, double value, gpointer unused G_GNUC_UNUSED)
{
  g_autofree char *time = prof_format_seconds (value);

  return g_strdup_printf (_ ("Step %u: %s"), index, time);
}

static char *
label_block (guint index, double value, gpointer unused G_GNUC_UNUSED)
{
  g_autofree char *time = prof_format_seconds (value);

  return g_strdup_printf (_ ("Block %u: %s"), index, time);
}

/* One bar per step of an unrolled chain. */
static void
add_chain (ScopeNodeView *self, ScopeMeasurement *measurement, VizDiagram *diagram, guint32 chain)
{
  const VizBox      *info = viz_diagram_box (diagram, chain);
  int                last = -1;
  g_autofree double *steps = NULL;
  GtkWidget         *bars;

  for (guint32 i = 0; i < info->n_children; i++)
    last = MAX (last, viz_diagram_box (diagram, viz_diagram_child (diagram, chain, i))->step);
  if (last < 1)
    return;
  steps = g_new0 (double, (gsize) last + 1);
  for (guint32 i = 0; i < info->n_children; i++)
    {
      guint32 child = viz_diagram_child (diagram, chain, i);
      gint32  step = viz_diagram_box (diagram, child)->step;
      double  flops, seconds;

      if (step < 0)
        continue;
      seconds = sum_inside (measurement, diagram, child, &flops);
      steps[step] += isnan (seconds) ? 0 : seconds;
    }
  bars = scope_bars_new (36);
  gtk_widget_set_name (bars, "step-strip");
  scope_bars_set_values (SCOPE_BARS (bars), steps, (guint) last + 1);
  scope_bars_set_axes (SCOPE_BARS (bars),
                       &(ScopeBarAxes){ .format = prof_format_seconds,
                                        .name = info->flags & VIZ_BOX_BLOCKS ? _ ("block")
                                                                             : _ ("step") });
  scope_bars_set_label (SCOPE_BARS (bars), info->flags & VIZ_BOX_BLOCKS ? label_block : label_step,
                        NULL);
  scope_bars_set_description (SCOPE_BARS (bars),
                              info->flags & VIZ_BOX_BLOCKS ? _ ("Time of each block")
                                                           : _ ("Time of each step"),
                              NULL);
  scope_sheet_add (self->sheet, bars);
}

void
scope_node_view_show_group_costs (ScopeNodeView    *self,
                                  ScopeMeasurement *measurement,
                                  ScopeDocument    *document,
                                  guint32           box)
{
  VizDiagram      *diagram = scope_document_get_diagram (document);
  double           flops, seconds = NAN, traced;
  g_autofree char *share = NULL;
  g_autofree char *rate = NULL;

  if (measurement)
    seconds = sum_inside (measurement, diagram, box, &flops);
  if (isnan (seconds))
    return;
  traced = scope_measurement_get_summary (measurement)->traced;
  scope_sheet_add_heading (self->sheet, _ ("Cost"));
  share = g_strdup_printf ("%.1f %%", 100 * seconds / traced);
  scope_sheet_add_row (self->sheet, _ ("Share of a run"), share, NULL, 0);
  add_seconds (self->sheet, _ ("Total inside"), seconds, NULL);
  if (flops > 0 && seconds > 0)
    {
      g_autofree char *quantity = prof_format_quantity (flops / seconds);

      rate = g_strconcat (quantity, "FLOP/s", NULL);
      scope_sheet_add_row (self->sheet, _ ("Arithmetic rate"), rate, NULL, 0);
    }
  if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS)
    add_chain (self, measurement, diagram, box);
}
