/* chart-curves.c — the chart that shows how something grows with a size.
 *
 * Draws axes, then each curve with markers and noise, then the names.
 * Start reading at viz_chart_curves(), at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/chart.h"

#include <math.h>

/* Lengths in points */
#define LEFT       64.0
#define LABELS     190.0 /* room for names right of the curves */
#define TOP        8.0
#define BOTTOM     32.0
#define LABEL_LINE 13.0
#define MARKER     3.2
#define MAX_TICKS  9 /* of the y axis */

typedef struct
{
  VizPen              *pen;
  const VizTheme      *theme;
  const VizCurveChart *axes;
  VizRect              area;      /* of the curves, without axes and names */
  double               low, high; /* bounds of y */
} Chart;

/* Distinct with any kind of colour vision.  Further curves repeat them with dashes. */
static const VizCategory hues[] = {
  VIZ_CATEGORY_LINEAR,  VIZ_CATEGORY_RECURRENT, VIZ_CATEGORY_NORMALISATION,
  VIZ_CATEGORY_CONTROL, VIZ_CATEGORY_REDUCTION, VIZ_CATEGORY_MOVEMENT,
};

VizCategory
viz_chart_hue (guint index)
{
  return hues[index % G_N_ELEMENTS (hues)];
}

static const VizColour *
colour_of (const Chart *chart, guint curve)
{
  return &chart->theme->category[viz_chart_hue (curve)];
}

static double
place_x (const Chart *chart, guint index)
{
  const VizCurveChart *axes = chart->axes;
  double               first = log (axes->x[0]), last = log (axes->x[axes->n_x - 1]);

  return last > first
             ? chart->area.x + (log (axes->x[index]) - first) / (last - first) * chart->area.width
             : chart->area.x + chart->area.width / 2;
}

static double
scaled (const Chart *chart, double value)
{
  return chart->axes->is_logarithmic ? log (MAX (value, G_MINDOUBLE)) : value;
}

static double
place_y (const Chart *chart, double value)
{
  double low = scaled (chart, chart->low), high = scaled (chart, chart->high);
  double share = high > low ? (scaled (chart, value) - low) / (high - low) : 0.5;

  return chart->area.y + chart->area.height * (1 - CLAMP (share, 0, 1));
}

static void
draw_line (const Chart *chart, VizPoint from, VizPoint to, const VizStyle *style)
{
  VizPoint points[4] = { from,
                         { from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3 },
                         { to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3 },
                         to };

  chart->pen->curve (chart->pen, points, 4, style);
}

/* --- Axes --- */

static gboolean
find_bounds (Chart *chart, const VizCurve *curves, guint n_curves)
{
  double low = G_MAXDOUBLE, high = 0;

  for (guint c = 0; c < n_curves; c++)
    for (guint i = 0; i < chart->axes->n_x; i++)
      if (isfinite (curves[c].y[i]) && curves[c].y[i] > 0)
        {
          low = MIN (low, curves[c].y[i]);
          high = MAX (high, curves[c].y[i]);
        }
  if (isfinite (chart->axes->mark))
    high = MAX (high, chart->axes->mark);
  chart->low = chart->axes->is_logarithmic ? low * 0.8 : 0;
  chart->high = MIN (high * (chart->axes->is_logarithmic ? 1.25 : 1.12), G_MAXDOUBLE);
  return high > 0;
}

static void
draw_tick (const Chart *chart, double value)
{
  double           y = place_y (chart, value);
  VizRect          line = { chart->area.x, y - 0.5, chart->area.width, 1 };
  VizColour        faint = chart->theme->box_border;
  g_autofree char *text = chart->axes->format (value);

  faint.alpha *= 0.45;
  chart->pen->rects (chart->pen, &line, 1, &faint);
  viz_pen_write (chart->pen,
                 (VizTextAt){ .style = VIZ_TEXT_ROW,
                              .x = chart->area.x - 8,
                              .y = y + 3.5,
                              .align = 1,
                              .colour = chart->theme->text_faint },
                 text);
}

