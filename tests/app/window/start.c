/* start.c — tests of the start page: the way there and back, and thumbnails.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

static void
test_start_page (void)
{
  GtkWidget *gallery = gui_find (GTK_WIDGET (window), "gallery");
  GtkWidget *button = gui_find (GTK_WIDGET (window), "start-button");

  gui_act (window, "win.new-tab", NULL);
  g_assert_true (gtk_widget_get_mapped (gtk_widget_get_parent (gallery)) ||
                 gtk_widget_get_child_visible (gallery));
  g_assert_null (scope_window_get_page (window));
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (button)), ==, "go-previous-symbolic");

  /* Neither action closes the tab. */
  gui_act (window, "win.new-tab", NULL);
  g_assert_true (is_shown (page));
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (button)), ==, "tab-new-symbolic");
  gui_act (window, "win.new-tab", NULL);
  gui_act (window, "win.close-tab", NULL);
  g_assert_true (is_shown (page));
}

/* The paintable of the first thumbnail of the start page, or NULL. */
static GdkTexture *
first_thumbnail (void)
{
  GtkWidget *widget = gui_find (GTK_WIDGET (window), "gallery");

  while (widget && !GTK_IS_PICTURE (widget))
    widget = gtk_widget_get_first_child (widget);
  if (!widget || !GDK_IS_TEXTURE (gtk_picture_get_paintable (GTK_PICTURE (widget))))
    return NULL;
  return GDK_TEXTURE (gtk_picture_get_paintable (GTK_PICTURE (widget)));
}

static gboolean
shows_other_thumbnail (gpointer texture)
{
  return first_thumbnail () && first_thumbnail () != texture;
}

/* The mean of all bytes of opaque pixels. */
static double
brightness (GdkTexture *texture)
{
  gsize              n = (gsize) gdk_texture_get_width (texture) * gdk_texture_get_height (texture);
  g_autofree guchar *pixels = g_malloc (n * 4);
  double             sum = 0, count = 0;

  gdk_texture_download (texture, pixels, gdk_texture_get_width (texture) * 4);
  for (gsize i = 0; i < n; i++)
    if (pixels[4 * i + 3] == 255)
      {
        sum += (pixels[4 * i] + pixels[4 * i + 1] + pixels[4 * i + 2]) / 3.;
        count++;
      }
  g_assert_cmpfloat (count, >, 0);
  return sum / count;
}

static void
test_thumbnails (void)
{
  g_autoptr (GdkTexture) light = NULL;

  gui_act (window, "app.colours", "light");
  wait_until (shows_other_thumbnail, NULL);
  light = g_object_ref (first_thumbnail ());
  gui_act (window, "app.colours", "dark");
  wait_until (shows_other_thumbnail, light);
  g_assert_cmpfloat (brightness (first_thumbnail ()), <, brightness (light) / 2);
  gui_act (window, "app.colours", "follow");
}

void
add_start_tests (void)
{
  add_test ("/app/window/goes-to-the-start-page-and-back", CASE_MODEL, test_start_page);
  add_test ("/app/window/thumbnails-have-the-colours-of-the-window", CASE_MODEL, test_thumbnails);
}
