/* node-view-values.c — the values of the selected node in the last run, in the side pane.
 *
 * For a node in a loop: the values of the chosen step, and a strip with the range of every step, on
 * which another step can be chosen.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "app/widgets/bars.h"

#include <glib/gi18n.h>
#include <math.h>

/* --- All steps --- */

static gboolean
is_finite (const ScopeValueStep *step)
{
  return step->statistics.n_nan + step->statistics.n_infinite == 0;
}

static char *
label_step (guint index, double mean, gpointer data)
{
  const GArray         *steps = data;
  const ScopeValueStep *step = &g_array_index (steps, ScopeValueStep, index);
  g_autofree char      *name = scope_value_step_name (step);

  if (isnan (mean))
    return g_strdup_printf (_ ("Step %s: no finite value"), name);
  return g_strdup_printf (is_finite (step) ? _ ("Step %s: %.3g to %.3g, mean %.3g")
                                           : _ ("Step %s: %.3g to %.3g, mean %.3g, and values that "
                                                "are not finite"),
                          name, step->statistics.minimum, step->statistics.maximum, mean);
}

static void
on_picked (ScopeBars *bars, guint index, gpointer data)
{
  const GArray   *steps = g_object_get_data (G_OBJECT (bars), "steps");
  ScopeWorkspace *workspace = scope_view_get_workspace (data);

  if (workspace && index < steps->len)
    scope_workspace_set_step (workspace, &g_array_index (steps, ScopeValueStep, index).last);
}

static char *
format_value (double value)
{
  return g_strdup_printf ("%.3g", value);
}

/* A bar from minimum to maximum for each step, with a line at the mean. */
static void
add_strip (ScopeNodeView *self, const ScopeValueSeries *series, int marked)
{
  GArray            *steps = series->steps;
  g_autofree double *lows = g_new (double, steps->len);
  g_autofree double *means = g_new (double, steps->len);
  g_autofree double *highs = g_new (double, steps->len);
  GtkWidget         *bars = scope_bars_new (40);
  g_autofree char   *text = NULL;
  guint              n_bad = 0;

  for (guint i = 0; i < steps->len; i++)
    {
      const ScopeValueStep *step = &g_array_index (steps, ScopeValueStep, i);

      n_bad += !is_finite (step);
      lows[i] = is_finite (step) ? step->statistics.minimum : NAN;
      means[i] = step->statistics.mean;
      highs[i] = step->statistics.maximum;
    }
  text = g_strdup_printf (g_dngettext (NULL, "%u step is not finite", "%u steps are not finite",
                                       n_bad),
                          n_bad);
  gtk_widget_set_name (bars, "values-strip");
  scope_bars_set_ranges (SCOPE_BARS (bars), lows, means, highs, steps->len);
  scope_bars_set_axes (SCOPE_BARS (bars),
                       &(ScopeBarAxes){ .format = format_value,
                                        /* Bars of long loops cover several steps. */
                                        .name = series->n_runs == steps->len ? _ ("step") : NULL });
  scope_bars_set_marked (SCOPE_BARS (bars), marked);
  /* The next run frees its values, perhaps before the pane is filled again. */
  g_object_set_data_full (G_OBJECT (bars), "steps", g_array_ref (steps),
                          (GDestroyNotify) g_array_unref);
  scope_bars_set_label (SCOPE_BARS (bars), label_step, steps);
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Values of each step"),
                              n_bad > 0 ? text : NULL);
  g_signal_connect_object (bars, "picked", G_CALLBACK (on_picked), self, 0);
  scope_sheet_add (self->sheet, bars);
}

/* --- One step --- */

static void
add_histogram (ScopeSheet *sheet, const ScopeValueStep *step)
{
  GtkWidget *bars = scope_bars_new (48);
  double     bins[SCOPE_VALUE_BINS];

  for (guint i = 0; i < SCOPE_VALUE_BINS; i++)
    bins[i] = step->bins[i];
  gtk_widget_set_name (bars, "activation");
  scope_bars_set_values (SCOPE_BARS (bars), bins, SCOPE_VALUE_BINS);
  scope_bars_set_axes (SCOPE_BARS (bars), &(ScopeBarAxes){ .low = step->statistics.minimum,
                                                           .high = step->statistics.maximum });
  scope_bars_set_description (SCOPE_BARS (bars), _ ("Histogram of the values"), NULL);
  scope_sheet_add (sheet, bars);
}

