/* lane-draw.c — draws the timeline: axis, spans, marks, the measured range.
 *
 * Start reading with scope_lane_chart_draw().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/lane-chart-private.h"

#include "app/widgets/text-scale.h"
#include "profiler/base/format.h"
#include "viz/viz.h"

#include <math.h>

#define UNUSUAL        4.0
#define MIN_TEXT_WIDTH 34.0
#define MAX_TEXTS      300
#define DIMMED         0.25 /* spans that are not found */

#define FONT_PIXELS 11
#define LINE_PIXELS 22
#define TICK_PIXELS 90

double
scope_lane_chart_line (ScopeLaneChart *self)
{
  return round (LINE_PIXELS * scope_text_scale (GTK_WIDGET (self)));
}

/* 1, 2 or 5 times a power of ten, at least `least` seconds. */
static double
tick_of (double least)
{
  double wanted = least, power = pow (10, floor (log10 (wanted)));

  return wanted / power < 2 ? 2 * power : wanted / power < 5 ? 5 * power : 10 * power;
}

static char *
tick_label (double seconds, double tick)
{
  if (tick >= 0.1)
    return g_strdup_printf ("%.1f s", seconds);
  if (tick >= 1e-4)
    return g_strdup_printf (tick >= 1e-3 ? "%.0f ms" : "%.1f ms", seconds * 1e3);
  return g_strdup_printf (tick >= 1e-6 ? "%.0f µs" : "%.1f µs", seconds * 1e6);
}

/* Where the length of the measured range is written, on the axis.  FALSE: nothing is measured. */
static gboolean
place_length (ScopeLaneChart *self, PangoLayout *layout, double width, double *left, double *right)
{
  double           begin, end, per_second = width / (self->end - self->begin), middle;
  g_autofree char *label = NULL;
  int              text_width;

  if (!scope_lane_chart_get_measured (self, &begin, &end))
    return FALSE;
  label = prof_format_seconds (end - begin);
  pango_layout_set_text (layout, label, -1);
  pango_layout_get_pixel_size (layout, &text_width, NULL);
  middle = ((begin + end) / 2 - self->begin) * per_second;
  *left = CLAMP (middle - text_width / 2., 4, MAX (width - text_width - 4, 4));
  *right = *left + text_width;
  return TRUE;
}

static void
draw_axis (ScopeLaneChart *self, cairo_t *cr, PangoLayout *layout, double width, double height)
{
  double   per_pixel = (self->end - self->begin) / width, left, right;
  double   apart = TICK_PIXELS * scope_text_scale (GTK_WIDGET (self));
  double   tick = tick_of (per_pixel * apart), line = scope_lane_chart_line (self);
  double   first = self->first_time + ceil ((self->begin - self->first_time) / tick) * tick;
  gboolean has_length = place_length (self, layout, width, &left, &right);
  GdkRGBA  colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &colour);
  /* Ticks are counted, because at a late time adding a short one may change nothing. */
  for (guint i = 0; i <= width / apart && first + i * tick <= self->end; i++)
    {
      double           t = first + i * tick;
      double           x = floor ((t - self->begin) / per_pixel) + 0.5;
      g_autofree char *label = tick_label (t - self->first_time, tick);
      int              text_width;

      colour.alpha = 0.12f;
      gdk_cairo_set_source_rgba (cr, &colour);
      cairo_move_to (cr, x, line - 4);
      cairo_line_to (cr, x, height);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      pango_layout_set_text (layout, label, -1);
      pango_layout_get_pixel_size (layout, &text_width, NULL);
      if (x + 3 + text_width > width || (has_length && x + text_width > left - 8 && x < right + 8))
        continue; /* it would be cut or covered */
      colour.alpha = 0.65f;
      gdk_cairo_set_source_rgba (cr, &colour);
      cairo_move_to (cr, x + 3, 2);
      pango_cairo_show_layout (cr, layout);
    }
}

