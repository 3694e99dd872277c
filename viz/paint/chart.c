/* chart.c — bars, waterfall, heat strip.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/chart.h"

#include <math.h>
#include <string.h>

#define BAR_HEIGHT  13
#define LABEL_SHARE 0.36
#define CHARACTER   0.6 /* of the font's size: enough for any text in Latin */
#define AXIS_LABEL  16
#define LINE        10 /* between two lines of a label */
#define STRIP_LABEL 13

static double
finite_or_zero (double value)
{
  return isfinite (value) ? value : 0;
}

static void
write_in (VizPen          *pen,
          VizTextStyle     style,
          double           x,
          double           y,
          double           align,
          const VizColour *colour,
          const char      *text)
{
  VizTextAt at = { style, viz_text_size (style), x, y, align, *colour };

  pen->text (pen, &at, text);
}

/* Cut to the room there is. */
static void
write_short (VizPen          *pen,
             double           x,
             double           y,
             double           align,
             double           room,
             const VizColour *colour,
             const char      *text)
{
  double           size = viz_text_size (VIZ_TEXT_ROW);
  guint            n = (guint) MAX (room / (size * CHARACTER), 5);
  g_autofree char *cut = viz_text_shorten (text, n);

  write_in (pen, VIZ_TEXT_ROW, x, y, align, colour, cut);
}

/* In two lines where one is too short for it and it can be broken. */
static void
write_broken (VizPen          *pen,
              double           x,
              double           y,
              double           room,
              const VizColour *colour,
              const char      *text)
{
  double           size = viz_text_size (VIZ_TEXT_ROW);
  gssize           half = (gssize) strlen (text) / 2;
  const char      *best = NULL; /* where the lower line begins */
  g_autofree char *upper = NULL;

  for (const char *at = text; *at != '\0'; at++)
    if ((*at == ' ' || *at == '-') && at[1] != '\0' &&
        (!best || ABS (at + 1 - text - half) < ABS (best - text - half)))
      best = at + 1;
  if (!best || (double) g_utf8_strlen (text, -1) * size * CHARACTER <= room)
    {
      write_short (pen, x, y, 0.5, room, colour, text);
      return;
    }
  upper = g_strchomp (g_strndup (text, (gsize) (best - text)));
  write_short (pen, x, y, 0.5, room, colour, upper);
  write_short (pen, x, y + LINE, 0.5, room, colour, best);
}

/* A thin line from low to high with ends: what repeats of the measurement gave. */
static void
draw_range (VizPen *pen, const VizTheme *theme, VizPoint from, VizPoint to)
{
  gboolean is_flat = from.y == to.y;
  VizRect  line = { MIN (from.x, to.x) - (is_flat ? 0 : 0.5),
                    MIN (from.y, to.y) - (is_flat ? 0.5 : 0),
                    MAX (fabs (to.x - from.x), 1),
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
        text_room = MAX (text_room,
                         (double) g_utf8_strlen (bars[i].text, -1) * viz_text_size (VIZ_TEXT_ROW) *
                             CHARACTER);
    }
  unit = longest > 0 ? MAX (rect->x + rect->width - left - text_room - 12, 8) / longest : 0;
  for (guint i = 0; i < n_bars; i++)
    {
      double   y = rect->y + i * (double) VIZ_CHART_ROW + (VIZ_CHART_ROW - BAR_HEIGHT) / 2.0;
      double   base = y + BAR_HEIGHT / 2.0 + 3.4, middle = y + BAR_HEIGHT / 2.0;
      double   end = left + MAX (finite_or_zero (bars[i].value), 0) * unit;
      VizRect  bar = { left, y, MAX (end - left, 1), BAR_HEIGHT };
      VizStyle style = { .fill = &theme->category[bars[i].category % VIZ_N_CATEGORIES] };

      write_short (pen,
                   left - 8,
                   base,
                   1,
                   rect->width * LABEL_SHARE - 8,
                   &theme->text,
                   bars[i].label);
      pen->rect (pen, &bar, 2, &style);
      if (bars[i].high > bars[i].low)
        {
          draw_range (pen,
                      theme,
                      (VizPoint){ left + MAX (finite_or_zero (bars[i].low), 0) * unit, middle },
                      (VizPoint){ left + finite_or_zero (bars[i].high) * unit, middle });
          end = MAX (end, left + finite_or_zero (bars[i].high) * unit);
        }
      if (bars[i].text)
        write_in (pen, VIZ_TEXT_ROW, end + 6, base, 0, &theme->text_faint, bars[i].text);
    }
}

guint
viz_chart_bars_at (const VizRect *rect, guint n_bars, double y)
{
  double at = floor ((y - rect->y) / VIZ_CHART_ROW);

  return at >= 0 && at < n_bars ? (guint) at : G_MAXUINT;
}

/* Waterfall */

typedef struct
{
  double from, to;
  double low, high; /* the range around to */
} Level;

/* How values become pixels. */
typedef struct
{
  double ground, bottom, unit; /* bottom: the value at the ground */
} Scale;

/* Changes that are small against what they start from would be hairlines: above this
 * share of it the ground is cut off, and the totals say so. */
