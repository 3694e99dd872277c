/* chart.c — bar charts and waterfalls.
 *
 * Text widths are estimated from the number of characters, so that charts need no font metrics.
 * Start reading at viz_chart_bars() and viz_chart_waterfall().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/chart.h"

#include <math.h>
#include <string.h>

#define BAR_HEIGHT  13
#define LABEL_SHARE 0.36
#define CHARACTER   0.6 /* width of a character by font size; enough for Latin text */
#define AXIS_LABEL  16
#define LINE        10 /* between two lines of a label */

static double
finite_or_zero (double value)
{
  return isfinite (value) ? value : 0;
}

/* Writes a text in one line, shortened to about the width room. */
static void
write_short (VizPen *pen, VizTextAt at, double room, const char *text)
{
  double           size = viz_text_size (VIZ_TEXT_ROW);
  guint            n = (guint) MAX (room / (size * CHARACTER), 5);
  g_autofree char *cut = viz_text_shorten (text, n);

  at.style = VIZ_TEXT_ROW;
  viz_pen_write (pen, at, cut);
}

/* Writes a text in two lines if it is wider than room and has a space or hyphen to break at. */
static void
write_broken (VizPen *pen, VizTextAt at, double room, const char *text)
{
  double           size = viz_text_size (VIZ_TEXT_ROW);
  gssize           half = (gssize) strlen (text) / 2;
  const char      *best = NULL; /* where the lower line begins */
  g_autofree char *upper = NULL;

  for (const char *c = text; *c != '\0'; c++)
    if ((*c == ' ' || *c == '-') && c[1] != '\0' &&
        (!best || ABS (c + 1 - text - half) < ABS (best - text - half)))
      best = c + 1;
  if (!best || (double) g_utf8_strlen (text, -1) * size * CHARACTER <= room)
    {
      write_short (pen, at, room, text);
      return;
    }
  upper = g_strchomp (g_strndup (text, (gsize) (best - text)));
  write_short (pen, at, room, upper);
  at.y += LINE;
  write_short (pen, at, room, best);
}

/* Draws the range of repeated measurements: a thin line with short bars at its ends. */
static void
draw_range (VizPen *pen, const VizTheme *theme, VizPoint from, VizPoint to)
{
  gboolean is_flat = from.y == to.y;
  VizRect  line = { MIN (from.x, to.x) - (is_flat ? 0 : 0.5),
                    MIN (from.y, to.y) - (is_flat ? 0.5 : 0), MAX (fabs (to.x - from.x), 1),
                    MAX (fabs (to.y - from.y), 1) };
  VizRect  ends[2] = { { from.x - (is_flat ? 0.5 : 3), from.y - (is_flat ? 3 : 0.5), 1, 6 },
                       { to.x - (is_flat ? 0.5 : 3), to.y - (is_flat ? 3 : 0.5), 1, 6 } };

  if (!is_flat)
    for (guint i = 0; i < 2; i++)
      {
        ends[i].width = 6;
        ends[i].height = 1;
      }
  pen->rects (pen, &line, 1, &theme->text);
  pen->rects (pen, ends, 2, &theme->text);
}

double
viz_chart_bars_height (guint n_bars)
{
  return n_bars * (double) VIZ_CHART_ROW;
}

