/* export.c — the file formats, and the page that they share: picture and legend.
 *
 * To add a format, write a VizExport and name it in the array exports.
 * Start reading at draw() and viz_export_bytes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/export/export.h"

#include "viz/export/dot.h"
#include "viz/export/sheet.h"
#include "viz/paint/legend.h"
#include "viz/paint/paint.h"

#include <math.h>
#include <string.h>

#define LEGEND_GAP 12
/* Many PDF readers accept no larger pages. */
#define MAX_PDF_SIDE 14400
#define MIN_PNG_SIDE 8

/* The picture or a part of it, with the legend below; in points of the picture. */
typedef struct
{
  VizRect area;          /* of the picture */
  double  width, height; /* of the page */
  double  legend;        /* y of the legend, from the top of the page */
} Page;

static Page
page_of (const VizPicture *picture, const VizExportOptions *options)
{
  Page page = {
    .area = { 0, 0, viz_picture_width (picture), viz_picture_height (picture) },
  };

  if (options->area)
    page.area = *options->area;
  page.width = MAX (page.area.width, 1);
  page.height = MAX (page.area.height, 1);
  if (options->overlay)
    {
      double width, height;

      viz_legend_size (options->overlay, viz_picture_font (picture), &width, &height);
      page.legend = page.height + LEGEND_GAP;
      page.height += height + 2 * LEGEND_GAP;
      page.width = MAX (page.width, width + 2 * LEGEND_GAP);
    }
  return page;
}

static const VizTheme *
theme_of (const VizExportOptions *options)
{
  return options->theme ? options->theme : viz_theme_find (NULL);
}

/* Draws a page.  scale: in pixels per point; 0 for formats without pixels. */
static void
draw (const VizPicture       *picture,
      VizPen                 *pen,
      const VizExportOptions *options,
      const Page             *page,
      double                  scale)
{
  VizRect         sheet = { page->area.x, page->area.y, page->width, page->height };
  VizStyle        ground = { .fill = &theme_of (options)->background };
  VizPaintOptions paint = {
    .theme = options->theme,
    .overlay = options->overlay,
    .area = options->area,
    .scale = scale,
    .transparent = TRUE,
  };

  if (!options->transparent)
    pen->rect (pen, &sheet, 0, &ground);
  viz_paint_with (picture, pen, &paint);
  if (options->overlay)
    viz_legend_draw (options->overlay, theme_of (options), pen, page->area.x + LEGEND_GAP,
                     page->area.y + page->legend);
}

/* A page to draw on a sheet. */
typedef struct
{
  const VizPicture       *picture;
  const VizExportOptions *options;
  const Page             *page;
  double                  pixels; /* per point; 0 for formats without pixels */
} SheetContent;

static void
draw_content (VizPen *pen, gconstpointer data)
{
  const SheetContent *content = data;

  draw (content->picture, pen, content->options, content->page, content->pixels);
}

static VizSheet
sheet_of (const SheetContent *content, double scale)
{
  const Page *page = content->page;

  return (VizSheet){
    .area = { page->area.x, page->area.y, page->width, page->height },
    .scale = scale,
    .font = viz_picture_font (content->picture),
    .title = viz_diagram_title (viz_picture_diagram (content->picture)),
    .draw = draw_content,
    .data = content,
  };
}

/* --- PNG --- */

/* The requested scale, reduced to the limits of side and pixels. */
static double
allowed_scale (const Page *page, const VizExportOptions *options)
{
  double scale = options->scale > 0 ? options->scale : 1;
  double pixels = (double) (options->max_pixels > 0 ? options->max_pixels : VIZ_MAX_PIXELS);
  double sum = page->width + page->height;

  scale = MIN (scale, (VIZ_MAX_SIDE - 1) / MAX (page->width, page->height));
  /* Sides are rounded up: solves (width × scale + 1) × (height × scale + 1) = pixels for scale. */
  return MIN (scale, 2 * (pixels - 1) /
                         (sum + sqrt (sum * sum + 4 * page->width * page->height * (pixels - 1))));
}

/* FALSE and an error if so few pixels are allowed that not even the outlines of boxes would be seen. */
static gboolean
check_scale (const Page *page, double scale, GError **error)
{
  if (MIN (page->width, page->height) * scale >= MIN_PNG_SIDE)
    return TRUE;
  g_set_error (error, VIZ_ERROR, VIZ_ERROR_LIMIT,
               "A PNG of %.0f × %.0f points would have a side of less than %d pixels. Allow more "
               "pixels, or write an SVG",
               page->width, page->height, MIN_PNG_SIDE);
  return FALSE;
}

