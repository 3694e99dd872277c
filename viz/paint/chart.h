/* chart.h — small charts in the same hand as the pictures: bars, waterfall, heat strip, curves.
 *
 * They draw with a pen, so that window, PNG and SVG reports look alike:
 *
 *   VizPen *pen = viz_pen_new_cairo (cr, NULL);
 *   viz_chart_bars (pen, &rect, theme, bars, n_bars);
 *   viz_pen_free (pen);
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/pen.h"

G_BEGIN_DECLS

#define VIZ_CHART_ROW 20 /* height of one bar with its gap */

typedef struct
{
  const char *label;
  const char *text;      /* (nullable) the value in words: "1.20 ms · 14 %" */
  double      value;     /* bars: not negative.  Waterfall: the change; total: the level */
  double      low, high; /* what the value may well be; equal: not said */
  VizCategory category;
  gboolean    is_total;   /* waterfall: stands on the ground */
  gboolean    is_unclear; /* waterfall: the change is within its noise */
} VizBar;

/* Horizontal bars, longest = widest; labels at the left, values right of the bars. */
double viz_chart_bars_height (guint n_bars);
void   viz_chart_bars (VizPen         *pen,
                       const VizRect  *rect,
                       const VizTheme *theme,
                       const VizBar   *bars,
                       guint           n_bars);
/* The bar at y, or G_MAXUINT. */
guint viz_chart_bars_at (const VizRect *rect, guint n_bars, double y);

/* From total to total: less is blue, more is orange, within the noise grey.  Where all
 * changes are small the ground is cut off, and a gap in the totals shows it. */
void  viz_chart_waterfall (VizPen         *pen,
                           const VizRect  *rect,
                           const VizTheme *theme,
                           const VizBar   *bars,
                           guint           n_bars);
guint viz_chart_waterfall_at (const VizRect *rect, guint n_bars, double x);

/* One cell a step, NAN: no value.  Many steps share a pixel: the largest is shown, so that no
 * spike is lost.  Under it the first and last step. */
void  viz_chart_heat_strip (VizPen         *pen,
                            const VizRect  *rect,
                            const VizTheme *theme,
                            const double   *levels, /* 0 … 1 */
                            guint           n_levels);
guint viz_chart_heat_strip_at (const VizRect *rect, guint n_levels, double x);

typedef struct
{
  const char   *label;
  const double *y, *low, *high; /* by x; NAN: not known.  low, high (nullable): noise */
} VizCurve;

typedef struct
{
  const double *x; /* positive, ascending */
  guint         n_x;
  const char   *x_name;           /* "batch" */
  char *(*format) (double value); /* of y, for its axis.  (transfer full) */
  gboolean is_logarithmic;        /* y; else it starts at 0 */
  gboolean is_binary;             /* ticks of y at powers of two */
  double   mark;                  /* a level of y that is drawn as a line; NAN: none */
} VizCurveAxes;

/* What tells node_sources apart that have no category: curves, and bars of the same node_sources. */
VizCategory viz_chart_hue (guint index);
/* One line a curve, named at its right end; x is logarithmic. */
void viz_chart_curves (VizPen             *pen,
                       const VizRect      *rect,
                       const VizTheme     *theme,
                       const VizCurveAxes *axes,
                       const VizCurve     *curves,
                       guint               n_curves);

G_END_DECLS