/* Ticks at 1, 2, 5, 10 …; if that would be too many, at powers of ten, or at every nth power. */
static void
draw_logarithmic_ticks (const Chart *chart)
{
  static const double fine[] = { 1, 2, 5 };
  double decades = log10 (chart->high) - log10 (chart->low); /* a quotient may overflow */
  guint  n_fine = 3 * decades > MAX_TICKS ? 1 : G_N_ELEMENTS (fine);
  int    stride = MAX ((int) ceil (decades / MAX_TICKS), 1);

  for (int power = (int) floor (log10 (chart->low)); power <= log10 (chart->high); power += stride)
    for (guint i = 0; i < n_fine; i++)
      {
        double value = fine[i] * pow (10, power);

        if (value >= chart->low && value <= chart->high)
          draw_tick (chart, value);
      }
}

static void
draw_binary_ticks (const Chart *chart)
{
  int first = (int) ceil (log2 (chart->low)), last = (int) floor (log2 (chart->high));
  int stride = (last - first) / MAX_TICKS + 1;

  for (int power = first; power <= last; power += stride)
    draw_tick (chart, exp2 (power));
}

static void
draw_linear_ticks (const Chart *chart)
{
  double raw = chart->high / 5, power = pow (10, floor (log10 (raw)));
  double step = raw / power < 1.5 ? power : raw / power < 3.5 ? 2 * power : 5 * power;

  for (guint i = 0; i * step <= chart->high; i++)
    draw_tick (chart, i * step);
}

static void
draw_axes (const Chart *chart)
{
  double bottom = chart->area.y + chart->area.height;

  if (chart->axes->is_binary)
    draw_binary_ticks (chart);
  else if (chart->axes->is_logarithmic)
    draw_logarithmic_ticks (chart);
  else
    draw_linear_ticks (chart);
  for (guint i = 0; i < chart->axes->n_x; i++)
    {
      g_autofree char *text = g_strdup_printf ("%.4g", chart->axes->x[i]);

      viz_pen_write (chart->pen,
                     (VizTextAt){ .style = VIZ_TEXT_ROW,
                                  .x = place_x (chart, i),
                                  .y = bottom + 14,
                                  .align = 0.5,
                                  .colour = chart->theme->text_faint },
                     text);
    }
  viz_pen_write (chart->pen,
                 (VizTextAt){ .style = VIZ_TEXT_ROW,
                              .x = chart->area.x + chart->area.width / 2,
                              .y = bottom + 27,
                              .align = 0.5,
                              .colour = chart->theme->text_faint },
                 chart->axes->x_name);
  chart->pen->rects (chart->pen, &(VizRect){ chart->area.x, bottom - 0.5, chart->area.width, 1 }, 1,
                     &chart->theme->text_faint);
  if (isfinite (chart->axes->mark))
    chart->pen->rects (chart->pen,
                       &(VizRect){ chart->area.x, place_y (chart, chart->axes->mark) - 0.5,
                                   chart->area.width, 1 },
                       1, &chart->theme->text_faint);
}

/* --- Lines --- */

/* Square, diamond and triangle in turn, which distinguish curves without colours, too. */
static void
draw_marker (const Chart *chart, guint curve, VizPoint at)
{
  static const VizPoint shapes[3][4] = {
    { { -0.9, -0.9 }, { 0.9, -0.9 }, { 0.9, 0.9 }, { -0.9, 0.9 } },
    { { 0, -1.3 }, { 1.3, 0 }, { 0, 1.3 }, { -1.3, 0 } },
    { { 0, -1.2 }, { 1.2, 1 }, { 0, 1 }, { -1.2, 1 } },
  };
  const VizPoint *shape = shapes[curve % G_N_ELEMENTS (shapes)];
  VizStyle        style = { .fill = colour_of (chart, curve) };
  VizPoint        points[4];

  for (guint i = 0; i < 4; i++)
    points[i] = (VizPoint){ at.x + MARKER * shape[i].x, at.y + MARKER * shape[i].y };
  chart->pen->polygon (chart->pen, points, 4, &style);
}

