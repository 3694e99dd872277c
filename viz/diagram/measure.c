/* measure.c — a table of advances per text style, filled by Pango on demand.
 *
 * Each thread has its own tables, because Pango layouts must not be shared between threads.
 * Start reading at viz_measure_width().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/measure.h"

#include "viz/diagram/drawing.h"

#include <string.h>

/* Widths of non-ASCII strings that are cached per style. */
#define MAX_CACHED 20000

typedef struct
{
  double   size, line;
  gboolean is_bold;
} Style;

static const Style styles[VIZ_N_TEXT_STYLES] = {
  [VIZ_TEXT_TITLE] = { 11.5, 15, TRUE }, [VIZ_TEXT_NAME] = { 10, 13, FALSE },
  [VIZ_TEXT_ROW] = { 9.5, 12.5, FALSE }, [VIZ_TEXT_EDGE] = { 9, 12, FALSE },
  [VIZ_TEXT_GROUP] = { 11, 15, TRUE },
};

struct _VizMeasure
{
  char         *family;
  PangoFontMap *fonts;
  PangoContext *context;
  PangoLayout  *layout[VIZ_N_TEXT_STYLES];
  double        ascii[VIZ_N_TEXT_STYLES][128]; /* -1: not measured yet */
  GHashTable   *other[VIZ_N_TEXT_STYLES];      /* non-ASCII strings to their widths (double) */
};

PangoFontDescription *
viz_text_font (const char *font, VizTextStyle style)
{
  const VizDrawing     *drawing = viz_drawing ();
  PangoFontDescription *description = drawing->pango_font_description_new ();

  drawing->pango_font_description_set_family (description, font ? font : VIZ_DEFAULT_FONT);
  drawing->pango_font_description_set_absolute_size (description, styles[style].size * PANGO_SCALE);
  if (styles[style].is_bold)
    drawing->pango_font_description_set_weight (description, PANGO_WEIGHT_BOLD);
  return description;
}

double
viz_text_size (VizTextStyle style)
{
  return styles[style].size;
}

double
viz_text_line (VizTextStyle style)
{
  return styles[style].line;
}

gboolean
viz_text_is_bold (VizTextStyle style)
{
  return styles[style].is_bold;
}

static VizMeasure *
measure_new (const char *font)
{
  const VizDrawing     *drawing = viz_drawing ();
  VizMeasure           *measure = g_new0 (VizMeasure, 1);
  cairo_font_options_t *options = drawing->cairo_font_options_create ();

  measure->fonts = drawing->pango_cairo_font_map_new ();
  measure->context = drawing->pango_font_map_create_context (measure->fonts);
  drawing->cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  drawing->cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  drawing->pango_cairo_context_set_font_options (measure->context, options);
  drawing->cairo_font_options_destroy (options);
  drawing->pango_context_set_round_glyph_positions (measure->context, FALSE);
  for (guint i = 0; i < VIZ_N_TEXT_STYLES; i++)
    {
      PangoFontDescription *description = viz_text_font (font, i);

      measure->layout[i] = drawing->pango_layout_new (measure->context);
      drawing->pango_layout_set_font_description (measure->layout[i], description);
      drawing->pango_font_description_free (description);
      measure->other[i] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
      for (guint c = 0; c < 128; c++)
        measure->ascii[i][c] = -1;
    }
  return measure;
}

static void
measure_free (gpointer data)
{
  VizMeasure *measure = data;

  g_free (measure->family);
  for (guint i = 0; i < VIZ_N_TEXT_STYLES; i++)
    {
      g_object_unref (measure->layout[i]);
      g_hash_table_unref (measure->other[i]);
    }
  g_object_unref (measure->context);
  g_object_unref (measure->fonts);
  g_free (measure);
}

static GPrivate thread_measure = G_PRIVATE_INIT (measure_free);

VizMeasure *
viz_measure_get (const char *font)
{
  VizMeasure *measure = g_private_get (&thread_measure);

  font = font ? font : VIZ_DEFAULT_FONT;
  if (!measure || strcmp (measure->family, font) != 0)
    {
      measure = measure_new (font);
      measure->family = g_strdup (font);
      g_private_replace (&thread_measure, measure);
    }
  return measure;
}

static double
measure_with_pango (VizMeasure *measure, VizTextStyle style, const char *text, int length)
{
  const VizDrawing *drawing = viz_drawing ();
  int               width, height;

  drawing->pango_layout_set_text (measure->layout[style], text, length);
  drawing->pango_layout_get_size (measure->layout[style], &width, &height);
  return width / (double) PANGO_SCALE;
}

/* The width of a run of non-ASCII characters.  It is measured as a whole, because such characters
 * may join or combine. */
static double
measure_piece (VizMeasure *measure, VizTextStyle style, const char *text, gsize length)
{
  g_autofree char *piece = g_strndup (text, length);
  double          *known = g_hash_table_lookup (measure->other[style], piece);

  if (!known)
    {
      if (g_hash_table_size (measure->other[style]) > MAX_CACHED)
        g_hash_table_remove_all (measure->other[style]);
      known = g_new (double, 1);
      *known = measure_with_pango (measure, style, piece, -1);
      g_hash_table_insert (measure->other[style], g_steal_pointer (&piece), known);
    }
  return *known;
}

double
viz_measure_width (VizMeasure *measure, VizTextStyle style, const char *text)
{
  double width = 0;

  while (*text != '\0')
    {
      guchar c = (guchar) *text;

      if (c < 128)
        {
          if (measure->ascii[style][c] < 0)
            measure->ascii[style][c] = measure_with_pango (measure, style, text, 1);
          width += measure->ascii[style][c];
          text++;
        }
      else
        {
          const char *end = text;

          while ((guchar) *end >= 128)
            end++;
          width += measure_piece (measure, style, text, (gsize) (end - text));
          text = end;
        }
    }
  return width;
}

char *
viz_text_shorten (const char *text, guint n_characters)
{
  glong            length = g_utf8_strlen (text, -1);
  glong            n_head, n_tail;
  g_autofree char *head = NULL;

  if (length <= (glong) n_characters || n_characters < 5)
    return g_strdup (text);
  n_tail = (n_characters - 1) / 2;
  n_head = n_characters - 1 - n_tail;
  head = g_utf8_substring (text, 0, n_head);
  return g_strconcat (head, "…", g_utf8_offset_to_pointer (text, length - n_tail), NULL);
}

char *
viz_text_end_early (const char *head)
{
  g_autofree char *text = g_strchomp (g_strdup (head));

  while (g_str_has_suffix (text, "…"))
    {
      text[strlen (text) - strlen ("…")] = '\0';
      g_strchomp (text);
    }
  return g_strconcat (text, "…", NULL);
}

char *
viz_text_cut (const char *text, guint n_characters)
{
  g_autofree char *head = NULL;

  if (g_utf8_strlen (text, -1) <= (glong) n_characters || n_characters < 2)
    return g_strdup (text);
  head = g_utf8_substring (text, 0, n_characters - 1);
  return viz_text_end_early (head);
}
