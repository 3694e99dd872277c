/* canvas-input.c — pointer, touch and keyboard of the canvas.
 *
 * Every key is bound to a named action; see the tables actions and keys at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include <math.h>

#define SCROLL_STEP 48.0
#define ZOOM_STEP   1.25
#define CLICK_SLOP  4.0

/* --- Hit testing --- */

/* The box at a pixel of the widget, or VIZ_ROOT; wire: (out) the wire there, or VIZ_NO_ARROW. */
static guint32
box_at (ScopeCanvas *self, double x, double y, guint32 *wire)
{
  VizHit hit;

  *wire = VIZ_NO_ARROW;
  if (!self->picture || viz_paint_level (self->zoom) == VIZ_PAINT_OVERVIEW)
    return VIZ_ROOT;
  hit = viz_picture_hit (self->picture, self->x + x / self->zoom, self->y + y / self->zoom,
                         4 / self->zoom);
  switch (hit.kind)
    {
    case VIZ_HIT_ITEM:
      return viz_picture_item (self->picture, hit.index)->box;
    case VIZ_HIT_PLUG:
      return viz_picture_item (self->picture, viz_picture_plug (self->picture, hit.index)->item)
          ->box;
    case VIZ_HIT_WIRE:
      *wire = hit.index;
      return VIZ_ROOT;
    case VIZ_HIT_NOTHING:
      break;
    }
  return VIZ_ROOT;
}

static gboolean
is_group (ScopeCanvas *self, guint32 box)
{
  return box != VIZ_ROOT && self->picture &&
         viz_diagram_box (viz_picture_diagram (self->picture), box)->n_children > 0;
}

/* --- Pointer --- */

static void
on_motion (GtkEventControllerMotion *controller G_GNUC_UNUSED, double x, double y, gpointer data)
{
  ScopeCanvas *self = data;
  guint32      wire, box;

  self->pointer_x = x;
  self->pointer_y = y;
  if (self->is_dragging || self->tick != 0)
    return;
  box = box_at (self, x, y, &wire);
  scope_canvas_hover_wire (self, wire);
  if (box != self->hovered)
    {
      scope_canvas_set_hovered (self, box);
      scope_canvas_emit (self, SCOPE_CANVAS_HOVERED, box, FALSE);
    }
}

