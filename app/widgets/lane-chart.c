/* lane-chart.c — spans of time in lanes: zooming, picking, measuring.
 *
 * The visible range is [begin, end]; all input ends in scope_lane_chart_set_range().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/lane-chart-private.h"

#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>
#include <math.h>

G_DEFINE_FINAL_TYPE (ScopeLaneChart, scope_lane_chart, GTK_TYPE_WIDGET)

static guint picked_signal;

static double
time_at (ScopeLaneChart *self, double x)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);

  return self->begin + x / width * (self->end - self->begin);
}

static void
scope_lane_chart_measure (GtkWidget     *widget,
                          GtkOrientation orientation,
                          int for_size   G_GNUC_UNUSED,
                          int           *minimum,
                          int           *natural,
                          int           *minimum_baseline,
                          int           *natural_baseline)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);
  double          line = scope_lane_chart_line (self);

  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL
                            ? (int) (line + MAX (self->n_lanes, 2u) * (line + GAP))
                            : 100;
  *minimum_baseline = *natural_baseline = -1;
}

/* --- Range --- */

void
scope_lane_chart_get_range (ScopeLaneChart *self, double *begin, double *end)
{
  *begin = self->begin;
  *end = self->end;
}

static void
zoom (ScopeLaneChart *self, double factor, double at)
{
  double time = self->begin + at * (self->end - self->begin);

  scope_lane_chart_set_range (self, time - (time - self->begin) * factor,
                              time + (self->end - time) * factor);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer data)
{
  ScopeLaneChart *self = data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
  double length = self->end - self->begin;

  if (state & GDK_CONTROL_MASK)
    zoom (self, pow (1.25, dy), CLAMP (self->pointer / width, 0, 1));
  else if (dx != 0 || (state & GDK_SHIFT_MASK))
    scope_lane_chart_set_range (self, self->begin + length * 0.1 * (dx != 0 ? dx : dy),
                                self->end + length * 0.1 * (dx != 0 ? dx : dy));
  else
    return FALSE;
  return TRUE;
}

static const ScopeSpan *
span_at (ScopeLaneChart *self, double x, double y)
{
  double           width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
  double           per_pixel = (self->end - self->begin) / width;
  double           time = self->begin + x * per_pixel, least = 3 * per_pixel;
  double           line = scope_lane_chart_line (self);
  int              lane = (int) floor ((y - line) / (line + GAP));
  const ScopeSpan *best = NULL;

  for (guint i = 0; self->spans && i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);
      double           distance = MAX (MAX (span->begin - time, time - span->end), 0);

      if ((int) span->lane == lane && distance < least)
        {
          least = distance;
          best = span;
        }
    }
  return best;
}

static void
on_motion (GtkEventControllerMotion *controller G_GNUC_UNUSED, double x, double y, gpointer data)
{
  ScopeLaneChart  *self = data;
  const ScopeSpan *span = self->is_dragging ? NULL : span_at (self, x, y);

  self->pointer = x;
  self->is_pointed = TRUE;
  if (!span || !span->label)
    scope_tooltip_set (GTK_WIDGET (self), NULL);
  else
    {
      double           seconds = span->end - span->begin;
      g_autofree char *text =
          span->usual > 0 ? g_strdup_printf (_ ("%s\n%.3f ms, %.1f times as long as usual"),
                                             span->label, seconds * 1e3, seconds / span->usual)
                          : g_strdup_printf ("%s\n%.3f ms", span->label, seconds * 1e3);

      scope_tooltip_set (GTK_WIDGET (self), text);
    }
}

static void
on_pressed (GtkGestureClick *gesture G_GNUC_UNUSED, int n, double x, double y, gpointer data)
{
  ScopeLaneChart  *self = data;
  const ScopeSpan *span = span_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (n == 2)
    {
      if (span)
        scope_lane_chart_set_range (self, span->begin - (span->end - span->begin) * 0.1,
                                    span->end + (span->end - span->begin) * 0.1);
      else
        scope_lane_chart_set_range (self, self->first_time, self->last_time);
    }
  else if (span)
    g_signal_emit (self, picked_signal, 0, span->user);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y G_GNUC_UNUSED, gpointer data)
{
  ScopeLaneChart *self = data;

  self->is_measuring =
      (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture)) &
       GDK_SHIFT_MASK) != 0;
  self->measured_from = time_at (self, x);

  self->drag_begin = self->begin;
  self->drag_end = self->end;
}

static void
on_drag_update (GtkGestureDrag *gesture G_GNUC_UNUSED,
                double                  dx,
                double dy               G_GNUC_UNUSED,
                gpointer                data)
{
  ScopeLaneChart *self = data;
  double          width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
  double          by = -dx * (self->drag_end - self->drag_begin) / width;

  if (!self->is_dragging && fabs (dx) < 4)
    return;
  self->is_dragging = TRUE;
  if (self->is_measuring)
    {
      double to = self->measured_from + dx / width * (self->end - self->begin);

      scope_lane_chart_set_measured (self, MIN (self->measured_from, to),
                                     MAX (self->measured_from, to));
      return;
    }
  scope_lane_chart_set_range (self, self->drag_begin + by, self->drag_end + by);
}

