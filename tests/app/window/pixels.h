/* pixels.h — what is drawn, as pixels of pictures of the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/geometry.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

/* Where a point of the picture is on canvas(). */
void pixels_find_point (VizPoint point, double *x, double *y);
/* A picture of the window.  (transfer full) */
GdkPixbuf *pixels_photograph (void);
/* Whether two pictures of the window differ at a point of canvas(), or at most reach pixels beside it. */
gboolean pixels_differ (const GdkPixbuf *a, const GdkPixbuf *b, VizPoint at, int reach);
