/* compare.c — compares images pixel by pixel.
 *
 * A small tolerance allows for other versions of FreeType, which shade letters slightly differently.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/compare.h"

#include <math.h>
#include <stdlib.h>

#define NOTICEABLE    48    /* difference of one channel that counts */
#define SHARE_ALLOWED 0.004 /* of the pixels */

cairo_surface_t *
compare_draw (const VizPicture *picture, const VizPaintOptions *options, double scale)
{
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24,
                                  (int) ceil (viz_picture_width (picture) * scale),
                                  (int) ceil (viz_picture_height (picture) * scale));
  cairo_t *cr = cairo_create (surface);

  cairo_scale (cr, scale, scale);
  viz_paint (picture, cr, options);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

double
compare_difference (cairo_surface_t *a, cairo_surface_t *b)
{
  int           width = cairo_image_surface_get_width (a);
  int           height = cairo_image_surface_get_height (a);
  const guint8 *left = cairo_image_surface_get_data (a), *right = cairo_image_surface_get_data (b);
  guint         n = 0;

  if (width != cairo_image_surface_get_width (b) || height != cairo_image_surface_get_height (b))
    return 1;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        const guint8 *p = left + y * cairo_image_surface_get_stride (a) + 4 * x;
        const guint8 *q = right + y * cairo_image_surface_get_stride (b) + 4 * x;

        n += abs (p[0] - q[0]) > NOTICEABLE || abs (p[1] - q[1]) > NOTICEABLE ||
             abs (p[2] - q[2]) > NOTICEABLE;
      }
  return (double) n / ((double) width * height);
}

void
compare_with_stored (const VizPicture      *picture,
                     const VizPaintOptions *options,
                     double                 scale,
                     const char            *path)
{
  cairo_surface_t *drawn = compare_draw (picture, options, scale), *stored;

  if (g_getenv ("VIZ_WRITE_REFERENCES"))
    {
      g_assert_cmpint (cairo_surface_write_to_png (drawn, path), ==, CAIRO_STATUS_SUCCESS);
      g_test_skip ("written, not compared");
      cairo_surface_destroy (drawn);
      return;
    }
  stored = cairo_image_surface_create_from_png (path);
  g_assert_cmpint (cairo_surface_status (stored), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpfloat (compare_difference (drawn, stored), <=, SHARE_ALLOWED);
  cairo_surface_destroy (stored);
  cairo_surface_destroy (drawn);
}