static void
on_drag_end (GtkGestureDrag *gesture G_GNUC_UNUSED,
             double dx               G_GNUC_UNUSED,
             double dy               G_GNUC_UNUSED,
             gpointer                data)
{
  SCOPE_LANE_CHART (data)->is_dragging = FALSE;
}

/* Where the pointer is, from 0 to 1. */
static double
at_pointer (ScopeLaneChart *self)
{
  return CLAMP (self->pointer / MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1), 0, 1);
}

static void
on_leave (GtkEventControllerMotion *controller G_GNUC_UNUSED, gpointer data)
{
  SCOPE_LANE_CHART (data)->is_pointed = FALSE;
}

static void
act_zoom (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);

  if (g_str_has_suffix (name, "fit"))
    scope_lane_chart_set_range (self, self->first_time, self->last_time);
  else
    zoom (self, g_str_has_suffix (name, "in") ? 0.5 : 2,
          self->is_pointed ? at_pointer (self) : 0.5);
}

static void
act_pan (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);
  double          by = (self->end - self->begin) * (g_str_has_suffix (name, "left") ? -0.1 : 0.1);

  scope_lane_chart_set_range (self, self->begin + by, self->end + by);
}

static void
act_measure (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);

  if (g_str_has_suffix (name, "clear"))
    scope_lane_chart_set_measured (self, 0, 0);
  else
    scope_lane_chart_measure_marked (self);
}

/* --- Object --- */

static void
scope_lane_chart_dispose (GObject *object)
{
  g_clear_pointer (&SCOPE_LANE_CHART (object)->spans, g_array_unref);
  g_clear_pointer (&SCOPE_LANE_CHART (object)->marked, g_hash_table_unref);
  g_clear_pointer (&SCOPE_LANE_CHART (object)->hits, g_array_unref);
  G_OBJECT_CLASS (scope_lane_chart_parent_class)->dispose (object);
}

static void
scope_lane_chart_class_init (ScopeLaneChartClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_lane_chart_dispose;
  widget_class->measure = scope_lane_chart_measure;
  widget_class->snapshot = scope_lane_chart_draw;
  gtk_widget_class_set_css_name (widget_class, "lanechart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_install_action (widget_class, "lanes.zoom-in", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "lanes.zoom-out", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "lanes.zoom-fit", NULL, act_zoom);
  gtk_widget_class_install_action (widget_class, "lanes.pan-left", NULL, act_pan);
  gtk_widget_class_install_action (widget_class, "lanes.pan-right", NULL, act_pan);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_plus, 0, "lanes.zoom-in", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_minus, 0, "lanes.zoom-out", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_space, 0, "lanes.zoom-fit", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, 0, "lanes.pan-left", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Right, 0, "lanes.pan-right", NULL);
  gtk_widget_class_install_action (widget_class, "lanes.measure", NULL, act_measure);
  gtk_widget_class_install_action (widget_class, "lanes.measure-clear", NULL, act_measure);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, 0, "lanes.zoom-in", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_s, 0, "lanes.zoom-out", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_a, 0, "lanes.pan-left", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_d, 0, "lanes.pan-right", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_m, 0, "lanes.measure", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "lanes.measure-clear",
                                       NULL);
  g_signal_new ("measured", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
  picked_signal = g_signal_new ("picked", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
scope_lane_chart_init (ScopeLaneChart *self)
{
  GtkWidget          *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_event_controller_set_name (motion, "lanes-hover");
  gtk_widget_add_controller (widget, motion);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_event_controller_set_name (scroll, "lanes-scroll");
  gtk_widget_add_controller (widget, scroll);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (click), "lanes-click");
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (drag), "lanes-drag");
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  self->marked = g_hash_table_new (NULL, NULL);
  self->hit = -1;
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Timeline of one run"), -1);
}

void
scope_lane_chart_set_spans (ScopeLaneChart *self, GArray *spans)
{
  g_clear_pointer (&self->spans, g_array_unref);
  self->spans = spans ? g_array_ref (spans) : NULL;
  self->n_lanes = 0;
  self->first_time = G_MAXDOUBLE;
  self->last_time = -G_MAXDOUBLE;
  for (guint i = 0; spans && i < spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (spans, ScopeSpan, i);

      self->n_lanes = MAX (self->n_lanes, span->lane + 1);
      self->first_time = MIN (self->first_time, span->begin);
      self->last_time = MAX (self->last_time, span->end);
    }
  if (self->n_lanes == 0)
    self->first_time = self->last_time = 0;
  self->begin = self->first_time;
  self->end = self->last_time;
  g_clear_pointer (&self->hits, g_array_unref);
  self->hit = -1;
  scope_lane_chart_set_measured (self, 0, 0);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
scope_lane_chart_set_marked (ScopeLaneChart *self, const guint32 *users, guint n)
{
  if (n == 0 && g_hash_table_size (self->marked) == 0)
    return;
  g_hash_table_remove_all (self->marked);
  for (guint i = 0; i < n; i++)
    g_hash_table_add (self->marked, GUINT_TO_POINTER (users[i]));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
