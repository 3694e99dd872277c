/* pen-svg.c — the pen that writes SVG elements.
 *
 * Cairo's SVG surface turns letters into shapes and has no names.  Here every box and wire is a group
 * with an id, to which a browser can link, and a title, which it shows as a tooltip; texts can be
 * searched.  With outlined, letters are shapes here too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/pen.h"

#include "viz/diagram/drawing.h"

#include <math.h>

typedef struct
{
  VizPen           pen;
  GString         *out;
  char            *font;
  gboolean         outlined;
  cairo_surface_t *scratch; /* with outlined only: for turning letters into paths */
  cairo_t         *cr;
  PangoLayout     *layout;
} SvgPen;

/* Appends a number with at most two decimals, independent of the locale, and without "-0". */
static void
add_number (GString *out, double value)
{
  gint64  hundredths = (gint64) llround (CLAMP (value, -1e12, 1e12) * 100);
  char    digits[32];
  guint   n = sizeof digits;
  guint64 rest = (guint64) ABS (hundredths);

  if (hundredths < 0)
    g_string_append_c (out, '-');
  if (rest % 100 != 0)
    {
      if (rest % 10 != 0)
        digits[--n] = (char) ('0' + rest % 10);
      digits[--n] = (char) ('0' + rest / 10 % 10);
      digits[--n] = '.';
    }
  rest /= 100;
  do
    digits[--n] = (char) ('0' + rest % 10);
  while ((rest /= 10) > 0);
  g_string_append_len (out, digits + n, sizeof digits - n);
}

static void
add_attribute (GString *out, const char *name, double value)
{
  g_string_append_printf (out, " %s=\"", name);
  add_number (out, value);
  g_string_append_c (out, '"');
}

static void
add_point (GString *out, char command, const VizPoint *point)
{
  if (command != 0)
    g_string_append_c (out, command);
  add_number (out, point->x);
  g_string_append_c (out, ' ');
  add_number (out, point->y);
}

/* Appends a text with XML escapes.  Control characters, which XML does not allow, are dropped; in ids
 * spaces and line breaks become underscores. */
static void
add_escaped (GString *out, const char *text, gboolean is_id)
{
  for (const char *at = text; *at != '\0'; at++)
    switch (*at)
      {
      case '&':
        g_string_append (out, "&amp;");
        break;
      case '<':
        g_string_append (out, "&lt;");
        break;
      case '>':
        g_string_append (out, "&gt;");
        break;
      case '"':
        g_string_append (out, "&quot;");
        break;
      case '\n':
        g_string_append_c (out, is_id ? '_' : '\n');
        break;
      case ' ':
        g_string_append_c (out, is_id ? '_' : ' ');
        break;
      default:
        if ((guchar) *at >= 32)
          g_string_append_c (out, *at);
      }
}

static void
add_colour (GString *out, const char *name, const VizColour *colour)
{
  if (!colour)
    {
      g_string_append_printf (out, " %s=\"none\"", name);
      return;
    }
  g_string_append_printf (out, " %s=\"#%02x%02x%02x\"", name, (guint) lround (colour->red * 255),
                          (guint) lround (colour->green * 255),
                          (guint) lround (colour->blue * 255));
  if (colour->alpha < 1)
    {
      g_string_append_printf (out, " %s-opacity=\"", name);
      add_number (out, colour->alpha);
      g_string_append_c (out, '"');
    }
}

static void
add_style (GString *out, const VizStyle *style)
{
  add_colour (out, "fill", style->fill);
  if (style->stroke)
    {
      add_colour (out, "stroke", style->stroke);
      if (style->width != 1)
        add_attribute (out, "stroke-width", style->width);
      if (style->dash == VIZ_DASH_DASHED)
        g_string_append (out, " stroke-dasharray=\"5 3\"");
      else if (style->dash == VIZ_DASH_DOTTED)
        g_string_append (out, " stroke-dasharray=\"1.5 3\"");
    }
  g_string_append (out, "/>\n");
}

