/* tiles.h — a picture as square pieces that worker threads paint.
 *
 * The main thread blits what is ready: exact tiles; under them the last complete
 * zoom's, scaled; under those an overview of the whole.  Nothing here waits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/viz.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SCOPE_TILE_SIZE 512

#define SCOPE_TYPE_TILES (scope_tiles_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTiles, scope_tiles, SCOPE, TILES, GObject)

/* "arrived" is emitted when something new can be drawn. */
ScopeTiles *scope_tiles_new (void);

/* picture: (nullable).  dx, dy: how far the camera moves with it, in points, so that what is on
 * the screen stays there until the new tiles have come. */
void scope_tiles_set_picture (ScopeTiles *self, VizPicture *picture, double dx, double dy);
/* Other colours, same places. */
void scope_tiles_set_style (ScopeTiles *self, VizOverlay *overlay, const VizTheme *theme);

/* Where the camera stands: upper left corner in points, pixels a point, device pixels a pixel. */
typedef struct
{
  double x, y, zoom;
  int    width, height, factor;
} ScopeCamera;

void scope_tiles_draw (ScopeTiles *self, cairo_t *cr, const ScopeCamera *camera);

/* Whether the last draw found every tile. */
gboolean scope_tiles_is_complete (ScopeTiles *self);
/* The whole picture, small; NULL: not there yet.  scale: (out) pixels a point. */
cairo_surface_t *scope_tiles_get_overview (ScopeTiles *self, double *scale);

G_END_DECLS
