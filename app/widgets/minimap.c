/* minimap.c — the canvas's overview with a frame around the visible part.
 *
 * The overview is painted with the overlay, so costs show here too.  Invisible while the whole picture
 * fits into the canvas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/minimap.h"

#include <glib/gi18n.h>

#define MAX_SIDE 170.0
#define MIN_SIDE 36.0

struct _ScopeMinimap
{
  GtkWidget    parent_instance;
  ScopeCanvas *canvas; /* borrowed */
};

G_DEFINE_FINAL_TYPE (ScopeMinimap, scope_minimap, GTK_TYPE_WIDGET)

/* Pixels of the minimap per point of the picture; 0: there is no picture. */
static double
scale_of (ScopeMinimap *self)
{
  VizPicture *picture = self->canvas ? scope_canvas_get_picture (self->canvas) : NULL;
  double      longest;

  if (!picture)
    return 0;
  longest = MAX (viz_picture_width (picture), viz_picture_height (picture));
  return MAX_SIDE / MAX (longest, 1);
}

static void
scope_minimap_measure (GtkWidget     *widget,
                       GtkOrientation orientation,
                       int for_size   G_GNUC_UNUSED,
                       int           *minimum,
                       int           *natural,
                       int           *minimum_baseline,
                       int           *natural_baseline)
{
  ScopeMinimap *self = SCOPE_MINIMAP (widget);
  double        scale = scale_of (self), side = MIN_SIDE;

  if (scale > 0)
    {
      VizPicture *picture = scope_canvas_get_picture (self->canvas);

      side = scale * (orientation == GTK_ORIENTATION_HORIZONTAL ? viz_picture_width (picture)
                                                                : viz_picture_height (picture));
    }
  *minimum = *natural = (int) CLAMP (side, MIN_SIDE, MAX_SIDE);
  *minimum_baseline = *natural_baseline = -1;
}

static void
draw (ScopeMinimap *self, cairo_t *cr, double width, double height)
{
  const VizTheme  *theme = scope_canvas_get_theme (self->canvas);
  VizPicture      *picture = scope_canvas_get_picture (self->canvas);
  VizRect          view = scope_canvas_get_view (self->canvas);
  double           scale = scale_of (self), overview_scale;
  double           left = (width - viz_picture_width (picture) * scale) / 2;
  double           top = (height - viz_picture_height (picture) * scale) / 2;
  cairo_surface_t *overview =
      scope_tiles_get_overview (scope_canvas_get_tiles (self->canvas), &overview_scale);

  cairo_set_source_rgba (cr, theme->background.red, theme->background.green, theme->background.blue,
                         0.94);
  cairo_paint (cr);
  if (overview && overview_scale > 0)
    {
      cairo_save (cr);
      cairo_translate (cr, left, top);
      cairo_scale (cr, scale / overview_scale, scale / overview_scale);
      cairo_set_source_surface (cr, overview, 0, 0);
      cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_GOOD);
      cairo_paint (cr);
      cairo_restore (cr);
    }
  cairo_rectangle (cr, CLAMP (left + view.x * scale, 1, width - 3),
                   CLAMP (top + view.y * scale, 1, height - 3),
                   CLAMP (view.width * scale, 2, width - 2),
                   CLAMP (view.height * scale, 2, height - 2));
  cairo_set_source_rgba (cr, theme->selection.red, theme->selection.green, theme->selection.blue,
                         0.14);
  cairo_fill_preserve (cr);
  cairo_set_source_rgb (cr, theme->selection.red, theme->selection.green, theme->selection.blue);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

static void
scope_minimap_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeMinimap *self = SCOPE_MINIMAP (widget);
  float         width = (float) gtk_widget_get_width (widget);
  float         height = (float) gtk_widget_get_height (widget);
  cairo_t      *cr;

  if (scale_of (self) <= 0)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  draw (self, cr, width, height);
  cairo_destroy (cr);
}

static void
on_camera (ScopeMinimap *self)
{
  VizPicture *picture = scope_canvas_get_picture (self->canvas);
  VizRect     view = scope_canvas_get_view (self->canvas);
  gboolean    is_all = !picture || (view.x <= 0 && view.y <= 0 &&
                                 view.x + view.width >= viz_picture_width (picture) &&
                                 view.y + view.height >= viz_picture_height (picture));

  gtk_widget_set_opacity (GTK_WIDGET (self), is_all ? 0 : 1);
  gtk_widget_set_can_target (GTK_WIDGET (self), !is_all);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
centre_on (ScopeMinimap *self, double x, double y)
{
  VizPicture *picture = scope_canvas_get_picture (self->canvas);
  VizRect     view = scope_canvas_get_view (self->canvas);
  double      scale = scale_of (self), unused_x, unused_y, zoom;

  if (scale <= 0)
    return;
  x -= (gtk_widget_get_width (GTK_WIDGET (self)) - viz_picture_width (picture) * scale) / 2;
  y -= (gtk_widget_get_height (GTK_WIDGET (self)) - viz_picture_height (picture) * scale) / 2;
  scope_canvas_get_camera (self->canvas, &unused_x, &unused_y, &zoom);
  scope_canvas_set_camera (self->canvas, x / scale - view.width / 2, y / scale - view.height / 2,
                           zoom);
}

static void
on_drag_begin (GtkGestureDrag *gesture G_GNUC_UNUSED, double x, double y, gpointer data)
{
  centre_on (data, x, y);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
  double x, y;

  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  centre_on (data, x + dx, y + dy);
}

static void
scope_minimap_class_init (ScopeMinimapClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  widget_class->measure = scope_minimap_measure;
  widget_class->snapshot = scope_minimap_snapshot;
  gtk_widget_class_set_css_name (widget_class, "minimap");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
scope_minimap_init (ScopeMinimap *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (drag), "minimap-drag");
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Overview of the graph"), -1);
}

void
scope_minimap_set_canvas (ScopeMinimap *self, ScopeCanvas *canvas)
{
  if (self->canvas)
    {
      g_signal_handlers_disconnect_by_data (self->canvas, self);
      g_signal_handlers_disconnect_by_data (scope_canvas_get_tiles (self->canvas), self);
    }
  self->canvas = canvas;
  if (!canvas)
    return;
  g_signal_connect_object (canvas, "camera-changed", G_CALLBACK (on_camera), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (scope_canvas_get_tiles (canvas), "arrived",
                           G_CALLBACK (gtk_widget_queue_resize), self, G_CONNECT_SWAPPED);
}
