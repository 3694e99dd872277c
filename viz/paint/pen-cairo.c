/* pen-cairo.c — the pen that draws on a Cairo context.
 *
 * Each thread has one font map, and one Pango layout per text style: layouts must not be shared
 * between threads, and creating one per text would be most of the cost of a text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/pen.h"

#include "viz/diagram/drawing.h"

#include <math.h>

/* The fonts of one thread. */
typedef struct
{
  PangoFontMap *fonts;
  PangoContext *context;
  char         *family;
  PangoLayout  *layout[VIZ_N_TEXT_STYLES];
  double        size[VIZ_N_TEXT_STYLES];
} Texts;

typedef struct
{
  VizPen   pen;
  cairo_t *cr;
  Texts   *texts;
} CairoPen;

static void
texts_free (gpointer data)
{
  Texts *texts = data;

  for (guint i = 0; i < VIZ_N_TEXT_STYLES; i++)
    g_clear_object (&texts->layout[i]);
  g_object_unref (texts->context);
  g_object_unref (texts->fonts);
  g_free (texts->family);
  g_free (texts);
}

static GPrivate thread_texts = G_PRIVATE_INIT (texts_free);

static Texts *
texts_get (const char *family)
{
  const VizDrawing     *drawing = viz_drawing ();
  Texts                *texts = g_private_get (&thread_texts);
  cairo_font_options_t *options;

  if (texts && g_strcmp0 (texts->family, family) == 0)
    return texts;
  texts = g_new0 (Texts, 1);
  texts->family = g_strdup (family);
  texts->fonts = drawing->pango_cairo_font_map_new ();
  texts->context = drawing->pango_font_map_create_context (texts->fonts);
  options = drawing->cairo_font_options_create ();
  drawing->cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  drawing->cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  drawing->cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  drawing->pango_cairo_context_set_font_options (texts->context, options);
  drawing->cairo_font_options_destroy (options);
  drawing->pango_context_set_round_glyph_positions (texts->context, FALSE);
  g_private_replace (&thread_texts, texts);
  return texts;
}

static PangoLayout *
layout_for (Texts *texts, VizTextStyle style, double size)
{
  const VizDrawing *drawing = viz_drawing ();

  if (!texts->layout[style])
    texts->layout[style] = drawing->pango_layout_new (texts->context);
  if (texts->size[style] != size)
    {
      PangoFontDescription *font = viz_text_font (texts->family, style);

      drawing->pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
      drawing->pango_layout_set_font_description (texts->layout[style], font);
      drawing->pango_font_description_free (font);
      texts->size[style] = size;
    }
  return texts->layout[style];
}

static void
set_colour (cairo_t *cr, const VizColour *colour)
{
  const VizDrawing *drawing = viz_drawing ();

  drawing->cairo_set_source_rgba (cr, colour->red, colour->green, colour->blue, colour->alpha);
}

static void
apply_style (cairo_t *cr, const VizStyle *style)
{
  const VizDrawing   *drawing = viz_drawing ();
  static const double dashed[] = { 5, 3 }, dotted[] = { 1.5, 3 };

  if (style->fill)
    {
      set_colour (cr, style->fill);
      if (style->stroke)
        drawing->cairo_fill_preserve (cr);
      else
        drawing->cairo_fill (cr);
    }
  if (!style->stroke)
    return;
  set_colour (cr, style->stroke);
  drawing->cairo_set_line_width (cr, style->width);
  switch (style->dash)
    {
    case VIZ_DASH_NONE:
      drawing->cairo_set_dash (cr, NULL, 0, 0);
      break;
    case VIZ_DASH_DASHED:
      drawing->cairo_set_dash (cr, dashed, 2, 0);
      break;
    case VIZ_DASH_DOTTED:
      drawing->cairo_set_dash (cr, dotted, 2, 0);
      break;
    }
  drawing->cairo_stroke (cr);
}