static void
svg_begin (VizPen *pen, const char *kind, const char *id, const char *title)
{
  SvgPen *self = (SvgPen *) pen;

  g_string_append_printf (self->out, "<g class=\"%s\" id=\"", kind);
  add_escaped (self->out, id, TRUE);
  g_string_append (self->out, "\"><title>");
  add_escaped (self->out, title, FALSE);
  g_string_append (self->out, "</title>\n");
}

static void
svg_end (VizPen *pen)
{
  g_string_append (((SvgPen *) pen)->out, "</g>\n");
}

static void
svg_rect (VizPen *pen, const VizRect *rect, double radius, const VizStyle *style)
{
  GString *out = ((SvgPen *) pen)->out;

  g_string_append (out, "<rect");
  add_attribute (out, "x", rect->x);
  add_attribute (out, "y", rect->y);
  add_attribute (out, "width", rect->width);
  add_attribute (out, "height", rect->height);
  if (radius > 0)
    add_attribute (out, "rx", MIN (radius, MIN (rect->width, rect->height) / 2));
  add_style (out, style);
}

static void
svg_rects (VizPen *pen, const VizRect *rects, guint n_rects, const VizColour *fill)
{
  GString *out = ((SvgPen *) pen)->out;
  VizStyle style = { .fill = fill };

  g_string_append (out, "<path d=\"");
  for (guint i = 0; i < n_rects; i++)
    {
      add_point (out, 'M', &(VizPoint){ rects[i].x, rects[i].y });
      g_string_append_c (out, 'h');
      add_number (out, rects[i].width);
      g_string_append_c (out, 'v');
      add_number (out, rects[i].height);
      g_string_append_c (out, 'h');
      add_number (out, -rects[i].width);
      g_string_append_c (out, 'z');
    }
  g_string_append_c (out, '"');
  add_style (out, &style);
}

static void
svg_curve (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style)
{
  GString *out = ((SvgPen *) pen)->out;

  if (n_points == 0)
    return;
  g_string_append (out, "<path d=\"");
  add_point (out, 'M', &points[0]);
  for (guint i = 0; i + 3 < n_points; i += 3)
    if (viz_curve_is_straight (points + i))
      add_point (out, 'L', &points[i + 3]);
    else
      {
        add_point (out, 'C', &points[i + 1]);
        g_string_append_c (out, ' ');
        add_point (out, 0, &points[i + 2]);
        g_string_append_c (out, ' ');
        add_point (out, 0, &points[i + 3]);
      }
  g_string_append_c (out, '"');
  add_style (out, style);
}

static void
svg_polygon (VizPen *pen, const VizPoint *points, guint n_points, const VizStyle *style)
{
  GString *out = ((SvgPen *) pen)->out;

  g_string_append (out, "<path d=\"");
  for (guint i = 0; i < n_points; i++)
    add_point (out, i == 0 ? 'M' : 'L', &points[i]);
  g_string_append (out, "z\"");
  add_style (out, style);
}

static void
add_path (GString *out, const cairo_path_t *path)
{
  for (int i = 0; i < path->num_data; i += path->data[i].header.length)
    {
      const cairo_path_data_t *data = &path->data[i];

      switch (data->header.type)
        {
        case CAIRO_PATH_MOVE_TO:
          add_point (out, 'M', &(VizPoint){ data[1].point.x, data[1].point.y });
          break;
        case CAIRO_PATH_LINE_TO:
          add_point (out, 'L', &(VizPoint){ data[1].point.x, data[1].point.y });
          break;
        case CAIRO_PATH_CURVE_TO:
          add_point (out, 'C', &(VizPoint){ data[1].point.x, data[1].point.y });
          g_string_append_c (out, ' ');
          add_point (out, 0, &(VizPoint){ data[2].point.x, data[2].point.y });
          g_string_append_c (out, ' ');
          add_point (out, 0, &(VizPoint){ data[3].point.x, data[3].point.y });
          break;
        case CAIRO_PATH_CLOSE_PATH:
          g_string_append_c (out, 'z');
          break;
        }
    }
}

