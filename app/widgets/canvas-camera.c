/* canvas-camera.c — the camera of the canvas: zooming, panning, flights; and the canvas's signals.
 *
 * The camera is the upper left corner of the widget in points of the picture, and a zoom in pixels
 * per point.  All changes go through move_camera(), which keeps the picture in view.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include <math.h>

#define MARGIN    24.0
#define FLIGHT_US 200000
/* The style class of the controls that lie above the canvas. */
#define CONTROL_CLASS "osd-card"
/* Minimum zoom of the first view of a picture: below it, text cannot be read. */
#define MIN_LEGIBLE_ZOOM 0.45

static guint signals[SCOPE_N_CANVAS_SIGNALS];

/* --- Signals --- */

static guint
new_signal (const char *name, GType type, guint n, const GType *arguments)
{
  return g_signal_newv (name, type, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n,
                        (GType *) arguments);
}

void
scope_canvas_class_add_signals (GType type)
{
  const GType box_deep[] = { G_TYPE_UINT, G_TYPE_BOOLEAN };
  const GType box_x_y[] = { G_TYPE_UINT, G_TYPE_DOUBLE, G_TYPE_DOUBLE };

  signals[SCOPE_CANVAS_SELECTED] = new_signal ("selected", type, 1, box_deep);
  signals[SCOPE_CANVAS_HOVERED] = new_signal ("hovered", type, 1, box_deep);
  signals[SCOPE_CANVAS_TOGGLED] = new_signal ("toggled", type, 2, box_deep);
  signals[SCOPE_CANVAS_MENU] = new_signal ("menu", type, 3, box_x_y);
  signals[SCOPE_CANVAS_CAMERA] = new_signal ("camera-changed", type, 0, NULL);
}

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

/* Half of the zoom at which the whole picture fits, at most 0.25. */
static double
min_zoom (ScopeCanvas *self)
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

/* Keeps 60 pixels of the picture visible. */
static void
keep_in_view (ScopeCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom;
  double height = gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom;
  double visible = 60 / self->zoom;

  /* A restored camera must not be clamped before the widget has a size. */
  if (!self->picture || gtk_widget_get_width (GTK_WIDGET (self)) <= 1)
    return;
  self->x = CLAMP (self->x, visible - width, viz_picture_width (self->picture) - visible);
  self->y = CLAMP (self->y, visible - height, viz_picture_height (self->picture) - visible);
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
  self->zoom = CLAMP (zoom, min_zoom (self), SCOPE_ZOOM_MAX);
  self->x = x;
  self->y = y;
  keep_in_view (self);
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

/* Cubic ease-out.  The zoom is interpolated on a logarithmic scale, the centre linearly. */
static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ScopeCanvas *self = data;
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

/* Moves the camera with an animation, if animations are enabled. */
static void
fly_to (ScopeCanvas *self, double x, double y, double zoom)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));
  gboolean       animate = FALSE;

  scope_canvas_stop_flight (self);
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &animate,
                NULL);
  zoom = CLAMP (zoom, min_zoom (self), SCOPE_ZOOM_MAX);
  if (!animate || !clock || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      move_camera (self, x, y, zoom);
      return;
    }
  self->from = (ScopeCameraPose){ self->x, self->y, self->zoom };
  self->to = (ScopeCameraPose){ x, y, zoom };
  self->flight_start = gdk_frame_clock_get_frame_time (clock);
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, self, NULL);
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
  double zoom = CLAMP (self->zoom * factor, min_zoom (self), SCOPE_ZOOM_MAX);
  double x = self->x + at_x / self->zoom - at_x / zoom;
  double y = self->y + at_y / self->zoom - at_y / zoom;

  scope_canvas_stop_flight (self);
  move_camera (self, x, y, zoom);
}

/* Keeps the room of a control above the canvas free, at the side where that takes the smaller share of the
 * canvas; a control in the middle of a side at that side. */
