/* canvas.c — camera and state of the canvas; drawing and input are in the files beside it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include "app/process/worker.h"

#include <glib/gi18n.h>
#include <math.h>

#define MARGIN    24.0
#define FLIGHT_US 200000
/* Below this zoom texts cannot be read: a first view rather shows the beginning. */
#define LEGIBLE 0.45

G_DEFINE_FINAL_TYPE (ScopeCanvas, scope_canvas, GTK_TYPE_WIDGET)

static guint signals[SCOPE_N_CANVAS_SIGNALS];

void
scope_canvas_emit (ScopeCanvas *self, ScopeCanvasSignal which, guint32 box, gboolean deep)
{
  if (which == SCOPE_CANVAS_CAMERA)
    g_signal_emit (self, signals[which], 0);
  else if (which == SCOPE_CANVAS_TOGGLED)
    g_signal_emit (self, signals[which], 0, box, deep);
  else
    g_signal_emit (self, signals[which], 0, box);
}

void
scope_canvas_emit_menu (ScopeCanvas *self, guint32 box, double x, double y)
{
  g_signal_emit (self, signals[SCOPE_CANVAS_MENU], 0, box, x, y);
}

/* --- Camera --- */

double
scope_canvas_min_zoom (ScopeCanvas *self)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1);
  double fit;

  if (!self->picture)
    return 0.1;
  fit = MIN (width / MAX (viz_picture_width (self->picture), 1),
             height / MAX (viz_picture_height (self->picture), 1));
  return MIN (fit * 0.5, 0.25);
}

/* The picture never leaves the window altogether. */
static void
keep_in_sight (ScopeCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom;
  double height = gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom;
  double keep = 60 / self->zoom;

  /* Without a size yet nothing can be in sight: a camera from a file waits for it. */
  if (!self->picture || gtk_widget_get_width (GTK_WIDGET (self)) <= 1)
    return;
  self->x = CLAMP (self->x, keep - width, viz_picture_width (self->picture) - keep);
  self->y = CLAMP (self->y, keep - height, viz_picture_height (self->picture) - keep);
}

void
scope_canvas_get_camera (ScopeCanvas *self, double *x, double *y, double *zoom)
{
  *x = self->x;
  *y = self->y;
  *zoom = self->zoom;
}

static void
move_camera (ScopeCanvas *self, double x, double y, double zoom)
{
  self->zoom = CLAMP (zoom, scope_canvas_min_zoom (self), SCOPE_ZOOM_MAX);
  self->x = x;
  self->y = y;
  keep_in_sight (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  scope_canvas_emit (self, SCOPE_CANVAS_CAMERA, 0, FALSE);
}

void
scope_canvas_set_camera (ScopeCanvas *self, double x, double y, double zoom)
{
  scope_canvas_stop_flight (self);
  self->is_placed = TRUE;
  move_camera (self, x, y, zoom);
}

void
scope_canvas_stop_flight (ScopeCanvas *self)
{
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
}

/* Ease out, around the point that stays: zoom goes evenly on a logarithmic scale. */
static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer unused G_GNUC_UNUSED)
{
  ScopeCanvas *self = SCOPE_CANVAS (widget);
  double t = (double) (gdk_frame_clock_get_frame_time (clock) - self->flight_start) / FLIGHT_US;
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  double share, zoom, x, y;

  t = CLAMP (t, 0, 1);
  share = 1 - pow (1 - t, 3);
  zoom = self->from.zoom * pow (self->to.zoom / self->from.zoom, share);
  x = (self->from.x + width / 2 / self->from.zoom) * (1 - share) +
      (self->to.x + width / 2 / self->to.zoom) * share - width / 2 / zoom;
  y = (self->from.y + height / 2 / self->from.zoom) * (1 - share) +
      (self->to.y + height / 2 / self->to.zoom) * share - height / 2 / zoom;
  if (t >= 1)
    {
      self->tick = 0;
      move_camera (self, self->to.x, self->to.y, self->to.zoom);
      return G_SOURCE_REMOVE;
    }
  move_camera (self, x, y, zoom);
  return G_SOURCE_CONTINUE;
}

