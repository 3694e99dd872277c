/* compare.h — drawn pictures against each other and against stored ones.
 *
 * VIZ_WRITE_REFERENCES=1 writes the stored pictures anew; look at them before
 * committing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/paint.h"

/* (transfer full) */
cairo_surface_t *
compare_draw (const VizPicture *picture, const VizPaintOptions *options, double scale);

/* Share of pixels that differ to be seen; 1 when the sizes differ. */
double compare_difference (cairo_surface_t *a, cairo_surface_t *b);

/* Fails the test, or skips it after writing. */
void compare_with_stored (const VizPicture      *picture,
                          const VizPaintOptions *options,
                          double                 scale,
                          const char            *path);
