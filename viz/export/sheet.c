/* sheet.c — draws a page on a Cairo surface and returns the bytes of the file.
 *
 * Start reading at draw().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/export/sheet.h"

#include "viz/diagram/drawing.h"
#include "viz/diagram/error.h"

static cairo_status_t
collect (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_status_t
draw (const VizSheet *sheet, cairo_surface_t *surface)
{
  const VizDrawing *drawing = viz_drawing ();
  cairo_t          *cr = drawing->cairo_create (surface);
  VizPen           *pen = viz_pen_new_cairo (cr, sheet->font);
  cairo_status_t    status;

  drawing->cairo_scale (cr, sheet->scale, sheet->scale);
  drawing->cairo_translate (cr, -sheet->area.x, -sheet->area.y);
  sheet->draw (pen, sheet->data);
  status = drawing->cairo_status (cr);
  viz_pen_free (pen);
  drawing->cairo_destroy (cr);
  return status;
}

/* Takes bytes, and frees them if Cairo failed. */
static GBytes *
finish (GByteArray *bytes, cairo_status_t status, const char *what, GError **error)
{
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (bytes);

  g_byte_array_unref (bytes);
  g_set_error (error, VIZ_ERROR, VIZ_ERROR_LIMIT,
               "The %s could not be drawn: %s. Choose a smaller part or a smaller scale.", what,
               viz_drawing ()->cairo_status_to_string (status));
  return NULL;
}

GBytes *
viz_sheet_print_png (const VizSheet *sheet, int width, int height, GError **error)
{
  const VizDrawing *drawing = viz_drawing_load (error);
  GByteArray       *bytes;
  cairo_surface_t  *surface;
  cairo_status_t    status;

  if (!drawing)
    return NULL;

  bytes = g_byte_array_new ();
  surface = drawing->cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  status = draw (sheet, surface);
  drawing->cairo_surface_flush (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = drawing->cairo_surface_write_to_png_stream (surface, collect, bytes);
  drawing->cairo_surface_destroy (surface);
  return finish (bytes, status, "PNG", error);
}

GBytes *
viz_sheet_print_pdf (const VizSheet *sheet, GError **error)
{
  const VizDrawing *drawing = viz_drawing_load (error);
  GByteArray       *bytes;
  cairo_surface_t  *surface;
  cairo_status_t    status;

  if (!drawing)
    return NULL;

  bytes = g_byte_array_new ();
  surface = drawing->cairo_pdf_surface_create_for_stream (collect, bytes,
                                                          sheet->area.width * sheet->scale,
                                                          sheet->area.height * sheet->scale);
  /* By default Cairo writes the present time. */
  drawing->cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                           "2000-01-01T00:00:00Z");
  drawing->cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE,
                                           sheet->title ? sheet->title : "");
  draw (sheet, surface);
  drawing->cairo_surface_finish (surface);
  status = drawing->cairo_surface_status (surface);
  drawing->cairo_surface_destroy (surface);
  return finish (bytes, status, "PDF", error);
}
