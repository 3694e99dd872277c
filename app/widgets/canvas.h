/* canvas.h — a picture that can be panned, zoomed, and whose boxes can be selected.
 *
 * The canvas handles pictures and boxes, not models.  It only reports that a group should be opened
 * or closed; the graph view does it.
 *
 * Signals: "selected" (box), "hovered" (box), "toggled" (box, deep), "menu" (box, x, y),
 * "camera-changed".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/tiles.h"

#define SCOPE_TYPE_CANVAS (scope_canvas_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCanvas, scope_canvas, SCOPE, CANVAS, GtkWidget)

/* picture: (nullable).  anchor: a box of both pictures that keeps its place on the screen, or VIZ_ROOT. */
void scope_canvas_set_picture (ScopeCanvas *self, VizPicture *picture, guint32 anchor);
/* The picture, owned by the canvas, or NULL. */
VizPicture *scope_canvas_get_picture (ScopeCanvas *self);
/* overlay: (nullable) costs to be painted. */
void scope_canvas_set_overlay (ScopeCanvas *self, VizOverlay *overlay);
/* Sets the colours. */
void scope_canvas_set_theme (ScopeCanvas *self, const VizTheme *theme);
/* The colours. */
const VizTheme *scope_canvas_get_theme (ScopeCanvas *self);
/* The overlay, owned by the canvas, or NULL. */
VizOverlay *scope_canvas_get_overlay (ScopeCanvas *self);
/* The cache of tiles, owned by the canvas. */
ScopeTiles *scope_canvas_get_tiles (ScopeCanvas *self);

/* Sets the box that is drawn as selected; VIZ_ROOT for none. */
void scope_canvas_set_selected (ScopeCanvas *self, guint32 box);
/* Sets the box that is drawn as hovered; VIZ_ROOT for none. */
void scope_canvas_set_hovered (ScopeCanvas *self, guint32 box);
/* Highlights boxes, for example search hits. */
void scope_canvas_set_hits (ScopeCanvas *self, const guint32 *boxes, guint n);
/* Outlines boxes that belong together with the selection. */
void scope_canvas_set_related (ScopeCanvas *self, const guint32 *boxes, guint n);
/* The boxes that are outlined, of guint32; owned by the canvas. */
const GArray *scope_canvas_get_related (ScopeCanvas *self);

/* A box that is outlined because something is wrong with it. */
typedef struct
{
  guint32  box;
  gboolean is_error; /* FALSE: a warning */
} ScopeFault;

/* The marks of faults: around a box, or around the closed group that holds it. */
typedef struct
{
  guint32  item;     /* of the picture */
  guint    n_faults; /* at it or inside of it */
  gboolean is_error; /* one of them */
} ScopeFaultMark;

/* Outlines boxes with faults, with a badge at the corner; stays until it is called again. */
void scope_canvas_set_faults (ScopeCanvas *self, const ScopeFault *faults, guint n);
/* The marks in the present picture, of ScopeFaultMark; owned by the canvas. */
const GArray *scope_canvas_get_fault_marks (ScopeCanvas *self);

/* Dims everything outside a group; VIZ_ROOT: nothing. */
void scope_canvas_set_dive (ScopeCanvas *self, guint32 box);
/* The group that fills the canvas, or VIZ_ROOT. */
guint32 scope_canvas_get_dive (ScopeCanvas *self);
/* Highlights the ancestors and descendants of the selection, up to n_hops wires away; 0: off. */
void scope_canvas_set_trace (ScopeCanvas *self, guint n_hops);
/* How many steps of the selection's dependencies are highlighted. */
guint scope_canvas_get_trace (ScopeCanvas *self);

/* x, y: upper left corner in points of the picture; zoom: pixels per point. */
void scope_canvas_get_camera (ScopeCanvas *self, double *x, double *y, double *zoom);
/* Sets the point at the centre, in picture coordinates, and the zoom. */
void scope_canvas_set_camera (ScopeCanvas *self, double x, double y, double zoom);
/* Zooms around a pixel of the widget. */
void scope_canvas_zoom_by (ScopeCanvas *self, double factor, double at_x, double at_y);
/* The room in pixels that pictures leave free when they are fitted: for the controls above the canvas, and a
 * margin at the other sides. */
GtkBorder scope_canvas_find_room (ScopeCanvas *self);
/* Keeps room free for a card above the upper left corner that is not a sibling of the canvas; 0: none. */
void scope_canvas_set_card (ScopeCanvas *self, int width, int height);
/* Places the camera as for the first picture. */
void scope_canvas_place_again (ScopeCanvas *self);
/* Shows the whole picture, and continues to do so when the canvas changes its size, until the camera moves. */
void scope_canvas_zoom_to_fit (ScopeCanvas *self);
/* The same without an animation. */
void scope_canvas_show_all (ScopeCanvas *self);
/* Whether the camera moves because the canvas has another size. */
gboolean scope_canvas_is_resizing (ScopeCanvas *self);
/* Zooms so that a rectangle of the picture fills the canvas, at most to max_zoom. */
void scope_canvas_zoom_to_rect (ScopeCanvas *self, const VizRect *rect, double max_zoom);
/* Brings a box into view; the camera stays if it is visible already.  FALSE: the picture has no such box. */
gboolean scope_canvas_reveal (ScopeCanvas *self, guint32 box);
/* The visible part, in points of the picture. */
VizRect scope_canvas_get_view (ScopeCanvas *self);