void
scope_canvas_fly_to (ScopeCanvas *self, double x, double y, double zoom)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));
  gboolean       animate = FALSE;

  scope_canvas_stop_flight (self);
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)),
                "gtk-enable-animations",
                &animate,
                NULL);
  zoom = CLAMP (zoom, scope_canvas_min_zoom (self), SCOPE_ZOOM_MAX);
  if (!animate || !clock || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      move_camera (self, x, y, zoom);
      return;
    }
  self->from = (ScopeCameraPose){ self->x, self->y, self->zoom };
  self->to = (ScopeCameraPose){ x, y, zoom };
  self->flight_start = gdk_frame_clock_get_frame_time (clock);
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

void
scope_canvas_pan (ScopeCanvas *self, double dx, double dy)
{
  scope_canvas_stop_flight (self);
  move_camera (self, self->x + dx / self->zoom, self->y + dy / self->zoom, self->zoom);
}

void
scope_canvas_zoom_by (ScopeCanvas *self, double factor, double at_x, double at_y)
{
  double zoom = CLAMP (self->zoom * factor, scope_canvas_min_zoom (self), SCOPE_ZOOM_MAX);
  double x = self->x + at_x / self->zoom - at_x / zoom;
  double y = self->y + at_y / self->zoom - at_y / zoom;

  scope_canvas_stop_flight (self);
  move_camera (self, x, y, zoom);
}

static ScopeCameraPose
view_of_rect (ScopeCanvas *self, const VizRect *rect, double most)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1);
  double zoom = MIN ((width - 2 * MARGIN) / MAX (rect->width, 1),
                     (height - 2 * MARGIN) / MAX (rect->height, 1));

  zoom = CLAMP (zoom, scope_canvas_min_zoom (self), most);
  return (ScopeCameraPose){ rect->x + rect->width / 2 - width / 2 / zoom,
                            rect->y + rect->height / 2 - height / 2 / zoom,
                            zoom };
}

void
scope_canvas_zoom_to_rect (ScopeCanvas *self, const VizRect *rect)
{
  ScopeCameraPose view = view_of_rect (self, rect, SCOPE_ZOOM_MAX);

  scope_canvas_fly_to (self, view.x, view.y, view.zoom);
}

static VizRect
whole_picture (ScopeCanvas *self)
{
  return (VizRect){ 0, 0, viz_picture_width (self->picture), viz_picture_height (self->picture) };
}

void
scope_canvas_zoom_to_fit (ScopeCanvas *self)
{
  if (self->picture)
    {
      VizRect         rect = whole_picture (self);
      ScopeCameraPose view = view_of_rect (self, &rect, 1);

      scope_canvas_fly_to (self, view.x, view.y, view.zoom);
    }
}

/* The first look at a picture: all of it, or its beginning where all would be too small to read. */
static void
place_first (ScopeCanvas *self)
{
  double          width = gtk_widget_get_width (GTK_WIDGET (self));
  VizRect         rect;
  ScopeCameraPose view;

  if (!self->picture || self->is_placed || width <= 1)
    return;
  self->is_placed = TRUE;
  rect = whole_picture (self);
  view = view_of_rect (self, &rect, 1);
  if (view.zoom < LEGIBLE && viz_picture_n_items (self->picture) > 1)
    {
      const VizItem *first = viz_picture_item (self->picture, 1);

      view.zoom = MAX (LEGIBLE, 0.6);
      view.x = rect.width * view.zoom <= width
                   ? rect.width / 2 - width / 2 / view.zoom
                   : first->x + first->width / 2 - width / 2 / view.zoom;
      view.y = -MARGIN / view.zoom;
    }
  move_camera (self, view.x, view.y, view.zoom);
}

VizRect
scope_canvas_get_view (ScopeCanvas *self)
{
  return (VizRect){ self->x,
                    self->y,
                    gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom,
                    gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom };
}

gboolean
scope_canvas_reveal (ScopeCanvas *self, guint32 box)
{
  VizRect        view = scope_canvas_get_view (self);
  guint32        number = self->picture ? viz_picture_find_box (self->picture, box) : VIZ_NO_ITEM;
  const VizItem *item;
  double         zoom;

  if (number == VIZ_NO_ITEM)
    return FALSE;
  item = viz_picture_item (self->picture, number);
  if (self->zoom >= LEGIBLE && item->x > view.x + view.width * 0.05 &&
      item->y > view.y + view.height * 0.05 && item->x + item->width < view.x + view.width * 0.95 &&
      item->y + item->height < view.y + view.height * 0.95)
    return TRUE;
  zoom = MAX (self->zoom, 0.8);
  if (item->state == VIZ_ITEM_OPEN)
    {
      VizRect         rect = { item->x, item->y, item->width, item->height };
      ScopeCameraPose fit = view_of_rect (self, &rect, zoom);

      zoom = MAX (fit.zoom, 0.25);
    }
  scope_canvas_fly_to (self,
                       item->x + item->width / 2 - view.width * self->zoom / zoom / 2,
                       item->y + item->height / 2 - view.height * self->zoom / zoom / 2,
                       zoom);
  return TRUE;
}