static void
outline_text (SvgPen *self, const VizTextAt *at, const char *text)
{
  const VizDrawing     *drawing = viz_drawing ();
  PangoFontDescription *font = viz_text_font (self->font, at->style);
  VizStyle              style = { .fill = &at->colour };
  cairo_path_t         *path;
  int                   width;

  drawing->pango_font_description_set_absolute_size (font, at->size * PANGO_SCALE);
  drawing->pango_layout_set_font_description (self->layout, font);
  drawing->pango_font_description_free (font);
  drawing->pango_layout_set_text (self->layout, text, -1);
  drawing->pango_layout_get_size (self->layout, &width, NULL);
  drawing->cairo_new_path (self->cr);
  drawing->cairo_move_to (self->cr, at->x - at->align * width / PANGO_SCALE, at->y);
  drawing->pango_cairo_layout_line_path (self->cr,
                                         drawing->pango_layout_get_line_readonly (self->layout, 0));
  path = drawing->cairo_copy_path (self->cr);
  g_string_append (self->out, "<path d=\"");
  add_path (self->out, path);
  g_string_append_c (self->out, '"');
  add_style (self->out, &style);
  drawing->cairo_path_destroy (path);
}

static void
svg_text (VizPen *pen, const VizTextAt *at, const char *text)
{
  static const char *const anchors[] = { "start", "middle", "end" };
  SvgPen                  *self = (SvgPen *) pen;

  if (self->outlined)
    {
      outline_text (self, at, text);
      return;
    }
  g_string_append_printf (self->out, "<text class=\"t%u\"", at->style);
  add_attribute (self->out, "x", at->x);
  add_attribute (self->out, "y", at->y);
  if (at->size != viz_text_size (at->style))
    {
      /* A style, because the class overrides attributes. */
      g_string_append (self->out, " style=\"font-size:");
      add_number (self->out, at->size);
      g_string_append (self->out, "px\"");
    }
  if (at->align > 0)
    g_string_append_printf (self->out, " text-anchor=\"%s\"",
                            anchors[(guint) lround (at->align * 2) % 3]);
  add_colour (self->out, "fill", &at->colour);
  g_string_append_c (self->out, '>');
  add_escaped (self->out, text, FALSE);
  g_string_append (self->out, "</text>\n");
}

static void
svg_free (VizPen *pen)
{
  SvgPen *self = (SvgPen *) pen;

  g_clear_object (&self->layout);
  if (self->outlined)
    {
      viz_drawing ()->cairo_destroy (self->cr);
      viz_drawing ()->cairo_surface_destroy (self->scratch);
    }
  g_free (self->font);
  g_free (self);
}

void
viz_pen_svg_begin_style (GString *out, const char *font)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, "<style>\ntext{font-family:");
  if (font && !g_str_equal (font, VIZ_DEFAULT_FONT))
    g_string_append_printf (out, "'%s',", font);
  g_string_append_printf (out, "'%s',sans-serif;white-space:pre}\n", VIZ_DEFAULT_FONT);
  for (guint i = 0; i < VIZ_N_TEXT_STYLES; i++)
    g_string_append_printf (out, ".t%u{%sfont-size:%spx}\n", i,
                            viz_text_is_bold (i) ? "font-weight:bold;" : "",
                            g_ascii_formatd (number, sizeof number, "%g", viz_text_size (i)));
}

VizPen *
viz_pen_new_svg (GString *out, const char *font, gboolean outlined)
{
  SvgPen *self = g_new0 (SvgPen, 1);

  self->pen = (VizPen){
    .begin = svg_begin,
    .end = svg_end,
    .rect = svg_rect,
    .rects = svg_rects,
    .curve = svg_curve,
    .polygon = svg_polygon,
    .text = svg_text,
    .free = svg_free,
  };
  self->out = out;
  self->font = g_strdup (font);
  self->outlined = outlined;
  if (outlined)
    {
      const VizDrawing *drawing = viz_drawing ();

      self->scratch = drawing->cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);
      self->cr = drawing->cairo_create (self->scratch);
      self->layout = drawing->pango_cairo_create_layout (self->cr);
    }
  return &self->pen;
}
