/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chart.c — bars, waterfall, heat strip. */
#include "viz/chart.h"

#include <math.h>

#define BAR_HEIGHT  13
#define LABEL_SHARE 0.36
#define CHARACTER   0.6 /* of the font's size: enough for any text in Latin */
#define AXIS_LABEL  16
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
      if (bars[i].text != NULL)
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
      if (bars[i].text != NULL)
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
  double top; /* of the range, too: in pixels only */
} Level;

static Level
advance (double *level, const VizBar *bar)
{
  Level step = { bar->is_total ? 0 : *level, 0 };

  *level = bar->is_total ? finite_or_zero (bar->value) : *level + finite_or_zero (bar->value);
  step.to = *level;
  return step;
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

static void
draw_step (VizPen         *pen,
           const VizRect  *column,
           const VizTheme *theme,
           const VizBar   *bar,
           const Level    *y)
{
  double   width = column->width * 0.66;
  VizRect  rect = { column->x + (column->width - width) / 2,
                    MIN (y->from, y->to),
                    width,
                    MAX (fabs (y->to - y->from), 1) };
  VizStyle style = { .fill = waterfall_colour (theme, bar) };
  double   middle = column->x + column->width / 2;

  pen->rect (pen, &rect, 2, &style);
  if (bar->text != NULL)
    write_short (pen,
                 middle,
                 MIN (rect.y, y->top) - 4,
                 0.5,
                 column->width,
                 &theme->text,
                 bar->text);
  write_short (pen,
               middle,
               column->y + column->height - 4,
               0.5,
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
  double low = 0, high = 0, level = 0, unit, ground, each = rect->width / MAX (n_bars, 1);
  double room = MAX (rect->height - 2 * AXIS_LABEL, 10);

  for (guint i = 0; i < n_bars; i++)
    {
      Level step = advance (&level, &bars[i]);

      low = MIN (low, MIN (step.from, step.to));
      high = MAX (high, MAX (MAX (step.from, step.to), finite_or_zero (bars[i].high)));
    }
  unit = high > low ? room / (high - low) : 0;
  ground = rect->y + AXIS_LABEL + high * unit;
  level = 0;
  for (guint i = 0; i < n_bars; i++)
    {
      VizRect column = { rect->x + i * each, rect->y, each, rect->height };
      Level   step = advance (&level, &bars[i]);
      double  y = ground - step.to * unit;
      VizRect tie = { column.x + each * 0.83, y - 0.5, each * 0.34, 1 };

      Level pixels = { ground - step.from * unit, y, y };

      if (bars[i].high > bars[i].low)
        pixels.top = ground - finite_or_zero (bars[i].high) * unit;
      draw_step (pen, &column, theme, &bars[i], &pixels);
      if (i + 1 < n_bars)
        pen->rects (pen, &tie, 1, &theme->box_border);
      if (bars[i].high > bars[i].low)
        draw_range (pen,
                    theme,
                    (VizPoint){ column.x + each / 2, ground - finite_or_zero (bars[i].low) * unit },
                    (VizPoint){ column.x + each / 2,
                                ground - finite_or_zero (bars[i].high) * unit });
    }
  pen->rects (pen, &(VizRect){ rect->x, ground - 0.5, rect->width, 1 }, 1, &theme->text_faint);
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
