/* chart.h — small charts in the style of the pictures: bars, waterfall, curves.
 *
 * They draw with a pen, so that window, PNG and SVG reports look alike:
 *
 *   VizPen *pen = viz_pen_new_cairo (cr, NULL);
 *   viz_chart_bars (pen, &rect, theme, bars, n_bars);
 *   viz_pen_free (pen);
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/pen.h"

#define VIZ_CHART_ROW 20 /* height of one bar with its gap */

typedef struct
{
  const char *label;
  const char *text;       /* (nullable) the value as text: "1.20 ms · 14 %" */
  double      value;      /* bars: not negative.  Waterfall: the change, or the level of a total */
  double      low, high;  /* the range of repeated measurements; equal: no range is drawn */
  VizCategory category;   /* bars: gives the colour */
  gboolean    is_total;   /* waterfall: starts at 0 */
  gboolean    is_unclear; /* the change is within its noise: grey */
} VizBar;

/* The height of a bar chart. */
double viz_chart_bars_height (guint n_bars);
/* Horizontal bars; the largest value fills the width.  Labels are at the left, texts at the right of
 * the bars.  Values that are not finite count as 0. */
void viz_chart_bars (VizPen         *pen,
                     const VizRect  *rect,
                     const VizTheme *theme,
                     const VizBar   *bars,
                     guint           n_bars);

/* Vertical bars from total to total: decreases are blue, increases orange, changes within the noise
 * grey.  If all changes are small, the axis does not start at 0, which a gap in the totals shows. */
void viz_chart_waterfall (VizPen         *pen,
                          const VizRect  *rect,
                          const VizTheme *theme,
                          const VizBar   *bars,
                          guint           n_bars);

typedef struct
{
  const char   *label;
  const double *y, *low, *high; /* by x; NAN: unknown.  low, high: (nullable) noise */
} VizCurve;

typedef struct
{
  const double *x; /* positive, ascending */
  guint         n_x;
  const char   *x_name;           /* "batch" */
  char *(*format) (double value); /* prints y for its axis (transfer full) */
  gboolean is_logarithmic;        /* the y axis; otherwise it starts at 0 */
  gboolean is_binary;             /* ticks of y are powers of two */
  double   mark;                  /* a value of y that is marked by a line; NAN: none */

  const VizCurve *curves;
  guint           n_curves;
} VizCurveChart;

/* The distance of ticks of a linear axis: 1, 2 or 5 times a power of ten, or for bytes a power of two, of which at
 * most max fit into range.  0: range is not positive, or not finite. */
double viz_chart_step (double range, guint max, gboolean is_binary);

/* A category whose colour distinguishes the index-th curve, or bars of the same things. */
VizCategory viz_chart_hue (guint index);

/* Curves over a logarithmic x axis, named at their right ends. */
void viz_chart_curves (VizPen              *pen,
                       const VizRect       *rect,
                       const VizTheme      *theme,
                       const VizCurveChart *chart);