static void
cairo_pen_rect (VizPen *pen, const VizRect *rect, double radius, const VizStyle *style)
{
  const VizDrawing *drawing = viz_drawing ();

  cairo_t *cr = ((CairoPen *) pen)->cr;
  double   right = rect->x + rect->width, bottom = rect->y + rect->height;
  double   r = MIN (radius, MIN (rect->width, rect->height) / 2);

  if (r <= 0)
    drawing->cairo_rectangle (cr, rect->x, rect->y, rect->width, rect->height);
  else
    {
      drawing->cairo_new_sub_path (cr);
      drawing->cairo_arc (cr, right - r, rect->y + r, r, -G_PI_2, 0);
      drawing->cairo_arc (cr, right - r, bottom - r, r, 0, G_PI_2);
      drawing->cairo_arc (cr, rect->x + r, bottom - r, r, G_PI_2, G_PI);
      drawing->cairo_arc (cr, rect->x + r, rect->y + r, r, G_PI, 1.5 * G_PI);
      drawing->cairo_close_path (cr);
    }
  apply_style (cr, style);
}

static void
cairo_pen_rects (VizPen *pen, const VizRect *rects, guint n_rects, const VizColour *fill)
{
  const VizDrawing *drawing = viz_drawing ();

  cairo_t *cr = ((CairoPen *) pen)->cr;

  for (guint i = 0; i < n_rects; i++)
    drawing->cairo_rectangle (cr, rects[i].x, rects[i].y, rects[i].width, rects[i].height);
  set_colour (cr, fill);
  drawing->cairo_fill (cr);
}

static void
cairo_pen_curve (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style)
{
  const VizDrawing *drawing = viz_drawing ();

  cairo_t *cr = ((CairoPen *) pen)->cr;

  if (n_points == 0)
    return;
  drawing->cairo_move_to (cr, points[0].x, points[0].y);
  for (guint i = 0; i + 3 < n_points; i += 3)
    /* Straight curves are common, and Cairo draws lines much faster. */
    if (viz_curve_is_straight (points + i))
      drawing->cairo_line_to (cr, points[i + 3].x, points[i + 3].y);
    else
      drawing->cairo_curve_to (cr, points[i + 1].x, points[i + 1].y, points[i + 2].x,
                               points[i + 2].y, points[i + 3].x, points[i + 3].y);
  apply_style (cr, style);
}

static void
cairo_pen_polygon (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style)
{
  const VizDrawing *drawing = viz_drawing ();

  cairo_t *cr = ((CairoPen *) pen)->cr;

  for (guint i = 0; i < n_points; i++)
    drawing->cairo_line_to (cr, points[i].x, points[i].y);
  drawing->cairo_close_path (cr);
  apply_style (cr, style);
}

static void
cairo_pen_text (VizPen *pen, const VizTextAt *at, const char *text)
{
  const VizDrawing *drawing = viz_drawing ();
  CairoPen         *self = (CairoPen *) pen;
  PangoLayout      *layout = layout_for (self->texts, at->style, at->size);
  int               width = 0;

  drawing->pango_layout_set_text (layout, text, -1);
  if (at->align > 0)
    drawing->pango_layout_get_size (layout, &width, NULL);
  set_colour (self->cr, &at->colour);
  drawing->cairo_move_to (self->cr, at->x - at->align * width / PANGO_SCALE, at->y);
  drawing->pango_cairo_show_layout_line (self->cr,
                                         drawing->pango_layout_get_line_readonly (layout, 0));
  /* Otherwise the next shape would start at the current point, which is the start of the text. */
  drawing->cairo_new_path (self->cr);
}

static void
cairo_pen_free (VizPen *pen)
{
  g_free (pen);
}

VizPen *
viz_pen_new_cairo (cairo_t *cr, const char *font)
{
  CairoPen *self = g_new0 (CairoPen, 1);

  self->pen = (VizPen){
    .rect = cairo_pen_rect,
    .rects = cairo_pen_rects,
    .curve = cairo_pen_curve,
    .polygon = cairo_pen_polygon,
    .text = cairo_pen_text,
    .free = cairo_pen_free,
  };
  self->cr = cr;
  self->texts = texts_get (font);
  return &self->pen;
}
