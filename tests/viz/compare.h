/* compare.h — compares drawn pictures with each other and with stored ones.
 *
 * VIZ_WRITE_REFERENCES=1 writes the stored pictures instead; look at them before committing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/paint.h"

/* Draws a picture at a scale in pixels per point.  (transfer full) */
cairo_surface_t *
compare_draw (const VizPicture *picture, const VizPaintOptions *options, double scale);

/* The share of pixels that differ visibly; 1 if the sizes differ. */
double compare_difference (cairo_surface_t *a, cairo_surface_t *b);

/* Fails the test if the drawn picture differs from the file.  If the files are being written, writes
 * it and skips the test. */
void compare_with_stored (const VizPicture      *picture,
                          const VizPaintOptions *options,
                          double                 scale,
                          const char            *path);