/* "h · 32×128 · step 4 of 35" */
static char *
describe_value (const ScopeValueSeries *series, const ScopeValueStep *step, const char *name)
{
  g_autofree char *shape = hyb_shape_join (&series->shape, "×");
  g_autofree char *which = step ? scope_value_step_name (step) : g_strdup ("");
  g_autofree char *n = g_strdup_printf ("%" G_GUINT64_FORMAT, series->n_runs);
  GString         *text = g_string_new (name);

  g_string_append_printf (text, "%s%s", name ? " · " : "", shape);
  /* Inside another loop n_runs counts the steps of all its runs. */
  if (*which != '\0' && step->first.n > 1)
    g_string_append_printf (text, _ (" · step %s"), which);
  else if (*which != '\0')
    g_string_append_printf (text, _ (" · step %s of %s"), which, n);
  return g_string_free (text, FALSE);
}

/* The values of the chosen step; NULL: the node did not run in it.  index: (out) its index in steps, -1 if
 * steps were not recorded. */
static const ScopeValueStep *
choose_step (ScopeNodeView *self, const ScopeValueSeries *series, int *index)
{
  const ScopeStepPath *chosen =
      scope_workspace_get_step (scope_view_get_workspace (SCOPE_VIEW (self)));
  const ScopeValueStep *step;
  guint                 at = 0;

  *index = -1;
  if (!series->steps)
    return &series->latest;
  step = scope_value_series_find (series, chosen, &at);
  if (!step)
    return NULL;
  *index = (int) at;
  /* Steps may be recorded in groups, but the last one is always recorded alone as well. */
  return scope_step_path_compare (&series->latest.last, chosen) == 0 ? &series->latest : step;
}

static void
add_value (ScopeNodeView *self, const ScopeValueSeries *series, const char *name)
{
  int                   index;
  const ScopeValueStep *step = choose_step (self, series, &index);
  g_autofree char      *title = describe_value (series, step, name);

  scope_sheet_add_text (self->sheet, title, "dim-label");
  if (series->steps && series->steps->len > 1)
    add_strip (self, series, index);
  if (!step)
    {
      g_autofree char *chosen = scope_step_path_to_string (
          scope_workspace_get_step (scope_view_get_workspace (SCOPE_VIEW (self))));
      g_autofree char *text = g_strdup_printf (_ ("Did not run in step %s"), chosen);

      scope_sheet_add_text (self->sheet, text, NULL);
      return;
    }
  scope_node_view_add_statistics (self->sheet, &step->statistics);
  if (step->statistics.maximum > step->statistics.minimum)
    add_histogram (self->sheet, step);
}

static void
add_first_nan (ScopeNodeView *self, const ScopeFirstNan *first, const char *body, const char *node)
{
  g_autofree char *step = NULL;
  g_autofree char *text = NULL;

  if (!first || g_strcmp0 (first->node, node) != 0 || g_strcmp0 (first->body, body) != 0)
    return;
  step = scope_step_path_to_string (&first->step);
  text = *step != '\0'
             ? g_strdup_printf (_ ("The first value that is not a number appears here, in step %s"),
                                step)
             : g_strdup (_ ("The first value that is not a number appears here"));
  scope_sheet_add_text (self->sheet, text, "error");
}

static guint
count_outputs (const HybNode *node)
{
  return hyb_node_is_variable (node) ? 1
                                     : hyb_op_n_visible (node->op, node->params, node->n_outputs);
}

/* One output of a node, below a heading if it is the first one.  FALSE: it has no values. */
static gboolean
add_output (ScopeNodeView    *self,
            ScopeDocument    *document,
            const ScopePlace *place,
            guint             output,
            gboolean          is_first)
{
  const HybNode     *node = hyb_graph_get_node (place->graph, place->node);
  const ScopeBody   *around = scope_document_get_body (document, place->graph);
  const char        *body = around ? around->name : NULL;
  const ScopeValues *values =
      scope_workspace_get_values (scope_view_get_workspace (SCOPE_VIEW (self)));
  const ScopeValueSeries *series =
      values ? scope_values_find (values, body, node->name, output) : NULL;
  g_autofree char *name = !hyb_node_is_variable (node) && count_outputs (node) > 1
                              ? hyb_op_dup_output_name (node->op, output, node->n_outputs)
                              : NULL;

  if (!series)
    return FALSE;
  if (is_first)
    {
      scope_sheet_add_heading (self->sheet, _ ("Values of the Last Run"));
      add_first_nan (self, scope_values_get_first_nan (values), body, node->name);
      scope_node_view_add_values_button (self);
    }
  add_value (self, series, name);
  return TRUE;
}

void
scope_node_view_show_values (ScopeNodeView *self, ScopeDocument *document, const ScopePlace *place)
{
  guint    n = count_outputs (hyb_graph_get_node (place->graph, place->node));
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++)
    any |= add_output (self, document, place, i, !any);
}

gboolean
scope_node_view_show_value (ScopeNodeView    *self,
                            ScopeDocument    *document,
                            const ScopePlace *place,
                            guint             output)
{
  return add_output (self, document, place, output, TRUE);
}