static void
add_room (ScopeCanvas *self, GtkBorder *room, const GtkRequisition *size, GtkWidget *control)
{
  GtkAlign across = control ? gtk_widget_get_halign (control) : GTK_ALIGN_START;
  GtkAlign along = control ? gtk_widget_get_valign (control) : GTK_ALIGN_START;
  double   width = gtk_widget_get_width (GTK_WIDGET (self));
  double   height = gtk_widget_get_height (GTK_WIDGET (self));
  gboolean is_column = across != GTK_ALIGN_CENTER && size->width * height < size->height * width;
  gint16  *side = is_column && across == GTK_ALIGN_END ? &room->right
                  : is_column                          ? &room->left
                  : along == GTK_ALIGN_END             ? &room->bottom
                                                       : &room->top;

  *side = (gint16) MAX (*side, MIN (is_column ? size->width : size->height, G_MAXINT16));
}

/* over: the child of the overlay that is the control, or that holds it. */
static void
add_control (ScopeCanvas *self, GtkBorder *room, GtkWidget *control, GtkWidget *over)
{
  GtkRequisition size;

  gtk_widget_get_preferred_size (control, NULL, &size);
  add_room (self, room, &size, over);
}

/* In a small window the picture matters more than the larger control. */
static void
limit_room (gint16 *first, gint16 *second, int length)
{
  if (*first + *second > length * 0.6)
    *(*first > *second ? first : second) = MARGIN;
}

GtkBorder
scope_canvas_find_room (ScopeCanvas *self)
{
  GtkBorder room = { MARGIN, MARGIN, MARGIN, MARGIN };

  if (self->card.width > 0)
    add_room (self, &room, &self->card, NULL);
  for (GtkWidget *over = gtk_widget_get_next_sibling (GTK_WIDGET (self)); over;
       over = gtk_widget_get_next_sibling (over))
    {
      if (gtk_widget_get_visible (over) && gtk_widget_has_css_class (over, CONTROL_CLASS))
        add_control (self, &room, over, over);
      else if (gtk_widget_get_visible (over))
        for (GtkWidget *part = gtk_widget_get_first_child (over); part;
             part = gtk_widget_get_next_sibling (part))
          if (gtk_widget_get_visible (part) && gtk_widget_has_css_class (part, CONTROL_CLASS))
            add_control (self, &room, part, over);
    }
  limit_room (&room.left, &room.right, gtk_widget_get_width (GTK_WIDGET (self)));
  limit_room (&room.top, &room.bottom, gtk_widget_get_height (GTK_WIDGET (self)));
  return room;
}

void
scope_canvas_set_card (ScopeCanvas *self, int width, int height)
{
  self->card = (GtkRequisition){ width, height };
}

/* The camera that shows rect beside the controls above the canvas, at most at max_zoom. */
static ScopeCameraPose
pose_of_rect (ScopeCanvas *self, const VizRect *rect, double max_zoom)
{
  GtkBorder room = scope_canvas_find_room (self);
  double    width = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - room.left - room.right, 1);
  double    height = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - room.top - room.bottom, 1);
  double    zoom = MIN (width / MAX (rect->width, 1), height / MAX (rect->height, 1));

  zoom = CLAMP (zoom, min_zoom (self), max_zoom);
  return (ScopeCameraPose){ rect->x + rect->width / 2 - (room.left + width / 2) / zoom,
                            rect->y + rect->height / 2 - (room.top + height / 2) / zoom, zoom };
}

void
scope_canvas_zoom_to_rect (ScopeCanvas *self, const VizRect *rect, double max_zoom)
{
  ScopeCameraPose view = pose_of_rect (self, rect, max_zoom);

  fly_to (self, view.x, view.y, view.zoom);
}

static VizRect
whole_picture (ScopeCanvas *self)
{
  return (VizRect){ 0, 0, viz_picture_width (self->picture), viz_picture_height (self->picture) };
}

/* Remembers the camera that shows the whole picture. */
static void
find_whole (ScopeCanvas *self)
{
  VizRect rect = whole_picture (self);

  self->fitted = pose_of_rect (self, &rect, 1);
}

void
scope_canvas_zoom_to_fit (ScopeCanvas *self)
{
  if (!self->picture)
    return;
  find_whole (self);
  fly_to (self, self->fitted.x, self->fitted.y, self->fitted.zoom);
}

void
scope_canvas_show_all (ScopeCanvas *self)
{
  if (!self->picture)
    return;
  find_whole (self);
  scope_canvas_set_camera (self, self->fitted.x, self->fitted.y, self->fitted.zoom);
}

