/* tiles.h — a picture as square tiles that worker threads paint.
 *
 * The main thread draws the finished parts: exact tiles; below them the last complete zoom level,
 * scaled; below that an overview of the whole picture.  Nothing here blocks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/viz.h"

#include <gtk/gtk.h>

#define SCOPE_TILE_SIZE 512

#define SCOPE_TYPE_TILES (scope_tiles_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTiles, scope_tiles, SCOPE, TILES, GObject)

/* Signal "arrived": something new can be drawn. */
ScopeTiles *scope_tiles_new (void);

/* picture: (nullable).  dx, dy: how far the camera moves with the change, in points, so that old tiles are
 * drawn in the right place until the new ones arrive. */
void scope_tiles_set_picture (ScopeTiles *self, VizPicture *picture, double dx, double dy);
/* Sets the colours.  overlay: (nullable) */
void scope_tiles_set_style (ScopeTiles *self, VizOverlay *overlay, const VizTheme *theme);

/* Upper left corner in points, zoom in pixels per point, size of the widget in pixels, and device pixels per
 * pixel. */
typedef struct
{
  double x, y, zoom;
  int    width, height, factor;
} ScopeCamera;

/* Draws the finished tiles and requests the missing ones. */
void scope_tiles_draw (ScopeTiles *self, cairo_t *cr, const ScopeCamera *camera);

/* TRUE if the last drawing had every tile. */
gboolean scope_tiles_is_complete (ScopeTiles *self);
/* The whole picture, small; NULL: not painted yet.  scale: (out) pixels per point. */
cairo_surface_t *scope_tiles_get_overview (ScopeTiles *self, double *scale);
