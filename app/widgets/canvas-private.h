/* canvas-private.h — the inside of the canvas, for widgets/canvas*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/canvas.h"

#define SCOPE_ZOOM_MAX 4.0

typedef enum
{
  SCOPE_CANVAS_SELECTED,
  SCOPE_CANVAS_HOVERED,
  SCOPE_CANVAS_TOGGLED,
  SCOPE_CANVAS_MENU,
  SCOPE_CANVAS_CAMERA,
  SCOPE_N_CANVAS_SIGNALS,
} ScopeCanvasSignal;

typedef enum
{
  SCOPE_TRACED_UP = 1 << 0,   /* the selection depends on it */
  SCOPE_TRACED_DOWN = 1 << 1, /* depends on the selection */
} ScopeTraced;

typedef struct
{
  double x, y, zoom;
} ScopeCameraPose;

struct _ScopeCanvas
{
  GtkWidget parent_instance;

  /* Owned */
  VizPicture *picture;
  VizOverlay *overlay;
  ScopeTiles *tiles;
  GArray     *hits;   /* of guint32: boxes */
  guint8     *traced; /* by item; NULL: off */

  /* Borrowed */
  const VizTheme *theme;

  double   x, y, zoom;
  gboolean is_placed; /* the first picture was fitted into a canvas with a size */

  guint32 selected, hovered, dive;
  guint32 hovered_wire;
  guint   n_hops;

  /* Pointer */
  double  pointer_x, pointer_y;
  double  drag_x, drag_y; /* of the camera when the drag began */
  double  pinch_zoom;
  VizRect rubber; /* in pixels of the widget */
  guint   has_rubber : 1;
  guint   is_dragging : 1;

  /* Flight */
  guint           tick;
  gint64          flight_start;
  ScopeCameraPose from, to;
};

void   scope_canvas_emit (ScopeCanvas *self, ScopeCanvasSignal which, guint32 box, gboolean deep);
void   scope_canvas_emit_menu (ScopeCanvas *self, guint32 box, double x, double y);
void   scope_canvas_fly_to (ScopeCanvas *self, double x, double y, double zoom);
void   scope_canvas_stop_flight (ScopeCanvas *self);
void   scope_canvas_pan (ScopeCanvas *self, double dx, double dy);
double scope_canvas_min_zoom (ScopeCanvas *self);
void   scope_canvas_select_by_user (ScopeCanvas *self, guint32 box);

/* canvas-draw.c */
void scope_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);
/* canvas-input.c */
void scope_canvas_class_add_actions (GtkWidgetClass *class);
void scope_canvas_add_gestures (ScopeCanvas *self);
/* canvas-trace.c */
void scope_canvas_update_trace (ScopeCanvas *self);