static GBytes *
write_png (const VizPicture       *picture,
           const VizExportOptions *options,
           VizExportResult        *result,
           GError                **error)
{
  Page         page = page_of (picture, options);
  double       scale = allowed_scale (&page, options);
  int          width = MAX (1, (int) floor (page.width * scale + 0.999));
  int          height = MAX (1, (int) floor (page.height * scale + 0.999));
  SheetContent content = { picture, options, &page, scale };
  VizSheet     sheet = sheet_of (&content, scale);

  *result = (VizExportResult){ (guint32) width, (guint32) height, scale };
  return check_scale (&page, scale, error) ? viz_sheet_print_png (&sheet, width, height, error)
                                           : NULL;
}

/* --- PDF --- */

static GBytes *
write_pdf (const VizPicture       *picture,
           const VizExportOptions *options,
           VizExportResult        *result,
           GError                **error)
{
  Page   page = page_of (picture, options);
  double scale =
      MIN (options->scale > 0 ? options->scale : 1, MAX_PDF_SIDE / MAX (page.width, page.height));
  SheetContent content = { picture, options, &page, 0 };
  VizSheet     sheet = sheet_of (&content, scale);

  *result = (VizExportResult){ (guint32) ceil (page.width * scale),
                               (guint32) ceil (page.height * scale), scale };
  return viz_sheet_print_pdf (&sheet, error);
}

/* --- SVG --- */

static void
begin_svg (GString *out, const VizPicture *picture, const Page *page, double scale)
{
  char number[4][G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                          "viewBox=\"%s %s %s %s\">\n",
                          (guint) ceil (page->width * scale), (guint) ceil (page->height * scale),
                          g_ascii_formatd (number[0], sizeof number[0], "%.2f", page->area.x),
                          g_ascii_formatd (number[1], sizeof number[1], "%.2f", page->area.y),
                          g_ascii_formatd (number[2], sizeof number[2], "%.2f", page->width),
                          g_ascii_formatd (number[3], sizeof number[3], "%.2f", page->height));
  viz_pen_svg_begin_style (out, viz_picture_font (picture));
  g_string_append (out, "g:target>rect{stroke:#1c71d8;stroke-width:3}\n</style>\n");
}

static GBytes *
write_svg (const VizPicture       *picture,
           const VizExportOptions *options,
           VizExportResult        *result,
           GError **error          G_GNUC_UNUSED)
{
  Page             page = page_of (picture, options);
  double           scale = options->scale > 0 ? options->scale : 1;
  GString         *out = g_string_sized_new (1 << 16);
  VizPen          *pen;
  const char      *title = viz_diagram_title (viz_picture_diagram (picture));
  g_autofree char *escaped = g_markup_escape_text (title ? title : "", -1);

  begin_svg (out, picture, &page, scale);
  g_string_append_printf (out, "<title>%s</title>\n", escaped);
  pen = viz_pen_new_svg (out, viz_picture_font (picture), options->outlined);
  draw (picture, pen, options, &page, 0);
  viz_pen_free (pen);
  g_string_append (out, "</svg>\n");
  *result = (VizExportResult){ (guint32) ceil (page.width * scale),
                               (guint32) ceil (page.height * scale), scale };
  return g_string_free_to_bytes (out);
}

/* --- DOT --- */

static GBytes *
write_dot (const VizPicture               *picture,
           const VizExportOptions *options G_GNUC_UNUSED,
           VizExportResult                *result,
           GError **error                  G_GNUC_UNUSED)
{
  char *text = viz_dot_write (picture);

  *result = (VizExportResult){ (guint32) viz_picture_width (picture),
                               (guint32) viz_picture_height (picture), 1 };
  return g_bytes_new_take (text, strlen (text));
}

static const VizExport export_svg = { "svg", "Scalable picture", write_svg };
static const VizExport export_png = { "png", "Bitmap picture", write_png };
static const VizExport export_pdf = { "pdf", "Document", write_pdf };
static const VizExport export_dot = { "dot", "Graphviz text", write_dot };

static const VizExport *const exports[] = {
  &export_svg, &export_png, &export_pdf, &export_dot, NULL,
};

const VizExport *const *
viz_exports (void)
{
  return exports;
}

const VizExport *
viz_export_find (const char *path)
{
  const char      *dot = strrchr (path, '.');
  g_autofree char *extension = g_ascii_strdown (dot ? dot + 1 : path, -1);

  for (guint i = 0; exports[i] != NULL; i++)
    if (strcmp (exports[i]->extension, extension) == 0)
      return exports[i];
  return NULL;
}

GBytes *
viz_export_bytes (const VizPicture       *picture,
                  const char             *path,
                  const VizExportOptions *options,
                  VizExportResult        *result,
                  GError                **error)
{
  static const VizExportOptions plain;
  const VizExport              *format = viz_export_find (path);
  VizExportResult               unused;
  GBytes                       *bytes;

  if (!format)
    {
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_FORMAT,
                   "%s: the extension is not a picture format. Use .svg, .png, .pdf or .dot.",
                   path);
      return NULL;
    }
  bytes = format->write (picture, options ? options : &plain, result ? result : &unused, error);
  if (!bytes)
    g_prefix_error (error, "%s: ", path);
  return bytes;
}
