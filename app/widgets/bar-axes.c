/* bar-axes.c — ticks and labels of a row of bars.
 *
 * Heights of low rows have a label at the top alone (and at the bottom, if that is not 0); higher ones have ticks at
 * round numbers.  Start reading with scope_bar_axes_draw().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/bar-axes.h"

#include "app/widgets/text-scale.h"
#include "viz/paint/chart.h"

#include <math.h>

#define FONT_PIXELS 10
#define LINE        14 /* height of the labels below the bars */
#define GAP         5  /* between labels and bars */
#define LOW_PLOT    56 /* pixels below which there are no round ticks */
#define TICK_HEIGHT 30 /* least distance of ticks of heights */
#define TICK_WIDTH  48 /* least distance of ticks below the bars */
#define MAX_TICKS   200

/* The height of a line of labels. */
static int
line_of (GtkWidget *widget)
{
  return (int) (LINE * scope_text_scale (widget));
}

int
scope_bar_axes_height (const ScopeBarAxes *axes, GtkWidget *widget)
{
  return axes->name || axes->low < axes->high ? line_of (widget) : 0;
}

static double
measure (PangoLayout *layout, const char *text)
{
  int width;

  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* --- Heights --- */

/* Ticks of heights from lowest to highest, of double. */
static GArray *
list_heights (const ScopeBarAxes *axes, GtkWidget *widget, const ScopeBarPlot *plot)
{
  double  each = TICK_HEIGHT * scope_text_scale (widget);
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (double));
  double  range = plot->highest - plot->lowest;
  double  step = viz_chart_step (range, (guint) MAX (plot->height / each, 1), axes->is_binary);
  double  first = step > 0 ? ceil (plot->lowest / step) : 0;

  if (step > 0 && plot->height >= LOW_PLOT)
    for (guint i = 0; i < MAX_TICKS && (first + i) * step <= plot->highest; i++)
      g_array_append_val (ticks, (double[]){ (first + i) * step }[0]);
  else if (step > 0)
    {
      g_array_append_val (ticks, plot->highest);
      if (plot->lowest != 0)
        g_array_append_val (ticks, plot->lowest);
    }
  return ticks;
}

static char *
format_height (const ScopeBarAxes *axes, double value)
{
  return value == 0 ? g_strdup ("0") : axes->format (value);
}

void
scope_bar_axes_layout (const ScopeBarAxes *axes, GtkWidget *widget, ScopeBarPlot *plot)
{
  plot->left = 0;
  plot->height = gtk_widget_get_height (widget) - scope_bar_axes_height (axes, widget);
  if (axes->format)
    {
      g_autoptr (PangoLayout) layout = scope_text_layout (widget, FONT_PIXELS);
      g_autoptr (GArray) ticks = list_heights (axes, widget, plot);

      for (guint i = 0; i < ticks->len; i++)
        {
          g_autofree char *text = format_height (axes, g_array_index (ticks, double, i));

          plot->left = MAX (plot->left, measure (layout, text) + GAP);
        }
    }
  plot->width = MAX (gtk_widget_get_width (widget) - plot->left, 1);
}

static void
draw_heights (const ScopeBarAxes *axes,
              GtkWidget          *widget,
              cairo_t            *cr,
              PangoLayout        *layout,
              const ScopeBarPlot *plot)
{
  int line = line_of (widget);
  g_autoptr (GArray) ticks = list_heights (axes, widget, plot);
  double range = plot->highest - plot->lowest;

  for (guint i = 0; i < ticks->len; i++)
    {
      double           value = g_array_index (ticks, double, i);
      g_autofree char *text = format_height (axes, value);
      double           y = plot->height - (value - plot->lowest) / range * (plot->height - 2);
      double           width = measure (layout, text);

      cairo_move_to (cr, plot->left, floor (y) + 0.5);
      cairo_line_to (cr, plot->left + plot->width, floor (y) + 0.5);
      cairo_stroke (cr);
      cairo_move_to (cr, plot->left - GAP - width,
                     CLAMP (y - line / 2., -1, MAX (plot->height - line + 2, -1)));
      pango_cairo_show_layout (cr, layout);
    }
}

/* --- Bars --- */

static void
draw_text (cairo_t *cr, PangoLayout *layout, double x, double y)
{
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
}

/* Values at both ends of a histogram, and 0 between them if there is room. */
static void
draw_ends (const ScopeBarAxes *axes, cairo_t *cr, PangoLayout *layout, const ScopeBarPlot *plot)
{
  g_autofree char *low = g_strdup_printf ("%.3g", axes->low);
  g_autofree char *high = g_strdup_printf ("%.3g", axes->high);
  double           right = plot->left + plot->width, low_end, high_begin, zero;

  low_end = plot->left + measure (layout, low);
  draw_text (cr, layout, plot->left, plot->height + 1);
  high_begin = right - measure (layout, high);
  draw_text (cr, layout, high_begin, plot->height + 1);
  zero = plot->left - axes->low / (axes->high - axes->low) * plot->width;
  if (zero < low_end + 2 * GAP || zero > high_begin - 2 * GAP)
    return;
  draw_text (cr, layout, zero - measure (layout, "0") / 2, plot->height + 1);
}

/* Numbers of bars, and their unit at the right end. */
static void
draw_numbers (const ScopeBarAxes *axes,
              GtkWidget          *widget,
              cairo_t            *cr,
              PangoLayout        *layout,
              const ScopeBarPlot *plot)
{
  double apart = TICK_WIDTH * scope_text_scale (widget);
  double each = plot->width / plot->n;
  double name_begin = plot->left + plot->width - measure (layout, axes->name);
  double end = plot->left - GAP; /* of the last label */
  guint  step =
      (guint) MAX (viz_chart_step (plot->n, (guint) MAX (plot->width / apart, 1), FALSE), 1);

  draw_text (cr, layout, name_begin, plot->height + 1);
  for (guint64 number = (axes->first + step - 1) / step * step; number < axes->first + plot->n;
       number += step)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
      double           width = measure (layout, text);
      double           x =
          MAX (plot->left + ((double) (number - axes->first) + 0.5) * each - width / 2, plot->left);

      if (x < end + GAP || x + width > name_begin - GAP)
        continue;
      draw_text (cr, layout, x, plot->height + 1);
      end = x + width;
    }
}

void
scope_bar_axes_draw (const ScopeBarAxes *axes,
                     GtkWidget          *widget,
                     cairo_t            *cr,
                     const ScopeBarPlot *plot)
{
  g_autoptr (PangoLayout) layout = scope_text_layout (widget, FONT_PIXELS);
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  GdkRGBA          colour;

  if (!gtk_style_context_lookup_color (style, "window_fg_color", &colour))
    gtk_style_context_get_color (style, &colour);
  colour.alpha *= 0.7f;
  gdk_cairo_set_source_rgba (cr, &colour);
  cairo_set_line_width (cr, 0.25);
  if (axes->format)
    draw_heights (axes, widget, cr, layout, plot);
  if (axes->low < axes->high)
    draw_ends (axes, cr, layout, plot);
  else if (axes->name && plot->n > 0)
    draw_numbers (axes, widget, cr, layout, plot);
}