gboolean
scope_canvas_is_resizing (ScopeCanvas *self)
{
  return self->is_resizing;
}

/* The whole picture, or its beginning if the whole would be too small to read. */
void
scope_canvas_place_first (ScopeCanvas *self)
{
  double          width = gtk_widget_get_width (GTK_WIDGET (self));
  VizRect         rect;
  ScopeCameraPose view;

  if (!self->picture || self->is_placed || width <= 1)
    return;
  self->is_placed = TRUE;
  find_whole (self);
  rect = whole_picture (self);
  view = self->fitted;
  if (view.zoom < MIN_LEGIBLE_ZOOM && viz_picture_n_items (self->picture) > 1)
    {
      const VizItem *first = viz_picture_item (self->picture, 1);

      view.zoom = MAX (MIN_LEGIBLE_ZOOM, 0.6);
      view.x = rect.width * view.zoom <= width
                   ? rect.width / 2 - width / 2 / view.zoom
                   : first->x + first->width / 2 - width / 2 / view.zoom;
      view.y = -scope_canvas_find_room (self).top / view.zoom;
    }
  move_camera (self, view.x, view.y, view.zoom);
  self->first = (ScopeCameraPose){ self->x, self->y, self->zoom };
}

void
scope_canvas_place_again (ScopeCanvas *self)
{
  self->is_placed = FALSE;
  scope_canvas_place_first (self);
}

/* Whether the camera is, or will be after its flight, where it was placed. */
static gboolean
is_at (ScopeCanvas *self, const ScopeCameraPose *placed)
{
  ScopeCameraPose now =
      self->tick != 0 ? self->to : (ScopeCameraPose){ self->x, self->y, self->zoom };

  return placed->zoom > 0 && placed->zoom == now.zoom && placed->x == now.x && placed->y == now.y;
}

void
scope_canvas_fit_again (ScopeCanvas *self)
{
  self->is_resizing = TRUE;
  if (is_at (self, &self->fitted))
    scope_canvas_show_all (self);
  else if (is_at (self, &self->first))
    scope_canvas_place_again (self);
  self->is_resizing = FALSE;
}

VizRect
scope_canvas_get_view (ScopeCanvas *self)
{
  return (VizRect){ self->x, self->y, gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom,
                    gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom };
}

/* By how much a view from `start` must move so that it shows a part of this length, or its beginning. */
static double
shift_to_see (double start, double length, double part, double part_length)
{
  if (part < start || part_length > length)
    return part - start;
  return MAX (part + part_length - start - length, 0);
}

void
scope_canvas_scroll_to (ScopeCanvas *self, guint32 number)
{
  const VizItem *item = viz_picture_item (self->picture, number);
  VizRect        view = scope_canvas_get_view (self);
  GtkBorder      room = scope_canvas_find_room (self);
  double         left = room.left / self->zoom, top = room.top / self->zoom, dx, dy;

  dx = shift_to_see (view.x + left, view.width - left - room.right / self->zoom, item->x,
                     item->width);
  dy = shift_to_see (view.y + top, view.height - top - room.bottom / self->zoom, item->y,
                     item->height);
  if (dx != 0 || dy != 0)
    fly_to (self, self->x + dx, self->y + dy, self->zoom);
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
  if (self->zoom >= MIN_LEGIBLE_ZOOM && item->x > view.x + view.width * 0.05 &&
      item->y > view.y + view.height * 0.05 && item->x + item->width < view.x + view.width * 0.95 &&
      item->y + item->height < view.y + view.height * 0.95)
    return TRUE;
  zoom = MAX (self->zoom, 0.8);
  if (item->state == VIZ_ITEM_OPEN)
    {
      VizRect         rect = { item->x, item->y, item->width, item->height };
      ScopeCameraPose fit = pose_of_rect (self, &rect, zoom);

      zoom = MAX (fit.zoom, 0.25);
    }
  fly_to (self, item->x + item->width / 2 - view.width * self->zoom / zoom / 2,
          item->y + item->height / 2 - view.height * self->zoom / zoom / 2, zoom);
  return TRUE;
}
