/* bars.c — a row of numbers as bars, or as ranges.
 *
 * Drawn in scope_bars_snapshot(); ranges in draw_ranges().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/bars.h"

#include "app/widgets/tooltip.h"

#include <math.h>
#include <string.h>

struct _ScopeBars
{
  GtkWidget     parent_instance;
  double       *values;
  double       *lows, *highs; /* NULL: values begin at 0 */
  guint         n;
  double        lowest, highest;
  int           height;
  int           marked, hovered;
  ScopeBarAxes  axes;
  ScopeBarLabel label;
  gpointer      label_data;
};

G_DEFINE_FINAL_TYPE (ScopeBars, scope_bars, GTK_TYPE_WIDGET)

static guint picked_signal;

static void
scope_bars_measure (GtkWidget     *widget,
                    GtkOrientation orientation,
                    int for_size   G_GNUC_UNUSED,
                    int           *minimum,
                    int           *natural,
                    int           *minimum_baseline,
                    int           *natural_baseline)
{
  ScopeBars *self = SCOPE_BARS (widget);

  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL
                            ? self->height + scope_bar_axes_height (&self->axes, widget)
                            : 60;
  *minimum_baseline = *natural_baseline = -1;
}

static double
highest_between (ScopeBars *self, guint first, guint end)
{
  double highest = 0;

  for (guint i = first; i < end; i++)
    if (self->values[i] > highest)
      highest = self->values[i];
  return highest;
}

static void
draw_bar (cairo_t *cr, double x, double width, double share, double height)
{
  double bar = MAX (share * (height - 2), share > 0 ? 1 : 0);

  cairo_rectangle (cr, x, height - bar, width, bar);
}

/* Height in pixels of a value on the scale from the lowest to the highest of all. */
static double
height_of (const ScopeBars *self, double value, int height)
{
  double width = self->highest - self->lowest;

  return width > 0 ? (value - self->lowest) / width * (height - 2) + 1 : height / 2.;
}

static void
draw_ranges (ScopeBars *self, cairo_t *cr, int width, int height)
{
  GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (self));
  double           each = (double) width / self->n;
  double           bar = MAX (each - (each > 4 ? 1 : 0), 1);
  GdkRGBA          colour, error;

  gtk_style_context_get_color (style, &colour);
  if (!gtk_style_context_lookup_color (style, "error_color", &error))
    error = colour;
  for (guint i = 0; i < self->n; i++)
    {
      gboolean is_good = isfinite (self->lows[i]) && isfinite (self->highs[i]);
      double   low = is_good ? height_of (self, self->lows[i], height) : 0;
      double   high = is_good ? height_of (self, self->highs[i], height) : height;
      GdkRGBA  fill = is_good ? colour : error;

      fill.alpha *= 0.35f;
      gdk_cairo_set_source_rgba (cr, is_good ? &fill : &error);
      cairo_rectangle (cr, i * each, height - high, bar, MAX (high - low, 1));
      cairo_fill (cr);
      if (!is_good)
        continue;
      gdk_cairo_set_source_rgba (cr, &colour);
      cairo_rectangle (cr, i * each, height - height_of (self, self->values[i], height) - 1, bar,
                       2);
      cairo_fill (cr);
    }
}

void
scope_bars_get_plot (ScopeBars *self, ScopeBarPlot *plot)
{
  *plot = (ScopeBarPlot){ .lowest = self->lows ? self->lowest : 0,
                          .highest = self->highest,
                          .n = self->n };
  scope_bar_axes_layout (&self->axes, GTK_WIDGET (self), plot);
}

static void
scope_bars_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeBars   *self = SCOPE_BARS (widget);
  int          width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  double       each;
  GdkRGBA      colour;
  cairo_t     *cr;
  ScopeBarPlot plot;

  if (self->n == 0 || width < 1 || (!self->lows && self->highest <= 0))
    return;
  scope_bars_get_plot (self, &plot);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  scope_bar_axes_draw (&self->axes, widget, cr, &plot);
  cairo_translate (cr, plot.left, 0);
  width = (int) plot.width;
  height = (int) plot.height;
  each = plot.width / self->n;
  gdk_cairo_set_source_rgba (cr, &colour);
  if (self->lows)
    draw_ranges (self, cr, width, height);
  else if (each >= 1)
    for (guint i = 0; i < self->n; i++)
      draw_bar (cr, i * each, MAX (each - (each > 4 ? 1 : 0), 1), self->values[i] / self->highest,
                height);
  else
    for (int x = 0; x < width; x++)
      draw_bar (cr, x, 1,
                highest_between (self, (guint) (x / each),
                                 MIN ((guint) ceil ((x + 1) / each), self->n)) /
                    self->highest,
                height);
  cairo_fill (cr);
  for (int pass = 0; pass < 2; pass++)
    {
      int index = pass == 0 ? self->hovered : self->marked;

      if (index < 0 || index >= (int) self->n)
        continue;
      colour.alpha = pass == 0 ? 0.25f : 0.45f;
      gdk_cairo_set_source_rgba (cr, &colour);
      cairo_rectangle (cr, index * each, 0, MAX (each, 2), height);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
}