static void
on_leave (GtkEventControllerMotion *controller G_GNUC_UNUSED, gpointer data)
{
  ScopeCanvas *self = data;

  scope_canvas_hover_wire (self, VIZ_NO_ARROW);
  if (self->hovered != VIZ_ROOT)
    {
      scope_canvas_set_hovered (self, VIZ_ROOT);
      scope_canvas_emit (self, SCOPE_CANVAS_HOVERED, VIZ_ROOT, FALSE);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
  ScopeCanvas    *self = data;
  guint           button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  guint32 wire, box = box_at (self, x, y, &wire);

  if (button > GDK_BUTTON_SECONDARY)
    return; /* the page goes back or forward */
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->pointer_x = x;
  self->pointer_y = y;
  if (wire != VIZ_NO_ARROW)
    box = viz_picture_item (self->picture, viz_picture_wire (self->picture, wire)->tail)->box;
  if (button == GDK_BUTTON_SECONDARY)
    {
      if (box != VIZ_ROOT)
        scope_canvas_select_by_user (self, box);
      scope_canvas_emit_menu (self, box, x, y);
      return;
    }
  if (button == GDK_BUTTON_MIDDLE || (state & GDK_CONTROL_MASK))
    return;
  scope_canvas_select_by_user (self, box);
  if (n_press == 2 && is_group (self, box))
    scope_canvas_emit (self, SCOPE_CANVAS_TOGGLED, box, (state & GDK_ALT_MASK) != 0);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer data)
{
  ScopeCanvas    *self = data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  scope_canvas_stop_flight (self);
  self->drag_x = self->x;
  self->drag_y = self->y;
  self->has_rubber = (state & GDK_CONTROL_MASK) != 0;
  self->rubber = (VizRect){ x, y, 0, 0 };
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
  ScopeCanvas *self = data;
  double       x, y;

  if (!self->is_dragging && hypot (dx, dy) < CLICK_SLOP)
    return;
  if (!self->is_dragging)
    {
      self->is_dragging = TRUE;
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
      if (!self->has_rubber)
        gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
    }
  if (!self->has_rubber)
    {
      scope_canvas_set_camera (self, self->drag_x - dx / self->zoom, self->drag_y - dy / self->zoom,
                               self->zoom);
      return;
    }
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  self->rubber = (VizRect){ MIN (x, x + dx), MIN (y, y + dy), fabs (dx), fabs (dy) };
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_end (GtkGestureDrag *gesture G_GNUC_UNUSED,
             double dx               G_GNUC_UNUSED,
             double dy               G_GNUC_UNUSED,
             gpointer                data)
{
  ScopeCanvas *self = data;

  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
  if (self->has_rubber && self->is_dragging && self->rubber.width > 8 && self->rubber.height > 8)
    {
      VizRect rect = { self->x + self->rubber.x / self->zoom, self->y + self->rubber.y / self->zoom,
                       self->rubber.width / self->zoom, self->rubber.height / self->zoom };

      scope_canvas_zoom_to_rect (self, &rect, SCOPE_ZOOM_MAX);
    }
  self->has_rubber = FALSE;
  self->is_dragging = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer data)
{
  ScopeCanvas    *self = data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (state & GDK_CONTROL_MASK)
    scope_canvas_zoom_by (self, pow (ZOOM_STEP, -dy), self->pointer_x, self->pointer_y);
  else if (state & GDK_SHIFT_MASK)
    scope_canvas_pan (self, (dy != 0 ? dy : dx) * SCROLL_STEP, 0);
  else
    scope_canvas_pan (self, dx * SCROLL_STEP, dy * SCROLL_STEP);
  return TRUE;
}

static void
on_pinch_begin (GtkGesture *gesture        G_GNUC_UNUSED,
                GdkEventSequence *sequence G_GNUC_UNUSED,
                gpointer                   data)
{
  ScopeCanvas *self = data;

  self->pinch_zoom = self->zoom;
}

static void
on_pinch (GtkGestureZoom *gesture, double scale, gpointer data)
{
  ScopeCanvas *self = data;
  double       x = self->pointer_x, y = self->pointer_y;

  if (gtk_gesture_is_recognized (GTK_GESTURE (gesture)))
    gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y);
  scope_canvas_zoom_by (self, self->pinch_zoom * scale / self->zoom, x, y);
}

void
scope_canvas_add_gestures (ScopeCanvas *self)
{
  GtkWidget          *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *pinch = gtk_gesture_zoom_new ();

  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  gtk_event_controller_set_name (motion, "canvas-hover");
  gtk_widget_add_controller (widget, motion);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_event_controller_set_name (scroll, "canvas-scroll");
  gtk_widget_add_controller (widget, scroll);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (click), "canvas-click");
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (drag), "canvas-drag");
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (pinch, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect (pinch, "scale-changed", G_CALLBACK (on_pinch), self);
  gtk_event_controller_set_name (GTK_EVENT_CONTROLLER (pinch), "canvas-pinch");
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
}

/* --- Walking along edges --- */

/* The nearest item that is connected to from, downwards or upwards; VIZ_NO_ITEM: none. */
static guint32
find_connected (ScopeCanvas *self, guint32 from, gboolean down)
{
  guint32        n, best = VIZ_NO_ITEM;
  const guint32 *wires = viz_picture_wires_at (self->picture, from, &n);
  const VizItem *here = viz_picture_item (self->picture, from);
  double         nearest = G_MAXDOUBLE;

  for (guint32 i = 0; i < n; i++)
    {
      const VizWire *wire = viz_picture_wire (self->picture, wires[i]);
      guint32        other = down ? wire->head : wire->tail;
      const VizItem *item = viz_picture_item (self->picture, other);
      double         distance;

      if ((down ? wire->tail : wire->head) != from || other == from)
        continue;
      distance = fabs (item->x + item->width / 2 - here->x - here->width / 2) +
                 fabs (item->y - here->y) / 4;
      if (distance < nearest)
        {
          nearest = distance;
          best = other;
        }
    }
  return best;
}

/* The nearest item to the left or right with the same parent; VIZ_NO_ITEM: none. */
static guint32
find_sibling (ScopeCanvas *self, guint32 from, gboolean right)
{
  const VizItem *here = viz_picture_item (self->picture, from);
  guint32        best = VIZ_NO_ITEM;
  double         nearest = G_MAXDOUBLE;

  for (guint32 i = 1; i < viz_picture_n_items (self->picture); i++)
    {
      const VizItem *item = viz_picture_item (self->picture, i);
      double         dx = item->x + item->width / 2 - here->x - here->width / 2;
      double         dy = fabs (item->y + item->height / 2 - here->y - here->height / 2);
      double         distance = fabs (dx) + 3 * dy;

      if (i == from || item->parent != here->parent || (right ? dx <= 0.5 : dx >= -0.5))
        continue;
      if (distance < nearest)
        {
          nearest = distance;
          best = i;
        }
    }
  return best;
}