static void
draw_noise (const Chart *chart, const VizCurve *curve, guint i, double x)
{
  double low, high;

  if (!curve->low || !curve->high || !(curve->high[i] > curve->low[i]))
    return;
  low = place_y (chart, curve->low[i]);
  high = place_y (chart, curve->high[i]);
  chart->pen->rects (chart->pen, &(VizRect){ x - 0.5, high, 1, MAX (low - high, 1) }, 1,
                     &chart->theme->text_faint);
}

static void
draw_curve (const Chart *chart, const VizCurve *curve, guint index)
{
  VizStyle style = { .stroke = colour_of (chart, index),
                     .width = 1.8,
                     .dash = index < G_N_ELEMENTS (hues) ? VIZ_DASH_NONE : VIZ_DASH_DASHED };
  VizPoint before = { NAN, NAN };

  for (guint i = 0; i < chart->axes->n_x; i++)
    {
      VizPoint at = { place_x (chart, i), place_y (chart, curve->y[i]) };

      if (!isfinite (curve->y[i]))
        continue;
      draw_noise (chart, curve, i, at.x);
      if (isfinite (before.x))
        draw_line (chart, before, at, &style);
      before = at;
      draw_marker (chart, index, at);
    }
}

typedef struct
{
  guint  curve;
  double end, y; /* y of the end of the curve, and of its name */
} Name;

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const Name *x = a, *y = b;

  return (x->end > y->end) - (x->end < y->end);
}

/* Writes the names beside the ends of their curves, moved apart where they would overlap. */
static void
write_names (const Chart *chart, const VizCurve *curves, guint n_curves)
{
  g_autofree Name *names = g_new (Name, MAX (n_curves, 1));
  double           right = chart->area.x + chart->area.width, excess;

  for (guint c = 0; c < n_curves; c++)
    {
      names[c] = (Name){ c, chart->area.y + chart->area.height, 0 };
      for (guint i = 0; i < chart->axes->n_x; i++)
        if (isfinite (curves[c].y[i]))
          names[c].end = place_y (chart, curves[c].y[i]);
    }
  qsort (names, n_curves, sizeof *names, compare_names);
  for (guint i = 0; i < n_curves; i++)
    names[i].y = i > 0 ? MAX (names[i].end, names[i - 1].y + LABEL_LINE) : names[i].end;
  excess = n_curves > 0 ? names[n_curves - 1].y - (chart->area.y + chart->area.height) : 0;
  for (guint i = n_curves; excess > 0 && i-- > 0;)
    names[i].y = MIN (names[i].y, i + 1 < n_curves ? names[i + 1].y - LABEL_LINE
                                                   : chart->area.y + chart->area.height);
  for (guint i = 0; i < n_curves; i++)
    {
      VizStyle         tie = { .stroke = &chart->theme->box_border, .width = 1 };
      g_autofree char *text = viz_text_shorten (curves[names[i].curve].label, 24);

      draw_line (chart, (VizPoint){ right + 6, names[i].end }, (VizPoint){ right + 18, names[i].y },
                 &tie);
      draw_marker (chart, names[i].curve, (VizPoint){ right + 24, names[i].y });
      viz_pen_write (chart->pen,
                     (VizTextAt){ .style = VIZ_TEXT_ROW,
                                  .x = right + 32,
                                  .y = names[i].y + 3.5,
                                  .colour = chart->theme->text },
                     text);
    }
}

void
viz_chart_curves (VizPen              *pen,
                  const VizRect       *rect,
                  const VizTheme      *theme,
                  const VizCurveChart *curves)
{
  Chart chart = { .pen = pen,
                  .theme = theme,
                  .axes = curves,
                  .area = { rect->x + LEFT, rect->y + TOP, MAX (rect->width - LEFT - LABELS, 20),
                            MAX (rect->height - TOP - BOTTOM, 20) } };

  if (curves->n_x == 0 || !find_bounds (&chart, curves->curves, curves->n_curves))
    return;
  draw_axes (&chart);
  for (guint c = 0; c < curves->n_curves; c++)
    draw_curve (&chart, &curves->curves[c], c);
  write_names (&chart, curves->curves, curves->n_curves);
}