static int
index_at (ScopeBars *self, double x)
{
  ScopeBarPlot plot;

  if (self->n == 0 || gtk_widget_get_width (GTK_WIDGET (self)) < 1)
    return -1;
  scope_bars_get_plot (self, &plot);
  if (x < plot.left || x >= plot.left + plot.width)
    return -1;
  return MIN ((int) ((x - plot.left) * self->n / plot.width), (int) self->n - 1);
}

static void
on_motion (GtkEventControllerMotion *controller G_GNUC_UNUSED,
           double                               x,
           double y                             G_GNUC_UNUSED,
           gpointer                             data)
{
  ScopeBars *self = data;
  int        index = index_at (self, x);

  if (index == self->hovered)
    return;
  self->hovered = index;
  if (index >= 0 && self->label)
    {
      g_autofree char *text = self->label ((guint) index, self->values[index], self->label_data);

      scope_tooltip_set (GTK_WIDGET (self), text);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller G_GNUC_UNUSED, gpointer data)
{
  ScopeBars *self = data;

  self->hovered = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_pressed (GtkGestureClick *gesture G_GNUC_UNUSED,
            int n                    G_GNUC_UNUSED,
            double                   x,
            double y                 G_GNUC_UNUSED,
            gpointer                 data)
{
  int index = index_at (data, x);

  if (index >= 0)
    g_signal_emit (data, picked_signal, 0, (guint) index);
}

static void
free_values (ScopeBars *self)
{
  g_clear_pointer (&self->values, g_free);
  g_clear_pointer (&self->lows, g_free);
  g_clear_pointer (&self->highs, g_free);
}

static void
scope_bars_finalize (GObject *object)
{
  free_values (SCOPE_BARS (object));
  G_OBJECT_CLASS (scope_bars_parent_class)->finalize (object);
}

static void
scope_bars_class_init (ScopeBarsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = scope_bars_finalize;
  widget_class->measure = scope_bars_measure;
  widget_class->snapshot = scope_bars_snapshot;
  gtk_widget_class_set_css_name (widget_class, "bars");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  picked_signal = g_signal_new ("picked", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
scope_bars_init (ScopeBars *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture         *click = gtk_gesture_click_new ();

  self->marked = self->hovered = -1;
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_event_controller_set_name (motion, "bars-hover");
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (click), "bars-click");
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

GtkWidget *
scope_bars_new (int height)
{
  ScopeBars *self = g_object_new (SCOPE_TYPE_BARS, NULL);

  self->height = height;
  return GTK_WIDGET (self);
}

void
scope_bars_set_values (ScopeBars *self, const double *values, guint n)
{
  free_values (self);
  self->values = g_memdup2 (values, n * sizeof (double));
  self->n = n;
  self->highest = highest_between (self, 0, n);
  self->marked = self->hovered = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_bars_set_ranges (ScopeBars    *self,
                       const double *lows,
                       const double *middles,
                       const double *highs,
                       guint         n)
{
  scope_bars_set_values (self, middles, n);
  self->lows = g_memdup2 (lows, n * sizeof (double));
  self->highs = g_memdup2 (highs, n * sizeof (double));
  self->lowest = INFINITY;
  self->highest = -INFINITY;
  for (guint i = 0; i < n; i++)
    if (isfinite (lows[i]) && isfinite (highs[i]))
      {
        self->lowest = MIN (self->lowest, lows[i]);
        self->highest = MAX (self->highest, highs[i]);
      }
}

void
scope_bars_set_axes (ScopeBars *self, const ScopeBarAxes *axes)
{
  self->axes = *axes;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
scope_bars_set_label (ScopeBars *self, ScopeBarLabel label, gpointer data)
{
  self->label = label;
  self->label_data = data;
}

void
scope_bars_set_marked (ScopeBars *self, int index)
{
  self->marked = index;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_bars_set_description (ScopeBars *self, const char *name, const char *text)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}