static void
go_to_item (ScopeCanvas *self, guint32 item)
{
  if (item == VIZ_NO_ITEM)
    {
      gtk_widget_error_bell (GTK_WIDGET (self));
      return;
    }
  scope_canvas_select_by_user (self, viz_picture_item (self->picture, item)->box);
  scope_canvas_scroll_to (self, item);
}

static void
act_walk (ScopeCanvas *self, const char *name)
{
  guint32 from;

  if (!self->picture || viz_picture_n_items (self->picture) < 2)
    return;
  from = self->selected != VIZ_ROOT ? viz_picture_find_box (self->picture, self->selected)
                                    : VIZ_NO_ITEM;
  if (from == VIZ_NO_ITEM)
    go_to_item (self, 1);
  else if (g_str_has_suffix (name, "users"))
    go_to_item (self, find_connected (self, from, TRUE));
  else if (g_str_has_suffix (name, "sources"))
    go_to_item (self, find_connected (self, from, FALSE));
  else
    go_to_item (self, find_sibling (self, from, g_str_has_suffix (name, "right")));
}

/* --- Actions --- */

static void
act_zoom (ScopeCanvas *self, const char *name)
{
  double x = gtk_widget_get_width (GTK_WIDGET (self)) / 2.,
         y = gtk_widget_get_height (GTK_WIDGET (self)) / 2.;

  if (g_str_has_suffix (name, "zoom-in"))
    scope_canvas_zoom_by (self, ZOOM_STEP, x, y);
  else if (g_str_has_suffix (name, "zoom-out"))
    scope_canvas_zoom_by (self, 1 / ZOOM_STEP, x, y);
  else
    scope_canvas_zoom_by (self, 1 / self->zoom, x, y);
}

static void
act_fit (ScopeCanvas *self, const char *name G_GNUC_UNUSED)
{
  scope_canvas_zoom_to_fit (self);
}

static void
act_fit_selection (ScopeCanvas *self, const char *name G_GNUC_UNUSED)
{
  guint32 number = self->picture && self->selected != VIZ_ROOT
                       ? viz_picture_find_box (self->picture, self->selected)
                       : VIZ_NO_ITEM;

  if (number == VIZ_NO_ITEM)
    scope_canvas_zoom_to_fit (self);
  else
    {
      const VizItem *item = viz_picture_item (self->picture, number);
      VizRect rect = { item->x - item->width * 0.5, item->y - item->height * 0.5, item->width * 2,
                       item->height * 2 };

      scope_canvas_zoom_to_rect (self, &rect, 1);
    }
}

static void
act_pan (ScopeCanvas *self, const char *name)
{

  scope_canvas_pan (self,
                    g_str_has_suffix (name, "left")    ? -SCROLL_STEP
                    : g_str_has_suffix (name, "right") ? SCROLL_STEP
                                                       : 0,
                    g_str_has_suffix (name, "up")     ? -SCROLL_STEP
                    : g_str_has_suffix (name, "down") ? SCROLL_STEP
                                                      : 0);
}

static void
act_toggle (ScopeCanvas *self, const char *name)
{

  if (is_group (self, self->selected))
    scope_canvas_emit (self, SCOPE_CANVAS_TOGGLED, self->selected, g_str_has_suffix (name, "all"));
}

static void
act_select_parent (ScopeCanvas *self, const char *name G_GNUC_UNUSED)
{
  guint32 parent;

  if (!self->picture || self->selected == VIZ_ROOT)
    return;
  parent = viz_diagram_box (viz_picture_diagram (self->picture), self->selected)->parent;
  scope_canvas_select_by_user (self, parent);
  if (parent != VIZ_ROOT)
    scope_canvas_reveal (self, parent);
}

static void
act_select_none (ScopeCanvas *self, const char *name G_GNUC_UNUSED)
{
  scope_canvas_select_by_user (self, VIZ_ROOT);
}

static void
act_copy (ScopeCanvas *self, const char *name G_GNUC_UNUSED)
{
  const VizBox *box;

  if (!self->picture)
    return;
  if (self->selected == VIZ_ROOT)
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.copy-picture", NULL);
      return;
    }
  box = viz_diagram_box (viz_picture_diagram (self->picture), self->selected);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          box->subtitle ? box->subtitle : box->title);
}

