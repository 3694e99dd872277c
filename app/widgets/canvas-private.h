/* canvas-private.h — the struct of the canvas, and the functions that its files share.
 *
 * Calls go one way: canvas.c (the class) → canvas-input.c, canvas-draw.c → canvas-faults.c,
 * canvas-selection.c, canvas-wires.c → canvas-camera.c.
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
  SCOPE_TRACED_UP = 1 << 0,   /* the selection depends on the item */
  SCOPE_TRACED_DOWN = 1 << 1, /* the item depends on the selection */
} ScopeTraced;

/* Upper left corner in points of the picture, and pixels per point. */
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
  GArray     *hits;        /* of guint32: boxes */
  GArray     *related;     /* of guint32: boxes */
  GArray     *faults;      /* of ScopeFault */
  GArray     *fault_marks; /* of ScopeFaultMark */
  guint8     *traced;      /* ScopeTraced of each item; NULL: tracing is off */

  /* Borrowed */
  const VizTheme *theme;

  double   x, y, zoom; /* the camera */
  gboolean is_placed;  /* the camera was set for the first picture */

  ScopeCameraPose fitted; /* the camera that showed the whole picture; its zoom is 0 if none did */
  ScopeCameraPose first;  /* the camera of scope_canvas_place_first(), likewise */
  gboolean        is_resizing; /* the camera moves because the canvas has another size */

  guint32 selected, hovered, dive;
  guint32 hovered_wire;
  guint   n_hops; /* how far the trace goes; 0: off */

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

  GtkRequisition card; /* size covered by other widgets at the upper left corner, in pixels */
};

/* --- canvas-camera.c --- */

/* Registers the signals of the class. */
void scope_canvas_class_add_signals (GType type);
/* Emits any signal but "menu"; box and deep are ignored where the signal has no such argument. */
void scope_canvas_emit (ScopeCanvas *self, ScopeCanvasSignal which, guint32 box, gboolean deep);
/* Emits "menu"; x, y in pixels of the widget. */
void scope_canvas_emit_menu (ScopeCanvas *self, guint32 box, double x, double y);
/* Sets the camera for the first picture, once the canvas has a size. */
void scope_canvas_place_first (ScopeCanvas *self);
/* If the whole picture was shown and the camera has not moved since, shows the whole picture in the new size. */
void scope_canvas_fit_again (ScopeCanvas *self);
/* Stops an animation where it is. */
void scope_canvas_stop_flight (ScopeCanvas *self);
/* Moves the camera by pixels. */
void scope_canvas_pan (ScopeCanvas *self, double dx, double dy);
/* Moves the camera no further than it takes to see an item; it keeps the zoom. */
void scope_canvas_scroll_to (ScopeCanvas *self, guint32 item);

/* --- canvas-selection.c --- */

/* Selects a box as the user does, so that "selected" is emitted. */
void scope_canvas_select_by_user (ScopeCanvas *self, guint32 box);
/* Computes again which items the trace reaches. */
void scope_canvas_update_trace (ScopeCanvas *self);

/* --- canvas-faults.c --- */

/* Finds the items that show the faults; called for each new picture. */
void scope_canvas_update_faults (ScopeCanvas *self);
/* Draws the marks in coordinates of the picture. */
void scope_canvas_draw_faults (ScopeCanvas *self, cairo_t *cr, const VizRect *view);

/* --- canvas-wires.c --- */

/* Marks a line of the picture and explains it in the tooltip; VIZ_NO_ARROW: none. */
void scope_canvas_hover_wire (ScopeCanvas *self, guint32 wire);

/* --- canvas-draw.c --- */

/* Draws the canvas; called by its snapshot function. */
void scope_canvas_draw (ScopeCanvas *self, GtkSnapshot *snapshot);

/* --- canvas-input.c --- */

/* Installs all "canvas." actions with their keys; activate should call scope_canvas_act(). */
void scope_canvas_class_add_actions (GtkWidgetClass *class, GtkWidgetActionActivateFunc activate);
/* Performs the action of that name. */
void scope_canvas_act (ScopeCanvas *self, const char *name);
/* Adds the gestures and controllers; called once for each canvas. */
void scope_canvas_add_gestures (ScopeCanvas *self);
