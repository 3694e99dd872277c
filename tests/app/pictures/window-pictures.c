/* window-pictures.c — saves the pictures of docs/window.md: each page light and dark, 1280 and 900 pixels wide, light also 683.
 *
 * Not a test: tools/window-pictures.sh starts it.  A popover or dialog is painted over the window where the
 * user sees it.  A message is printed for each picture.
 *   window-pictures FOLDER [NAME…]   NAME: only the pictures of these names
 * HYBRIDSCOPE_LOOK=contrast, large or german saves one picture of each page in that look, 1280 pixels wide; high contrast and
 * the language are those of the process (ADW_DEBUG_HIGH_CONTRAST, LANGUAGE).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/pictures/window-pictures.h"

#include <glib/gstdio.h>
#include <libintl.h>
#include <locale.h>

#define MAX_SIZES  12
#define MAX_WAITS  10 /* of 0.1 s for a new size */
#define MAX_FRAMES 50 /* in which sizes may still be allocated */

ScopeWindow *pictures_window;

static char  *folder;
static char **only; /* the names of the only stops; empty: all */

/* --- Pictures --- */

static const struct
{
  int         width, height;
  const char *colours;
} looks[] = { { 1280, 820, "light" },
              { 1280, 820, "dark" },
              { 900, 700, "light" },
              { 900, 700, "dark" },
              { 683, 620, "light" } };

static const char *special; /* another look than the usual ones, or NULL */

/* Without a window manager a size that is asked for includes some of the shadow. */
static void
resize (int width, int height)
{
  GtkWidget *widget = GTK_WIDGET (pictures_window);
  int        ask_width = width, ask_height = height;

  for (guint i = 0; i < MAX_SIZES && (i < 2 || gtk_widget_get_width (widget) != width); i++)
    {
      int before = gtk_widget_get_width (widget);

      gtk_window_set_default_size (GTK_WINDOW (pictures_window), ask_width, ask_height);
      /* A busy machine takes a while; what is asked for meanwhile would be wrong. */
      for (guint k = 0; k < MAX_WAITS && gtk_widget_get_width (widget) == before; k++)
        gui_spin (100);
      gui_spin (300);
      ask_width += width - gtk_widget_get_width (widget);
      ask_height += height - gtk_widget_get_height (widget);
    }
  g_assert_cmpint (gtk_widget_get_width (widget), ==, width);
}

/* Where a popover or dialog lies on the window.  Dialogs are centred, as window managers do. */
static graphene_point_t
find_place (GtkWidget *over)
{
  double           x, y, window_x, window_y;
  graphene_point_t place;

  if (!GTK_IS_POPOVER (over))
    {
      place.x = (float) (gtk_widget_get_width (GTK_WIDGET (pictures_window)) -
                         gtk_widget_get_width (over)) /
                2;
      place.y = (float) (gtk_widget_get_height (GTK_WIDGET (pictures_window)) -
                         gtk_widget_get_height (over)) /
                2;
      return place;
    }
  gtk_native_get_surface_transform (GTK_NATIVE (over), &x, &y);
  gtk_native_get_surface_transform (GTK_NATIVE (pictures_window), &window_x, &window_y);
  place.x =
      (float) (gdk_popup_get_position_x (GDK_POPUP (gtk_native_get_surface (GTK_NATIVE (over)))) +
               x - window_x);
  place.y =
      (float) (gdk_popup_get_position_y (GDK_POPUP (gtk_native_get_surface (GTK_NATIVE (over)))) +
               y - window_y);
  return place;
}

/* The widget with its border, which lies outside of its own coordinates. */
static graphene_rect_t
bounds_of (GtkWidget *widget)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT_ZERO;

  g_assert_true (gtk_widget_compute_bounds (widget, widget, &bounds));
  return bounds;
}

/* In its own size: a paintable is scaled to the size that it is given, and its own includes the border. */
static void
paint (GtkSnapshot *snapshot, GtkWidget *widget)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  graphene_rect_t bounds = bounds_of (widget);

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &bounds.origin);
  gdk_paintable_snapshot (paintable, GDK_SNAPSHOT (snapshot), bounds.size.width,
                          bounds.size.height);
  gtk_snapshot_restore (snapshot);
}

/* What the window shows, with `over` on top; NULL while sizes are to be allocated.  (transfer full) */
static GskRenderNode *
draw (GtkWidget *over, const graphene_rect_t *content)
{
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();

  gtk_snapshot_push_clip (snapshot, content);
  paint (snapshot, GTK_WIDGET (pictures_window));
  gtk_snapshot_pop (snapshot);
  if (over)
    {
      graphene_point_t place = find_place (over);

      if (!GTK_IS_POPOVER (over)) /* the dialog is modal */
        gtk_snapshot_append_color (snapshot, &(GdkRGBA){ 0, 0, 0, 0.35f }, content);
      gtk_snapshot_translate (snapshot, &place);
      paint (snapshot, over);
    }
  return gtk_snapshot_to_node (snapshot);
}

