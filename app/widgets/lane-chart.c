/* lane-chart.c — spans of time in lanes: drawing, zooming, picking.
 *
 * The visible range is [begin, end]; all input ends in scope_lane_chart_set_range().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/lane-chart.h"

#include "app/widgets/tooltip.h"
#include "viz/viz.h"

#include <glib/gi18n.h>
#include <math.h>

#define LANE           22.0
#define GAP            2.0
#define AXIS           22.0
#define UNUSUAL        4.0
#define MIN_TEXT_WIDTH 34.0
#define MAX_TEXTS      300

struct _ScopeLaneChart
{
  GtkWidget   parent_instance;
  GArray     *spans;
  guint       n_lanes;
  GHashTable *marked;                /* a set of user numbers */
  double      first_time, last_time; /* range of all spans */
  double      begin, end;            /* visible range */
  double      drag_begin, drag_end;
  double      pointer;
  gboolean    is_dragging;
};

G_DEFINE_FINAL_TYPE (ScopeLaneChart, scope_lane_chart, GTK_TYPE_WIDGET)

static guint picked_signal;

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

  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL
                            ? (int) (AXIS + MAX (self->n_lanes, 2u) * (LANE + GAP))
                            : 100;
  *minimum_baseline = *natural_baseline = -1;
}

/* --- Drawing --- */

#define TICK_PIXELS 90

/* 1, 2 or 5 times a power of ten, so that ticks stand at least TICK_PIXELS apart. */
static double
tick_of (double per_pixel)
{
  double wanted = per_pixel * TICK_PIXELS, power = pow (10, floor (log10 (wanted)));

  return wanted / power < 2 ? 2 * power : wanted / power < 5 ? 5 * power : 10 * power;
}

static char *
tick_label (double seconds, double tick)
{
  if (tick >= 0.1)
    return g_strdup_printf ("%.1f s", seconds);
  if (tick >= 1e-4)
    return g_strdup_printf (tick >= 1e-3 ? "%.0f ms" : "%.1f ms", seconds * 1e3);
  return g_strdup_printf (tick >= 1e-6 ? "%.0f µs" : "%.1f µs", seconds * 1e6);
}

static void
draw_axis (ScopeLaneChart *self, cairo_t *cr, PangoLayout *layout, double width, double height)
{
  double  per_pixel = (self->end - self->begin) / width, tick = tick_of (per_pixel);
  double  first = self->first_time + ceil ((self->begin - self->first_time) / tick) * tick;
  GdkRGBA colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &colour);
  /* Ticks are counted, because at a late time adding a short one may change nothing. */
  for (guint i = 0; i <= width / TICK_PIXELS && first + i * tick <= self->end; i++)
    {
      double           t = first + i * tick;
      double           x = floor ((t - self->begin) / per_pixel) + 0.5;
      g_autofree char *label = tick_label (t - self->first_time, tick);

      colour.alpha = 0.12f;
      gdk_cairo_set_source_rgba (cr, &colour);
      cairo_move_to (cr, x, AXIS - 4);
      cairo_line_to (cr, x, height);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      colour.alpha = 0.65f;
      gdk_cairo_set_source_rgba (cr, &colour);
      pango_layout_set_text (layout, label, -1);
      cairo_move_to (cr, x + 3, 2);
      pango_cairo_show_layout (cr, layout);
    }
}

/* The label of a span, dark on light colours and light on dark ones. */
static void
draw_label (cairo_t *cr, PangoLayout *layout, const ScopeSpan *span, const VizRect *rect)
{
  double light = (0.2126 * (span->colour >> 16 & 0xff) + 0.7152 * (span->colour >> 8 & 0xff) +
                  0.0722 * (span->colour & 0xff)) /
                 255;

  cairo_set_source_rgba (cr, light > 0.45 ? 0.1 : 1, light > 0.45 ? 0.1 : 1, light > 0.45 ? 0.1 : 1,
                         1);
  pango_layout_set_text (layout, span->label, -1);
  pango_layout_set_width (layout, (int) ((rect->width - 6) * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  cairo_move_to (cr, rect->x + 4, rect->y + 3);
  pango_cairo_show_layout (cr, layout);
  pango_layout_set_width (layout, -1);
}

static gboolean
is_marked (const ScopeLaneChart *self, const ScopeSpan *span)
{
  return span->user != 0 && g_hash_table_contains (self->marked, GUINT_TO_POINTER (span->user));
}

static void
draw_spans (ScopeLaneChart *self, cairo_t *cr, PangoLayout *layout, double width)
{
  double             per_second = width / (self->end - self->begin);
  g_autofree double *painted = g_new (double, MAX (self->n_lanes, 1));
  guint              n_texts = 0;

  for (guint i = 0; i < self->n_lanes; i++)
    painted[i] = -1;
  for (guint i = 0; i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);
      double           x = (span->begin - self->begin) * per_second;
      double           right = (span->end - self->begin) * per_second;
      double           y = AXIS + span->lane * (LANE + GAP);

      if (right < 0 || x > width)
        continue;
      x = MAX (x, -4);
      right = MIN (right, width + 4);
      /* Skip spans that lie on a pixel that is already painted in this lane. */
      if (right <= painted[span->lane] + 0.5 && !is_marked (self, span))
        continue;
      painted[span->lane] = MAX (right, x + 1);
      cairo_set_source_rgb (cr, (span->colour >> 16 & 0xff) / 255.,
                            (span->colour >> 8 & 0xff) / 255., (span->colour & 0xff) / 255.);
      cairo_rectangle (cr, x, y, MAX (right - x - (right - x > 3 ? 0.5 : 0), 0.7), LANE);
      cairo_fill (cr);
      if (right - x > MIN_TEXT_WIDTH && span->label && n_texts++ < MAX_TEXTS)
        draw_label (cr, layout, span, &(VizRect){ MAX (x, 0), y, right - MAX (x, 0), LANE });
    }
}

/* A line in the colour of errors above spans that took much longer than usual. */
static void
draw_unusual (ScopeLaneChart *self, cairo_t *cr, double width)
{
  double  per_second = width / (self->end - self->begin);
  GdkRGBA colour = { 0.88f, 0.11f, 0.14f, 1 };

  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)), "error_color",
                                  &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  for (guint i = 0; i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);

      if (!(span->usual > 0) || span->end < self->begin || span->begin > self->end)
        continue;
      cairo_rectangle (cr, (span->begin - self->begin) * per_second,
                       AXIS + span->lane * (LANE + GAP),
                       MAX ((span->end - span->begin) * per_second, 2), UNUSUAL);
      cairo_fill (cr);
    }
}

