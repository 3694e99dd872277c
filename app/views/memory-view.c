/* memory-view.c — the memory curve: bytes in use while each node runs.
 *
 * Needs a capture of a run with a memory plan.  Clicking the curve shows the node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/memory-view.h"

#include "app/widgets/bars.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

struct _ScopeMemoryView
{
  ScopeView parent_instance;

  /* Borrowed: children */
  GtkStack  *stack;
  GtkLabel  *summary;
  ScopeBars *bars;
};

G_DEFINE_FINAL_TYPE (ScopeMemoryView, scope_memory_view, SCOPE_TYPE_VIEW)

static ScopeMeasurement *
get_measurement (ScopeMemoryView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));

  return workspace ? scope_workspace_get_measurement (workspace) : NULL;
}

static char *
label_point (guint index, double value, gpointer data)
{
  ScopeMeasurement  *measurement = get_measurement (data);
  const ProfCapture *capture;
  guint32            row;
  g_autofree char   *bytes = prof_format_bytes (value);

  if (!measurement)
    return NULL;
  capture = scope_measurement_get_capture (measurement);
  if (index >= prof_capture_n_memory (capture))
    return NULL;
  row = prof_capture_get_memory (capture)[index].row;
  if (row >= prof_capture_n_nodes (capture))
    return g_steal_pointer (&bytes);
  return g_strdup_printf ("%s\n%s",
                          prof_capture_get_string (capture,
                                                   prof_capture_get_node (capture, row)->name),
                          bytes);
}

static void
on_picked (ScopeBars *bars G_GNUC_UNUSED, guint index, gpointer data)
{
  ScopeMeasurement  *measurement = get_measurement (data);
  const ProfCapture *capture = measurement ? scope_measurement_get_capture (measurement) : NULL;
  guint32            box;

  if (!capture || index >= prof_capture_n_memory (capture))
    return;
  box = scope_measurement_get_box (measurement, prof_capture_get_memory (capture)[index].row);
  if (box != VIZ_ROOT)
    scope_workspace_show (scope_view_get_workspace (data), box);
}

static void
add_fact (GString *text, const ProfCapture *capture, const char *key, const char *format)
{
  double           value = prof_capture_get_number (capture, key);
  g_autofree char *bytes = isfinite (value) ? prof_format_bytes (value) : NULL;

  if (!bytes)
    return;
  if (text->len > 0)
    g_string_append (text, " · ");
    /* format is a translated literal with one %s */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  g_string_append_printf (text, format, bytes);
#pragma GCC diagnostic pop
}

static void
scope_memory_view_capture_changed (ScopeView *view)
{
  ScopeMemoryView       *self = SCOPE_MEMORY_VIEW (view);
  ScopeMeasurement      *measurement = get_measurement (self);
  const ProfCapture     *capture = measurement ? scope_measurement_get_capture (measurement) : NULL;
  guint                  n = capture ? prof_capture_n_memory (capture) : 0;
  const ProfMemoryPoint *points = capture ? prof_capture_get_memory (capture) : NULL;
  g_autofree double     *values = g_new (double, MAX (n, 1));
  g_autoptr (GString) text = g_string_new (NULL);
  double peak = 0;

  gtk_stack_set_visible_child_name (self->stack, n > 0 ? "curve" : capture ? "none" : "empty");
  if (n == 0)
    return;
  for (guint i = 0; i < n; i++)
    {
      values[i] = (double) points[i].bytes;
      peak = MAX (peak, values[i]);
    }
  scope_bars_set_values (self->bars, values, n);
  {
    g_autofree char *bytes = prof_format_bytes (peak);

    g_string_append_printf (text, _ ("peak %s"), bytes);
  }
  add_fact (text, capture, "planned_bytes", _ ("planned %s"));
  add_fact (text, capture, "resident_bytes", _ ("resident %s"));
  gtk_label_set_text (self->summary, text->str);
  scope_bars_set_description (self->bars, _ ("Memory over one run"), text->str);
}

static void
scope_memory_view_selection_changed (ScopeView *view)
{
  ScopeMemoryView   *self = SCOPE_MEMORY_VIEW (view);
  ScopeMeasurement  *measurement = get_measurement (self);
  const ProfCapture *capture = measurement ? scope_measurement_get_capture (measurement) : NULL;
  guint32            box = scope_workspace_get_selected (scope_view_get_workspace (view));

  for (guint i = 0; capture && box != VIZ_ROOT && i < prof_capture_n_memory (capture); i++)
    if (scope_measurement_get_box (measurement, prof_capture_get_memory (capture)[i].row) == box)
      {
        scope_bars_set_marked (self->bars, (int) i);
        return;
      }
  scope_bars_set_marked (self->bars, -1);
}

static void
scope_memory_view_class_init (ScopeMemoryViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  SCOPE_VIEW_CLASS (class)->defers_until_mapped = TRUE;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_memory_view_capture_changed;
  SCOPE_VIEW_CLASS (class)->capture_changed = scope_memory_view_capture_changed;
  SCOPE_VIEW_CLASS (class)->selection_changed = scope_memory_view_selection_changed;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/memory-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeMemoryView, stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeMemoryView, summary);
  gtk_widget_class_bind_template_child_full (widget_class, "box", TRUE, 0);
}

static void
scope_memory_view_init (ScopeMemoryView *self)
{
  GtkWidget *bars = scope_bars_new (90);

  gtk_widget_init_template (GTK_WIDGET (self));
  self->bars = SCOPE_BARS (bars);
  gtk_widget_set_vexpand (bars, TRUE);
  gtk_widget_set_name (bars, "memory-curve");
  gtk_widget_add_css_class (bars, "memory");
  scope_bars_set_label (self->bars, label_point, self);
  scope_bars_set_axes (self->bars,
                       &(ScopeBarAxes){ .format = prof_format_bytes,
                                        .is_binary = TRUE,
                                        .name = _ ("operator, in the order of the run") });
  g_signal_connect (bars, "picked", G_CALLBACK (on_picked), self);
  gtk_box_append (GTK_BOX (gtk_widget_get_template_child (GTK_WIDGET (self), SCOPE_TYPE_MEMORY_VIEW,
                                                          "box")),
                  bars);
}