#define CUT_ABOVE    0.7
#define RANGE_BEYOND 0.35 /* of the levels' span: no range may flatten the picture further */

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
  double least = 0, most = 0, low = G_MAXDOUBLE, high = 0, span;
  Scale  scale = { 0 };

  for (guint i = 0; i < n_bars; i++)
    {
      Level step = advance (&level, &bars[i]);

      least = MIN (least, MIN (step.from, step.to));
      most = MAX (most, MAX (step.from, step.to));
      low = MIN (low, bars[i].is_total ? step.to : MIN (step.from, step.to));
    }
  span = low > CUT_ABOVE * most && n_bars > 1 ? most - low : most - least;
  high = most;
  level = 0;
  for (guint i = 0; i < n_bars; i++)
    {
      Level step = advance (&level, &bars[i]);

      if (bars[i].high > bars[i].low)
        high = MAX (high, MIN (step.high, most + RANGE_BEYOND * span));
    }
  scale.bottom = span < most - least ? MAX (low - RANGE_BEYOND * span, 0) : least;
  if (scale.bottom > 0 && high <= scale.bottom)
    scale.bottom = 0; /* nothing changes at all */
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

/* A slanting gap near the ground: what is below is not drawn to scale. */
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
draw_step (VizPen         *pen,
           const VizRect  *column,
           const VizTheme *theme,
           const VizBar   *bar,
           const Level    *step,
           const Scale    *scale)
{
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
    write_short (pen, middle, top - 4, 0.5, column->width, &theme->text, bar->text);
  write_broken (pen,
                middle,
                column->y + column->height - LINE - 4,
                column->width,
                &theme->text_faint,
                bar->label);
}

void
viz_chart_waterfall (VizPen         *pen,
                     const VizRect  *rect,
                     const VizTheme *theme,
                     const VizBar   *bars,
                     guint           n_bars)
{
  Scale  scale = find_scale (rect, bars, n_bars);
  double level = 0, each = rect->width / MAX (n_bars, 1);

  for (guint i = 0; i < n_bars; i++)
    {
      VizRect column = { rect->x + i * each, rect->y, each, rect->height };
      Level   step = advance (&level, &bars[i]);
      VizRect tie = { column.x + each * 0.83, scale_y (&scale, step.to) - 0.5, each * 0.34, 1 };

      draw_step (pen, &column, theme, &bars[i], &step, &scale);
      if (i + 1 < n_bars)
        pen->rects (pen, &tie, 1, &theme->box_border);
    }
  pen->rects (pen,
              &(VizRect){ rect->x, scale_y (&scale, MAX (scale.bottom, 0)) - 0.5, rect->width, 1 },
              1,
              &theme->text_faint);
}

guint
viz_chart_waterfall_at (const VizRect *rect, guint n_bars, double x)
{
  double at = n_bars > 0 ? floor ((x - rect->x) / (rect->width / n_bars)) : -1;

  return at >= 0 && at < n_bars ? (guint) at : G_MAXUINT;
}

/* Heat strip */

/* The largest level among the steps that one cell stands for. */
static double
largest (const double *levels, guint from, guint to)
{
  double most = NAN;

  for (guint i = from; i < to; i++)
    if (!isnan (levels[i]) && !(most >= levels[i]))
      most = levels[i];
  return most;
}

void
viz_chart_heat_strip (VizPen         *pen,
                      const VizRect  *rect,
                      const VizTheme *theme,
                      const double   *levels,
                      guint           n_levels)
{
  guint    n_cells = MIN (n_levels, (guint) MAX (rect->width, 1));
  double   height = MAX (rect->height - STRIP_LABEL, 4);
  VizRect  frame = { rect->x, rect->y, rect->width, height };
  VizStyle border = { .stroke = &theme->box_border, .width = 1 };
  char     number[16];

  for (guint i = 0; i < n_cells; i++)
    {
      guint     from = (guint) ((guint64) i * n_levels / n_cells);
      guint     to = (guint) ((guint64) (i + 1) * n_levels / n_cells);
      double    level = largest (levels, from, to);
      VizColour colour = isnan (level) ? theme->input : viz_theme_heat (theme, level);
      VizRect   cell = {
          rect->x + i * rect->width / n_cells, rect->y, rect->width / n_cells, height
      };

      /* A hair wider than it is: no ground shines through between cells. */
      if (i + 1 < n_cells)
        cell.width += 0.3;
      pen->rects (pen, &cell, 1, &colour);
    }
  pen->rect (pen, &frame, 0, &border);
  if (n_levels == 0)
    return;
  write_in (pen, VIZ_TEXT_EDGE, rect->x, rect->y + rect->height - 2, 0, &theme->text_faint, "0");
  g_snprintf (number, sizeof number, "%u", n_levels - 1);
  write_in (pen,
            VIZ_TEXT_EDGE,
            rect->x + rect->width,
            rect->y + rect->height - 2,
            1,
            &theme->text_faint,
            number);
}

guint
viz_chart_heat_strip_at (const VizRect *rect, guint n_levels, double x)
{
  double at = floor ((x - rect->x) / rect->width * n_levels);

  return at >= 0 && at < n_levels ? (guint) at : G_MAXUINT;
}