/* --- State --- */

void
scope_canvas_set_picture (ScopeCanvas *self, VizPicture *picture, guint32 anchor)
{
  double dx = 0, dy = 0;

  if (self->picture == picture)
    return;
  scope_canvas_stop_flight (self);
  if (self->picture && picture && anchor != VIZ_ROOT)
    {
      guint32 before = viz_picture_find_box (self->picture, anchor);
      guint32 after = viz_picture_find_box (picture, anchor);

      if (before != VIZ_NO_ITEM && after != VIZ_NO_ITEM)
        {
          dx = viz_picture_item (picture, after)->x - viz_picture_item (self->picture, before)->x;
          dy = viz_picture_item (picture, after)->y - viz_picture_item (self->picture, before)->y;
        }
    }
  scope_worker_free (g_steal_pointer (&self->picture), (GDestroyNotify) viz_picture_unref);
  self->picture = picture ? viz_picture_ref (picture) : NULL;
  self->hovered_wire = VIZ_NO_ARROW;
  self->x += dx;
  self->y += dy;
  scope_tiles_set_picture (self->tiles, picture, dx, dy);
  scope_canvas_update_trace (self);
  place_first (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  scope_canvas_emit (self, SCOPE_CANVAS_CAMERA, 0, FALSE);
}

VizPicture *
scope_canvas_get_picture (ScopeCanvas *self)
{
  return self->picture;
}

void
scope_canvas_set_overlay (ScopeCanvas *self, VizOverlay *overlay)
{
  if (overlay)
    viz_overlay_ref (overlay);
  g_clear_pointer (&self->overlay, viz_overlay_unref);
  self->overlay = overlay;
  scope_tiles_set_style (self->tiles, self->overlay, self->theme);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_canvas_set_theme (ScopeCanvas *self, const VizTheme *theme)
{
  self->theme = theme;
  scope_tiles_set_style (self->tiles, self->overlay, theme);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const VizTheme *
scope_canvas_get_theme (ScopeCanvas *self)
{
  return self->theme;
}

VizOverlay *
scope_canvas_get_overlay (ScopeCanvas *self)
{
  return self->overlay;
}

ScopeTiles *
scope_canvas_get_tiles (ScopeCanvas *self)
{
  return self->tiles;
}

static void
describe_selection (ScopeCanvas *self)
{
  const VizBox    *box = NULL;
  g_autofree char *text = NULL;

  if (self->picture && self->selected != VIZ_ROOT)
    box = viz_diagram_box (viz_picture_diagram (self->picture), self->selected);
  if (box)
    text = g_strdup_printf (_ ("Selected: %s %s %s"),
                            box->title ? box->title : "",
                            box->subtitle ? box->subtitle : "",
                            box->shape ? box->shape : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text ? text : _ ("Nothing is selected"),
                                  -1);
}

void
scope_canvas_set_selected (ScopeCanvas *self, guint32 box)
{
  if (self->selected == box)
    return;
  self->selected = box;
  scope_canvas_update_trace (self);
  describe_selection (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The user's choice: others are told. */
void
scope_canvas_select_by_user (ScopeCanvas *self, guint32 box)
{
  scope_canvas_set_selected (self, box);
  scope_canvas_emit (self, SCOPE_CANVAS_SELECTED, box, FALSE);
}

void
scope_canvas_set_hovered (ScopeCanvas *self, guint32 box)
{
  if (self->hovered == box)
    return;
  self->hovered = box;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_canvas_set_hits (ScopeCanvas *self, const guint32 *boxes, guint n)
{
  g_array_set_size (self->hits, 0);
  if (n > 0)
    g_array_append_vals (self->hits, boxes, n);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_canvas_set_dive (ScopeCanvas *self, guint32 box)
{
  self->dive = box;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint32
scope_canvas_get_dive (ScopeCanvas *self)
{
  return self->dive;
}

void
scope_canvas_set_trace (ScopeCanvas *self, guint n_hops)
{
  self->n_hops = n_hops;
  scope_canvas_update_trace (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint
scope_canvas_get_trace (ScopeCanvas *self)
{
  return self->n_hops;
}

/* --- Widget --- */

static void
scope_canvas_size_allocate (GtkWidget   *widget,
                            int width    G_GNUC_UNUSED,
                            int height   G_GNUC_UNUSED,
                            int baseline G_GNUC_UNUSED)
{
  ScopeCanvas *self = SCOPE_CANVAS (widget);

  place_first (self);
}

static void
scope_canvas_measure (GtkWidget *widget          G_GNUC_UNUSED,
                      GtkOrientation orientation G_GNUC_UNUSED,
                      int for_size               G_GNUC_UNUSED,
                      int                       *minimum,
                      int                       *natural,
                      int                       *minimum_baseline,
                      int                       *natural_baseline)
{
  *minimum = 120;
  *natural = 400;
  *minimum_baseline = *natural_baseline = -1;
}

static void
scope_canvas_dispose (GObject *object)
{
  ScopeCanvas *self = SCOPE_CANVAS (object);

  scope_canvas_stop_flight (self);
  if (self->tiles)
    g_signal_handlers_disconnect_by_data (self->tiles, self);
  g_clear_object (&self->tiles);
  scope_worker_free (g_steal_pointer (&self->picture), (GDestroyNotify) viz_picture_unref);
  g_clear_pointer (&self->overlay, viz_overlay_unref);
  g_clear_pointer (&self->hits, g_array_unref);
  g_clear_pointer (&self->traced, g_free);
  G_OBJECT_CLASS (scope_canvas_parent_class)->dispose (object);
}

static void
add_signals (GType type)
{
  signals[SCOPE_CANVAS_SELECTED] = g_signal_new ("selected",
                                                 type,
                                                 G_SIGNAL_RUN_LAST,
                                                 0,
                                                 NULL,
                                                 NULL,
                                                 NULL,
                                                 G_TYPE_NONE,
                                                 1,
                                                 G_TYPE_UINT);
  signals[SCOPE_CANVAS_HOVERED] = g_signal_new ("hovered",
                                                type,
                                                G_SIGNAL_RUN_LAST,
                                                0,
                                                NULL,
                                                NULL,
                                                NULL,
                                                G_TYPE_NONE,
                                                1,
                                                G_TYPE_UINT);
  signals[SCOPE_CANVAS_TOGGLED] = g_signal_new ("toggled",
                                                type,
                                                G_SIGNAL_RUN_LAST,
                                                0,
                                                NULL,
                                                NULL,
                                                NULL,
                                                G_TYPE_NONE,
                                                2,
                                                G_TYPE_UINT,
                                                G_TYPE_BOOLEAN);
  signals[SCOPE_CANVAS_MENU] = g_signal_new ("menu",
                                             type,
                                             G_SIGNAL_RUN_LAST,
                                             0,
                                             NULL,
                                             NULL,
                                             NULL,
                                             G_TYPE_NONE,
                                             3,
                                             G_TYPE_UINT,
                                             G_TYPE_DOUBLE,
                                             G_TYPE_DOUBLE);
  signals[SCOPE_CANVAS_CAMERA] =
      g_signal_new ("camera-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_canvas_class_init (ScopeCanvasClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_canvas_dispose;
  widget_class->snapshot = scope_canvas_snapshot;
  widget_class->measure = scope_canvas_measure;
  widget_class->size_allocate = scope_canvas_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  add_signals (G_TYPE_FROM_CLASS (class));
  scope_canvas_class_add_actions (widget_class);
}

static void
scope_canvas_init (ScopeCanvas *self)
{
  self->zoom = 1;
  self->hovered_wire = VIZ_NO_ARROW;
  self->theme = viz_theme_find (NULL);
  self->hits = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->tiles = scope_tiles_new ();
  g_signal_connect_swapped (self->tiles, "arrived", G_CALLBACK (gtk_widget_queue_draw), self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Model graph"),
                                  -1);
  scope_canvas_add_gestures (self);
}
