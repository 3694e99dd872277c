/* sheet.h — one page as the bytes of a PNG or PDF file; a function of the caller draws it.
 *
 * The bytes depend only on the sheet: a PDF contains a constant date.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/geometry.h"
#include "viz/paint/pen.h"

typedef struct
{
  VizRect     area;  /* in points of the drawing */
  double      scale; /* pixels of a PNG or points of a PDF per point of the drawing */
  const char *font;  /* (nullable) family */
  const char *title; /* (nullable) of a PDF */

  void (*draw) (VizPen *pen, gconstpointer data);
  gconstpointer data;
} VizSheet;

/* The bytes of a PNG of this size in pixels, or NULL with an error.  (transfer full) */
GBytes *viz_sheet_print_png (const VizSheet *sheet, int width, int height, GError **error);
/* The bytes of a PDF with one page, or NULL with an error.  (transfer full) */
GBytes *viz_sheet_print_pdf (const VizSheet *sheet, GError **error);