void
viz_chart_bars (VizPen         *pen,
                const VizRect  *rect,
                const VizTheme *theme,
                const VizBar   *bars,
                guint           n_bars)
{
  double left = rect->x + rect->width * LABEL_SHARE, longest = 0, text_room = 0, unit;

  for (guint i = 0; i < n_bars; i++)
    {
      longest = MAX (longest, MAX (finite_or_zero (bars[i].value), finite_or_zero (bars[i].high)));
      if (bars[i].text)
        text_room = MAX (text_room, (double) g_utf8_strlen (bars[i].text, -1) *
                                        viz_text_size (VIZ_TEXT_ROW) * CHARACTER);
    }
  unit = longest > 0 ? MAX (rect->x + rect->width - left - text_room - 12, 8) / longest : 0;
  for (guint i = 0; i < n_bars; i++)
    {
      double   y = rect->y + i * (double) VIZ_CHART_ROW + (VIZ_CHART_ROW - BAR_HEIGHT) / 2.0;
      double   base = y + BAR_HEIGHT / 2.0 + 3.4, middle = y + BAR_HEIGHT / 2.0;
      double   end = left + MAX (finite_or_zero (bars[i].value), 0) * unit;
      VizRect  bar = { left, y, MAX (end - left, 1), BAR_HEIGHT };
      VizStyle style = { .fill = bars[i].is_unclear
                                     ? &theme->box_border
                                     : &theme->category[bars[i].category % VIZ_N_CATEGORIES] };

      write_short (pen, (VizTextAt){ .x = left - 8, .y = base, .align = 1, .colour = theme->text },
                   rect->width * LABEL_SHARE - 8, bars[i].label);
      pen->rect (pen, &bar, 2, &style);
      if (bars[i].high > bars[i].low)
        {
          draw_range (pen, theme,
                      (VizPoint){ left + MAX (finite_or_zero (bars[i].low), 0) * unit, middle },
                      (VizPoint){ left + finite_or_zero (bars[i].high) * unit, middle });
          end = MAX (end, left + finite_or_zero (bars[i].high) * unit);
        }
      if (bars[i].text)
        viz_pen_write (pen,
                       (VizTextAt){ .style = VIZ_TEXT_ROW,
                                    .x = end + 6,
                                    .y = base,
                                    .colour = theme->text_faint },
                       bars[i].text);
    }
}

/* --- Waterfall --- */

/* The values that one bar spans */
typedef struct
{
  double from, to;
  double low, high; /* the range of to */
} Level;

/* Maps values to y. */
typedef struct
{
  double ground; /* y of the lower end */
  double bottom; /* the value there */
  double unit;   /* points per unit of value */
} Scale;

typedef struct
{
  VizPen         *pen;
  const VizTheme *theme;
  Scale           scale;
} Waterfall;

/* If all levels are above this share of the highest one, changes would be hairlines: the axis then
 * does not start at 0, and totals are drawn with a gap. */
#define CUT_ABOVE 0.7
/* Ranges may extend the axis by at most this share of the span of the levels. */
#define RANGE_BEYOND 0.35

/* The values of the next bar; level is the end of the last one, and is updated. */
static Level
advance (double *level, const VizBar *bar)
{
  double before = bar->is_total ? 0 : *level;
  Level  step = { .from = before };

  *level = before + finite_or_zero (bar->value);
  step.to = *level;
  step.low = before + finite_or_zero (bar->low);
  step.high = before + finite_or_zero (bar->high);
  return step;
}

static double
scale_y (const Scale *scale, double value)
{
  return scale->ground - MAX (value - scale->bottom, 0) * scale->unit;
}

static Scale
find_scale (const VizRect *rect, const VizBar *bars, guint n_bars)
{
  double room = MAX (rect->height - 2 * AXIS_LABEL - LINE, 10), level = 0;
  double min = 0, max = 0; /* of all levels, with 0 */
  double low = G_MAXDOUBLE, high = 0, span;
  Scale  scale = { 0 };

  for (guint i = 0; i < n_bars; i++)
    {
      Level step = advance (&level, &bars[i]);

      min = MIN (min, MIN (step.from, step.to));
      max = MAX (max, MAX (step.from, step.to));
      low = MIN (low, bars[i].is_total ? step.to : MIN (step.from, step.to));
    }
  span = low > CUT_ABOVE * max && n_bars > 1 ? max - low : max - min;
  high = max;
  level = 0;
  for (guint i = 0; i < n_bars; i++)
    {
      Level step = advance (&level, &bars[i]);

      if (bars[i].high > bars[i].low)
        high = MAX (high, MIN (step.high, max + RANGE_BEYOND * span));
    }
  scale.bottom = span < max - min ? MAX (low - RANGE_BEYOND * span, 0) : min;
  if (scale.bottom > 0 && high <= scale.bottom)
    scale.bottom = 0; /* all levels are equal */
  scale.unit = high > scale.bottom ? room / (high - scale.bottom) : 0;
  scale.ground = rect->y + AXIS_LABEL + (high - scale.bottom) * scale.unit;
  return scale;
}