static void
act_menu (ScopeCanvas *self, const char *name G_GNUC_UNUSED)
{
  double x = gtk_widget_get_width (GTK_WIDGET (self)) / 2.,
         y = gtk_widget_get_height (GTK_WIDGET (self)) / 2.;
  guint32 number = self->picture && self->selected != VIZ_ROOT
                       ? viz_picture_find_box (self->picture, self->selected)
                       : VIZ_NO_ITEM;

  if (number != VIZ_NO_ITEM)
    {
      const VizItem *item = viz_picture_item (self->picture, number);

      x = CLAMP ((item->x + item->width - self->x) * self->zoom, 0, 2 * x);
      y = CLAMP ((item->y + item->height / 2 - self->y) * self->zoom, 0, 2 * y);
    }
  scope_canvas_emit_menu (self, self->selected, x, y);
}

static const struct
{
  const char *name;
  void (*act) (ScopeCanvas *self, const char *name);
} actions[] = {
  { "canvas.zoom-in", act_zoom },
  { "canvas.zoom-out", act_zoom },
  { "canvas.zoom-normal", act_zoom },
  { "canvas.zoom-fit", act_fit },
  { "canvas.zoom-selection", act_fit_selection },
  { "canvas.pan-left", act_pan },
  { "canvas.pan-right", act_pan },
  { "canvas.pan-up", act_pan },
  { "canvas.pan-down", act_pan },
  { "canvas.go-users", act_walk },
  { "canvas.go-sources", act_walk },
  { "canvas.go-left", act_walk },
  { "canvas.go-right", act_walk },
  { "canvas.go-out", act_select_parent },
  { "canvas.toggle", act_toggle },
  { "canvas.toggle-all", act_toggle },
  { "canvas.select-none", act_select_none },
  { "canvas.copy-name", act_copy },
  { "canvas.menu", act_menu },
};

static const struct
{
  guint           key;
  GdkModifierType state;
  const char     *action;
} keys[] = {
  { GDK_KEY_plus, 0, "canvas.zoom-in" },
  { GDK_KEY_equal, 0, "canvas.zoom-in" },
  { GDK_KEY_minus, 0, "canvas.zoom-out" },
  { GDK_KEY_Up, GDK_CONTROL_MASK, "canvas.zoom-in" },
  { GDK_KEY_Down, GDK_CONTROL_MASK, "canvas.zoom-out" },
  { GDK_KEY_1, 0, "canvas.zoom-normal" },
  { GDK_KEY_space, 0, "canvas.zoom-fit" },
  { GDK_KEY_f, 0, "canvas.zoom-selection" },
  { GDK_KEY_Left, GDK_SHIFT_MASK, "canvas.pan-left" },
  { GDK_KEY_Right, GDK_SHIFT_MASK, "canvas.pan-right" },
  { GDK_KEY_Up, GDK_SHIFT_MASK, "canvas.pan-up" },
  { GDK_KEY_Down, GDK_SHIFT_MASK, "canvas.pan-down" },
  { GDK_KEY_Down, 0, "canvas.go-users" },
  { GDK_KEY_Up, 0, "canvas.go-sources" },
  { GDK_KEY_Left, 0, "canvas.go-left" },
  { GDK_KEY_Right, 0, "canvas.go-right" },
  { GDK_KEY_BackSpace, 0, "canvas.go-out" },
  { GDK_KEY_Return, 0, "canvas.toggle" },
  { GDK_KEY_Return, GDK_ALT_MASK, "canvas.toggle-all" },
  { GDK_KEY_Escape, 0, "canvas.select-none" },
  { GDK_KEY_c, GDK_CONTROL_MASK, "canvas.copy-name" },
  { GDK_KEY_Menu, 0, "canvas.menu" },
  { GDK_KEY_F10, GDK_SHIFT_MASK, "canvas.menu" },
};

/* Of the number pad.  They are bound to a function, because menus would name them instead of the keys above. */
static const struct
{
  guint       key;
  const char *action;
} more_keys[] = {
  { GDK_KEY_KP_Add, "canvas.zoom-in" },
  { GDK_KEY_KP_Subtract, "canvas.zoom-out" },
  { GDK_KEY_KP_Enter, "canvas.toggle" },
};

static gboolean
on_more_key (GtkWidget *widget, GVariant *action, gpointer unused G_GNUC_UNUSED)
{
  scope_canvas_act (SCOPE_CANVAS (widget), g_variant_get_string (action, NULL));
  return TRUE;
}

void
scope_canvas_act (ScopeCanvas *self, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i].name, name))
      actions[i].act (self, name);
}

void
scope_canvas_class_add_actions (GtkWidgetClass *class, GtkWidgetActionActivateFunc activate)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (class, actions[i].name, NULL, activate);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (class, keys[i].key, keys[i].state, keys[i].action, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (more_keys); i++)
    gtk_widget_class_add_binding (class, more_keys[i].key, 0, on_more_key, "s",
                                  more_keys[i].action);
}