/* What is saved: the window without its border, and what lies over it, which may be larger. */
static graphene_rect_t
find_area (GtkWidget *over, const graphene_rect_t *content)
{
  graphene_rect_t  area = *content, above;
  graphene_point_t place;

  if (!over)
    return area;
  above = bounds_of (over);
  place = find_place (over);
  graphene_rect_offset (&above, place.x, place.y);
  graphene_rect_union (content, &above, &area);
  return area;
}

static void
save (GtkWidget *over, const char *path)
{
  graphene_rect_t content =
      GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (GTK_WIDGET (pictures_window)),
                          (float) gtk_widget_get_height (GTK_WIDGET (pictures_window)));
  graphene_rect_t area = find_area (over, &content);
  g_autoptr (GskRenderNode) node = draw (over, &content);
  g_autoptr (GdkTexture) picture = NULL;

  for (guint i = 0; !node && i < MAX_FRAMES; i++)
    {
      gui_spin (100);
      node = draw (over, &content);
    }
  g_assert_nonnull (node);
  picture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (pictures_window)),
                                         node, &area);
  g_assert_true (gdk_texture_save_to_png (picture, path));
  g_print ("%s\n", path);
}

static gboolean
is_settled (gpointer unused G_GNUC_UNUSED)
{
  ScopePage        *page = scope_window_get_page (pictures_window);
  ScopeComparePage *compare = scope_window_get_comparison (pictures_window);

  if (compare)
    return scope_compare_page_is_settled (compare);
  return !page || scope_graph_view_is_settled (scope_page_get_graph_view (page));
}

gboolean
pictures_are_wanted (const char *name)
{
  return !*only || g_strv_contains ((const char *const *) only, name);
}

void
pictures_show (const PictureStop *stop)
{
  for (guint i = 0; i < (special ? 1 : G_N_ELEMENTS (looks)) && pictures_are_wanted (stop->name);
       i++)
    {
      g_autofree char *base = g_strdup_printf ("%s-%d-%s.png", stop->name, looks[i].width,
                                               special ? special : looks[i].colours);
      g_autofree char *path = g_build_filename (folder, base, NULL);
      GtkWidget       *over;

      resize (looks[i].width, looks[i].height);
      gui_act (pictures_window, "app.colours", looks[i].colours);
      gui_spin (300);
      if (scope_window_get_page (pictures_window))
        gui_act (pictures_window, "win.zoom-fit", NULL);
      if (scope_window_get_comparison (pictures_window))
        gui_act (scope_window_get_comparison (pictures_window), "compare.fit", NULL);
      gui_spin (stop->wait_ms > 0 ? stop->wait_ms : 700);
      wait_until (is_settled, NULL);
      over = stop->open ? stop->open () : NULL;
      gui_spin (600);
      save (over, path);
      if (stop->close)
        stop->close ();
      gui_spin (100);
    }
  /* Layouts depend on the size in which a model is opened. */
  if (pictures_are_wanted (stop->name))
    resize (looks[0].width, looks[0].height);
}

/* The catalogues of the build folder, in which this program lies. */
static void
bind_translations (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *own = g_path_get_dirname (self);
  g_autofree char *place = g_build_filename (own, "..", "..", "po", NULL);

  setlocale (LC_ALL, "");
  bindtextdomain ("hybridscope", place);
  bind_textdomain_codeset ("hybridscope", "UTF-8");
  textdomain ("hybridscope");
}

int
main (int argc, char **argv)
{
  g_autofree char *temporary = NULL, *models = NULL;

  if (argc < 2 || !gui_init (&argc, &argv))
    {
      g_printerr ("usage: window-pictures FOLDER [NAME…], with a display\n");
      return 2;
    }
  special = g_getenv ("HYBRIDSCOPE_LOOK");
  if (g_strcmp0 (special, "german") == 0)
    bind_translations ();
  only = argv + 2; /* ends with NULL, as the arguments do */
  folder = g_canonicalize_filename (argv[1], NULL);
  g_mkdir_with_parents (folder, 0755);
  temporary = g_dir_make_tmp ("hybridscope-XXXXXX", NULL);
  models = g_build_filename (temporary, "models", NULL);
  g_mkdir (models, 0700);
  g_chdir (models); /* file dialogs offer the current folder */
  pictures_window = gui_start ();
  if (g_strcmp0 (special, "large") == 0)
    g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  pictures_walk (models);
  g_rmdir (models);
  g_rmdir (temporary);
  g_free (folder);
  gui_end (0);
}
