/* pixels.c — see pixels.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/pixels.h"

#include "tests/app/window/case.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

void
pixels_find_point (VizPoint point, double *x, double *y)
{
  double left, top, zoom;

  scope_canvas_get_camera (canvas (), &left, &top, &zoom);
  *x = (point.x - left) * zoom;
  *y = (point.y - top) * zoom;
}

GdkPixbuf *
pixels_photograph (void)
{
  g_autofree char *path = NULL;
  GdkPixbuf       *picture;

  close (g_file_open_tmp ("hybridscope-far-XXXXXX.png", &path, NULL));
  gui_save_picture (GTK_WINDOW (window), path);
  picture = gdk_pixbuf_new_from_file (path, NULL);
  g_remove (path);
  return picture;
}

gboolean
pixels_differ (const GdkPixbuf *a, const GdkPixbuf *b, VizPoint at, int reach)
{
  int              stride = gdk_pixbuf_get_rowstride (a), n = gdk_pixbuf_get_n_channels (a);
  double           left, top; /* of the shadow */
  graphene_point_t in_window;

  g_assert_true (gtk_widget_compute_point (GTK_WIDGET (canvas ()), GTK_WIDGET (window),
                                           &GRAPHENE_POINT_INIT ((float) at.x, (float) at.y),
                                           &in_window));
  gtk_native_get_surface_transform (GTK_NATIVE (window), &left, &top);
  for (int row = (int) (in_window.y + top) - reach; row <= (int) (in_window.y + top) + reach; row++)
    {
      int begin = row * stride + ((int) (in_window.x + left) - reach) * n;

      if (memcmp (gdk_pixbuf_read_pixels (a) + begin, gdk_pixbuf_read_pixels (b) + begin,
                  (gsize) ((2 * reach + 1) * n)) != 0)
        return TRUE;
    }
  return FALSE;
}
