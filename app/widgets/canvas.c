/* canvas.c — the class of the canvas: picture, colours, size and drawing.
 *
 * canvas-camera.c moves the camera, canvas-selection.c keeps selection and trace, canvas-draw.c draws
 * and canvas-input.c handles keys and pointer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/canvas-private.h"

#include "app/process/worker.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (ScopeCanvas, scope_canvas, GTK_TYPE_WIDGET)

/* --- Picture --- */

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
  self->fitted.zoom = self->first.zoom = 0;
  self->hovered_wire = VIZ_NO_ARROW;
  self->x += dx;
  self->y += dy;
  scope_tiles_set_picture (self->tiles, picture, dx, dy);
  scope_canvas_update_trace (self);
  scope_canvas_update_faults (self);
  scope_canvas_place_first (self);
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

void
scope_canvas_set_hits (ScopeCanvas *self, const guint32 *boxes, guint n)
{
  g_array_set_size (self->hits, 0);
  if (n > 0)
    g_array_append_vals (self->hits, boxes, n);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
scope_canvas_set_related (ScopeCanvas *self, const guint32 *boxes, guint n)
{
  if (n == 0 && self->related->len == 0)
    return;
  g_array_set_size (self->related, 0);
  if (n > 0)
    g_array_append_vals (self->related, boxes, n);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const GArray *
scope_canvas_get_related (ScopeCanvas *self)
{
  return self->related;
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

/* --- Widget --- */

static void
activate (GtkWidget *widget, const char *name, GVariant *parameter G_GNUC_UNUSED)
{
  scope_canvas_act (SCOPE_CANVAS (widget), name);
}

static void
scope_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  scope_canvas_draw (SCOPE_CANVAS (widget), snapshot);
}

static void
scope_canvas_size_allocate (GtkWidget   *widget,
                            int width    G_GNUC_UNUSED,
                            int height   G_GNUC_UNUSED,
                            int baseline G_GNUC_UNUSED)
{
  scope_canvas_place_first (SCOPE_CANVAS (widget));
  scope_canvas_fit_again (SCOPE_CANVAS (widget));
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
  g_clear_pointer (&self->related, g_array_unref);
  g_clear_pointer (&self->faults, g_array_unref);
  g_clear_pointer (&self->fault_marks, g_array_unref);
  g_clear_pointer (&self->traced, g_free);
  G_OBJECT_CLASS (scope_canvas_parent_class)->dispose (object);
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
  scope_canvas_class_add_signals (G_TYPE_FROM_CLASS (class));
  scope_canvas_class_add_actions (widget_class, activate);
}

static void
scope_canvas_init (ScopeCanvas *self)
{
  self->zoom = 1;
  scope_canvas_hover_wire (self, VIZ_NO_ARROW);
  self->theme = viz_theme_find (NULL);
  self->hits = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->related = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->faults = g_array_new (FALSE, FALSE, sizeof (ScopeFault));
  self->fault_marks = g_array_new (FALSE, TRUE, sizeof (ScopeFaultMark));
  self->tiles = scope_tiles_new ();
  g_signal_connect_swapped (self->tiles, "arrived", G_CALLBACK (gtk_widget_queue_draw), self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Model graph"), -1);
  scope_canvas_add_gestures (self);
}