/* The label of a span, dark on light colours and light on dark ones. */
static void
draw_label (cairo_t *cr, PangoLayout *layout, const ScopeSpan *span, const VizRect *rect)
{
  double light = (0.2126 * (span->colour >> 16 & 0xff) + 0.7152 * (span->colour >> 8 & 0xff) +
                  0.0722 * (span->colour & 0xff)) /
                 255;

  cairo_set_source_rgba (cr, light > 0.45 ? 0.1 : 1, light > 0.45 ? 0.1 : 1, light > 0.45 ? 0.1 : 1,
                         1);
  pango_layout_set_text (layout, span->label, -1);
  pango_layout_set_width (layout, (int) ((rect->width - 6) * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  cairo_move_to (cr, rect->x + 4, rect->y + 3);
  pango_cairo_show_layout (cr, layout);
  pango_layout_set_width (layout, -1);
}

static void
draw_spans (ScopeLaneChart *self, cairo_t *cr, PangoLayout *layout, double width)
{
  double             per_second = width / (self->end - self->begin);
  double             line = scope_lane_chart_line (self);
  g_autofree double *painted = g_new (double, MAX (self->n_lanes, 1));
  guint              n_texts = 0;

  for (guint i = 0; i < self->n_lanes; i++)
    painted[i] = -1;
  for (guint i = 0; i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);
      double           x = (span->begin - self->begin) * per_second;
      double           right = (span->end - self->begin) * per_second;
      double           y = line + span->lane * (line + GAP);
      gboolean         is_hit;

      if (right < 0 || x > width)
        continue;
      x = MAX (x, -4);
      right = MIN (right, width + 4);
      /* Skip spans that lie on a pixel that is already painted in this lane. */
      if (right <= painted[span->lane] + 0.5 && !scope_lane_chart_is_marked (self, span))
        continue;
      painted[span->lane] = MAX (right, x + 1);
      is_hit = scope_lane_chart_is_hit (self, i);
      cairo_set_source_rgba (cr, (span->colour >> 16 & 0xff) / 255.,
                             (span->colour >> 8 & 0xff) / 255., (span->colour & 0xff) / 255.,
                             is_hit ? 1 : DIMMED);
      cairo_rectangle (cr, x, y, MAX (right - x - (right - x > 3 ? 0.5 : 0), 0.7), line);
      cairo_fill (cr);
      if (right - x > MIN_TEXT_WIDTH && is_hit && span->label && n_texts++ < MAX_TEXTS)
        draw_label (cr, layout, span, &(VizRect){ MAX (x, 0), y, right - MAX (x, 0), line });
    }
}

/* The rectangle of a span, at least min_width wide; FALSE: it is out of sight. */
static gboolean
place_span (ScopeLaneChart  *self,
            const ScopeSpan *span,
            double           width,
            double           min_width,
            VizRect         *rect)
{
  double per_second = width / (self->end - self->begin), line = scope_lane_chart_line (self);

  *rect = (VizRect){ (span->begin - self->begin) * per_second, line + span->lane * (line + GAP),
                     MAX ((span->end - span->begin) * per_second, min_width), line };
  return span->end >= self->begin && span->begin <= self->end;
}

/* A line in the colour of errors above spans that took much longer than usual. */
static void
draw_unusual (ScopeLaneChart *self, cairo_t *cr, double width)
{
  GdkRGBA colour = { 0.88f, 0.11f, 0.14f, 1 };

  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)), "error_color",
                                  &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  for (guint i = 0; i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);
      VizRect          rect;

      if (!(span->usual > 0) || !place_span (self, span, width, 2, &rect))
        continue;
      cairo_rectangle (cr, rect.x, rect.y, rect.width, UNUSUAL);
      cairo_fill (cr);
    }
}

/* On top of all spans, so that even the narrowest selected span is visible. */
static void
draw_marks (ScopeLaneChart *self, cairo_t *cr, double width)
{
  GdkRGBA colour;

  if (g_hash_table_size (self->marked) == 0)
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &colour);
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < self->spans->len; i++)
    {
      const ScopeSpan *span = &g_array_index (self->spans, ScopeSpan, i);
      VizRect          rect;

      if (!scope_lane_chart_is_marked (self, span) || !place_span (self, span, width, 1, &rect))
        continue;
      cairo_rectangle (cr, rect.x - 1, rect.y - 1, rect.width + 2, rect.height + 2);
      cairo_stroke (cr);
    }
}

/* The measured range, with its length. */
static void
draw_measured (ScopeLaneChart *self, cairo_t *cr, PangoLayout *layout, double width, double height)
{
  double  begin, end, per_second = width / (self->end - self->begin), left, right;
  GdkRGBA colour;

  if (!scope_lane_chart_get_measured (self, &begin, &end))
    return;
  left = (begin - self->begin) * per_second;
  right = (end - self->begin) * per_second;
  gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)),
                                  "accent_bg_color", &colour);
  colour.alpha = 0.18f;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_rectangle (cr, left, 0, right - left, height);
  cairo_fill (cr);
  colour.alpha = 1;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_rectangle (cr, left - 1, 0, 2, height);
  cairo_rectangle (cr, right - 1, 0, 2, height);
  cairo_fill (cr);
  place_length (self, layout, width, &left, &right); /* also sets the text */
  cairo_rectangle (cr, left - 4, 1, right - left + 8, scope_lane_chart_line (self) - 4);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, left, 2);
  pango_cairo_show_layout (cr, layout);
}

void
scope_lane_chart_draw (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ScopeLaneChart *self = SCOPE_LANE_CHART (widget);
  int             width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  cairo_t        *cr;
  g_autoptr (PangoLayout) layout = NULL;

  if (!self->spans || self->end <= self->begin || width < 1)
    return;
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  layout = scope_text_layout (widget, FONT_PIXELS);
  draw_axis (self, cr, layout, width, height);
  draw_spans (self, cr, layout, width);
  draw_unusual (self, cr, width);
  draw_marks (self, cr, width);
  draw_measured (self, cr, layout, width, height);
  cairo_destroy (cr);
}