/* On top of all spans, so that even the narrowest selected span is visible. */
static void
draw_marks (ScopeLaneChart *self, cairo_t *cr, double width)
{
  double  per_second = width / (self->end - self->begin);
  GdkRGBA colour;

  if (g_hash_table_size (self->marked) == 0)
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);

      if (!is_marked (self, span) || span->end < self->begin || span->begin > self->end)
        continue;
      cairo_rectangle (cr, (span->begin - self->begin) * per_second - 1,
                       AXIS + span->lane * (LANE + GAP) - 1,
                       MAX ((span->end - span->begin) * per_second, 1) + 2, LANE + 2);
      cairo_stroke (cr);
    }
}

static void
scope_lane_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);
  int             width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  cairo_t        *cr;
  g_autoptr (PangoLayout) layout = NULL;
  g_autoptr (PangoFontDescription) font = NULL;

  if (!self->spans || self->end <= self->begin || width < 1)
    return;
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  layout = gtk_widget_create_pango_layout (widget, NULL);
  font = pango_font_description_copy (
      pango_context_get_font_description (gtk_widget_get_pango_context (widget)));
  pango_font_description_set_absolute_size (font, 11 * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  draw_axis (self, cr, layout, width, height);
  draw_spans (self, cr, layout, width);
  draw_unusual (self, cr, width);
  draw_marks (self, cr, width);
  cairo_destroy (cr);
}

/* --- Range --- */

static void
set_range (ScopeLaneChart *self, double begin, double end)
{
  double length = CLAMP (end - begin, (self->last_time - self->first_time) * 1e-6,
                         self->last_time - self->first_time);

  self->begin = CLAMP (begin, self->first_time, MAX (self->last_time - length, self->first_time));
  self->end = self->begin + length;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

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

  set_range (self, time - (time - self->begin) * factor, time + (self->end - time) * factor);
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
    set_range (self, self->begin + length * 0.1 * (dx != 0 ? dx : dy),
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
  int              lane = (int) floor ((y - AXIS) / (LANE + GAP));
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
        set_range (self, span->begin - (span->end - span->begin) * 0.1,
                   span->end + (span->end - span->begin) * 0.1);
      else
        set_range (self, self->first_time, self->last_time);
    }
  else if (span)
    g_signal_emit (self, picked_signal, 0, span->user);
}

static void
on_drag_begin (GtkGestureDrag *gesture G_GNUC_UNUSED,
               double x                G_GNUC_UNUSED,
               double y                G_GNUC_UNUSED,
               gpointer                data)
{
  ScopeLaneChart *self = data;

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
  set_range (self, self->drag_begin + by, self->drag_end + by);
}

static void
on_drag_end (GtkGestureDrag *gesture G_GNUC_UNUSED,
             double dx               G_GNUC_UNUSED,
             double dy               G_GNUC_UNUSED,
             gpointer                data)
{
  SCOPE_LANE_CHART (data)->is_dragging = FALSE;
}

static void
act_zoom (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);

  if (g_str_has_suffix (name, "fit"))
    set_range (self, self->first_time, self->last_time);
  else
    zoom (self, g_str_has_suffix (name, "in") ? 0.5 : 2, 0.5);
}

static void
act_pan (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);
  double          by = (self->end - self->begin) * (g_str_has_suffix (name, "left") ? -0.1 : 0.1);

  set_range (self, self->begin + by, self->end + by);
}

/* --- Object --- */

static void
scope_lane_chart_dispose (GObject *object)
{
  g_clear_pointer (&SCOPE_LANE_CHART (object)->spans, g_array_unref);
  g_clear_pointer (&SCOPE_LANE_CHART (object)->marked, g_hash_table_unref);
  G_OBJECT_CLASS (scope_lane_chart_parent_class)->dispose (object);
}

static void
scope_lane_chart_class_init (ScopeLaneChartClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_lane_chart_dispose;
  widget_class->measure = scope_lane_chart_measure;
  widget_class->snapshot = scope_lane_chart_snapshot;
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
