/* contact-sheets.c — draws many models small on sheets, to look at all of them; not a test.
 *
 * Each picture is shown as on a page of the window when all of it is visible, nine to a sheet.  A caption names
 * the file and says when a person would first see only its beginning.
 *   contact-sheets FOLDER [FILE…]        without files: all models of $HYB_SHARED
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/models.h"

#include "viz/paint/paint.h"
#include "viz/scene/layout-diagram.h"

#include <pango/pangocairo.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS  3
#define ROWS     3
#define SHRINK   0.55 /* pixels of a sheet per pixel of the window */
#define MARGIN   12.0 /* pixels of the window around a picture */
#define CAPTION  22.0 /* pixels of a sheet below a picture */
#define LEGIBLE  0.45 /* the least zoom at which the window shows the whole of a picture first */
#define MAX_ZOOM 1.0

#define CELL_WIDTH  (VIZ_PAGE_WIDTH * SHRINK)
#define CELL_HEIGHT (VIZ_PAGE_HEIGHT * SHRINK + CAPTION)

static void
draw_caption (cairo_t *cr, const char *path, double zoom)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *file = g_path_get_basename (path);
  g_autofree char *above = g_path_get_basename (folder);
  g_autofree char *text =
      g_strdup_printf ("%s/%s%s", above, file, zoom < LEGIBLE ? "  · opens at its beginning" : "");
  PangoLayout          *layout = pango_cairo_create_layout (cr);
  PangoFontDescription *font = pango_font_description_from_string ("Sans 8");

  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_set_width (layout, (int) (CELL_WIDTH - 8) * PANGO_SCALE);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_MIDDLE);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_move_to (cr, 4, VIZ_PAGE_HEIGHT * SHRINK + 3);
  pango_cairo_show_layout (cr, layout);
  pango_font_description_free (font);
  g_object_unref (layout);
}

static void
draw_cell (cairo_t *cr, const char *path, const VizPicture *picture)
{
  double width = viz_picture_width (picture), height = viz_picture_height (picture);
  double zoom = MIN (MAX_ZOOM, MIN ((VIZ_PAGE_WIDTH - 2 * MARGIN) / width,
                                    (VIZ_PAGE_HEIGHT - 2 * MARGIN) / height));

  cairo_save (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_rectangle (cr, 2, 2, CELL_WIDTH - 4, VIZ_PAGE_HEIGHT * SHRINK - 4);
  cairo_fill_preserve (cr);
  cairo_clip (cr);
  cairo_scale (cr, SHRINK, SHRINK);
  cairo_translate (cr, (VIZ_PAGE_WIDTH - width * zoom) / 2, (VIZ_PAGE_HEIGHT - height * zoom) / 2);
  cairo_scale (cr, zoom, zoom);
  viz_paint (picture, cr, &(VizPaintOptions){ .scale = zoom });
  cairo_restore (cr);
  draw_caption (cr, path, zoom);
}

static VizPicture *
picture_of (const char *path)
{
  g_autoptr (VizDiagram) diagram = models_diagram (path, NULL);

  return diagram ? viz_layout_diagram (diagram, NULL,
                                       &(VizLayoutOptions){
                                           .direction = VIZ_DIRECTION_AUTO,
                                           .detail = VIZ_DETAIL_AUTO,
                                           .page = { VIZ_PAGE_WIDTH, VIZ_PAGE_HEIGHT } },
                                       NULL, NULL)
                 : NULL;
}

/* Draws the models from paths[first] on until the sheet is full.  Returns the index after the last. */
static guint
draw_sheet (const char *file, const GPtrArray *paths, guint first)
{
  cairo_surface_t *sheet =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (CELL_WIDTH * COLUMNS),
                                  (int) (CELL_HEIGHT * ROWS));
  cairo_t *cr = cairo_create (sheet);
  guint    n = 0, at = first;

  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  cairo_paint (cr);
  for (; at < paths->len && n < COLUMNS * ROWS; at++)
    {
      const char *path = g_ptr_array_index (paths, at);
      g_autoptr (VizPicture) picture = picture_of (path);

      if (!picture)
        {
          printf ("%s holds no graph\n", path);
          continue;
        }
      cairo_save (cr);
      cairo_translate (cr, n % COLUMNS * CELL_WIDTH, n / COLUMNS * CELL_HEIGHT);
      draw_cell (cr, path, picture);
      cairo_restore (cr);
      n++;
    }
  if (n > 0 && cairo_surface_write_to_png (sheet, file) != CAIRO_STATUS_SUCCESS)
    g_printerr ("%s cannot be written\n", file);
  cairo_destroy (cr);
  cairo_surface_destroy (sheet);
  return at;
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) paths = NULL;
  guint sheet = 0;

  if (argc < 2)
    {
      g_printerr ("usage: contact-sheets FOLDER [FILE…]\n");
      return 2;
    }
  paths = argc > 2 ? g_ptr_array_new_with_free_func (g_free) : models_list ();
  for (int i = 2; i < argc; i++)
    g_ptr_array_add (paths, g_strdup (argv[i]));
  g_mkdir_with_parents (argv[1], 0755);
  for (guint at = 0; at < paths->len;)
    {
      g_autofree char *name = g_strdup_printf ("sheet-%02u.png", ++sheet);
      g_autofree char *file = g_build_filename (argv[1], name, NULL);

      at = draw_sheet (file, paths, at);
      printf ("%s: %u of %u models\n", file, at, paths->len);
    }
  return 0;
}
