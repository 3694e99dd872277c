/* canvas.h — a picture to look around in: pan, zoom, select, follow edges.
 *
 * Knows pictures and boxes, not models.  What stands open is decided elsewhere:
 * the canvas only says what was asked for.
 *
 * Signals: "selected" (box), "hovered" (box), "toggled" (box, deep), "menu" (box, x, y),
 * "camera-changed".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/tiles.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_CANVAS (scope_canvas_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCanvas, scope_canvas, SCOPE, CANVAS, GtkWidget)

/* anchor: a box of both pictures that stays where it is on the screen; VIZ_ROOT: none. */
void            scope_canvas_set_picture (ScopeCanvas *self, VizPicture *picture, guint32 anchor);
VizPicture     *scope_canvas_get_picture (ScopeCanvas *self);
void            scope_canvas_set_overlay (ScopeCanvas *self, VizOverlay *overlay);
void            scope_canvas_set_theme (ScopeCanvas *self, const VizTheme *theme);
const VizTheme *scope_canvas_get_theme (ScopeCanvas *self);
VizOverlay     *scope_canvas_get_overlay (ScopeCanvas *self);
ScopeTiles     *scope_canvas_get_tiles (ScopeCanvas *self);

void scope_canvas_set_selected (ScopeCanvas *self, guint32 box);
void scope_canvas_set_hovered (ScopeCanvas *self, guint32 box);
/* Boxes that a search found; n 0: none. */
void scope_canvas_set_hits (ScopeCanvas *self, const guint32 *boxes, guint n);
/* Only what stands in box is lit; VIZ_ROOT: all. */
void    scope_canvas_set_dive (ScopeCanvas *self, guint32 box);
guint32 scope_canvas_get_dive (ScopeCanvas *self);
/* What the selection depends on and what depends on it, so many arrows far; 0: off. */
void  scope_canvas_set_trace (ScopeCanvas *self, guint n_hops);
guint scope_canvas_get_trace (ScopeCanvas *self);

void scope_canvas_get_camera (ScopeCanvas *self, double *x, double *y, double *zoom);
void scope_canvas_set_camera (ScopeCanvas *self, double x, double y, double zoom);
void scope_canvas_zoom_by (ScopeCanvas *self, double factor, double at_x, double at_y);
void scope_canvas_zoom_to_fit (ScopeCanvas *self);
void scope_canvas_zoom_to_rect (ScopeCanvas *self, const VizRect *rect);
/* Does not move when the box is already well in sight.  FALSE: it is not drawn. */
gboolean scope_canvas_reveal (ScopeCanvas *self, guint32 box);
/* Visible part, in points of the picture. */
VizRect scope_canvas_get_view (ScopeCanvas *self);

G_END_DECLS