static const VizColour *
waterfall_colour (const VizTheme *theme, const VizBar *bar)
{
  if (bar->is_total)
    return &theme->text_faint;
  if (bar->is_unclear)
    return &theme->box_border;
  return bar->value < 0 ? &theme->difference[0] : &theme->difference[4];
}

/* Draws a slanting gap in a total near its lower end, which shows that the axis does not start at 0. */
static void
draw_cut (VizPen *pen, const VizRect *bar, const VizTheme *theme, double ground)
{
  VizStyle style = { .fill = &theme->background };
  VizPoint gap[4] = { { bar->x - 2, ground - 11 },
                      { bar->x + bar->width + 2, ground - 17 },
                      { bar->x + bar->width + 2, ground - 13 },
                      { bar->x - 2, ground - 7 } };

  pen->polygon (pen, gap, 4, &style);
}

static void
draw_step (const Waterfall *waterfall, const VizRect *column, const VizBar *bar, const Level *step)
{
  VizPen         *pen = waterfall->pen;
  const VizTheme *theme = waterfall->theme;
  const Scale    *scale = &waterfall->scale;

  double   width = column->width * 0.66, middle = column->x + column->width / 2;
  double   from = scale_y (scale, step->from), to = scale_y (scale, step->to);
  double   top = MIN (from, to);
  VizRect  rect = { middle - width / 2, top, width, MAX (fabs (to - from), 1) };
  VizStyle style = { .fill = waterfall_colour (theme, bar) };

  pen->rect (pen, &rect, 2, &style);
  if (bar->is_total && scale->bottom > 0)
    draw_cut (pen, &rect, theme, scale->ground);
  if (bar->high > bar->low)
    {
      double ceiling = column->y + AXIS_LABEL;
      double low = scale_y (scale, step->low), high = MAX (scale_y (scale, step->high), ceiling);

      draw_range (pen, theme, (VizPoint){ middle, low }, (VizPoint){ middle, high });
      top = MIN (top, high);
    }
  if (bar->text)
    write_short (pen, (VizTextAt){ .x = middle, .y = top - 4, .align = 0.5, .colour = theme->text },
                 column->width, bar->text);
  write_broken (pen,
                (VizTextAt){ .x = middle,
                             .y = column->y + column->height - LINE - 4,
                             .align = 0.5,
                             .colour = theme->text_faint },
                column->width, bar->label);
}

void
viz_chart_waterfall (VizPen         *pen,
                     const VizRect  *rect,
                     const VizTheme *theme,
                     const VizBar   *bars,
                     guint           n_bars)
{
  Waterfall    waterfall = { pen, theme, find_scale (rect, bars, n_bars) };
  const Scale *scale = &waterfall.scale;
  double       level = 0, each = rect->width / MAX (n_bars, 1);

  for (guint i = 0; i < n_bars; i++)
    {
      VizRect column = { rect->x + i * each, rect->y, each, rect->height };
      Level   step = advance (&level, &bars[i]);
      VizRect tie = { column.x + each * 0.83, scale_y (scale, step.to) - 0.5, each * 0.34, 1 };

      draw_step (&waterfall, &column, &bars[i], &step);
      if (i + 1 < n_bars)
        pen->rects (pen, &tie, 1, &theme->box_border);
    }
  pen->rects (pen,
              &(VizRect){ rect->x, scale_y (scale, MAX (scale->bottom, 0)) - 0.5, rect->width, 1 },
              1, &theme->text_faint);
}

double
viz_chart_step (double range, guint max, gboolean is_binary)
{
  double least = range / MAX (max, 1u), power;

  if (!(range > 0) || !isfinite (range))
    return 0;
  if (is_binary)
    return exp2 (ceil (log2 (least)));
  power = pow (10, floor (log10 (least)));
  return least <= power       ? power
         : least <= 2 * power ? 2 * power
         : least <= 5 * power ? 5 * power
                              : 10 * power;
}
