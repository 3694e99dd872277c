/* legend.c — draws the legend of an overlay: title, colour ramp with its bounds, note.
 *
 * viz_legend_size() and viz_legend_draw() must agree on the height of the lines.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/legend.h"

#include "viz/paint/painter.h"

#include <math.h>

#define RAMP_WIDTH    220
#define RAMP_HEIGHT   10
#define N_STEPS       44
#define TITLE_LINE    18
#define BOUNDS_LINE   14
#define NOTE_LINE     14
#define NO_VALUE_ROOM 70
#define BADGE_SIDE    9
#define BADGE_ROOM    14 /* before the text about badges */

void
viz_legend_size (const VizOverlay *overlay, const char *font, double *width, double *height)
{
  VizMeasure *measure = viz_measure_get (font);
  const char *title = viz_overlay_title (overlay), *note = viz_overlay_note (overlay);
  const char *badges = viz_overlay_badges_note (overlay, NULL);

  *width = RAMP_WIDTH + NO_VALUE_ROOM;
  *height = TITLE_LINE + RAMP_HEIGHT + BOUNDS_LINE;
  if (title)
    *width = MAX (*width, viz_measure_width (measure, VIZ_TEXT_GROUP, title));
  if (note)
    {
      *width = MAX (*width, viz_measure_width (measure, VIZ_TEXT_EDGE, note));
      *height += NOTE_LINE;
    }
  if (badges)
    {
      *width = MAX (*width, BADGE_ROOM + viz_measure_width (measure, VIZ_TEXT_EDGE, badges));
      *height += NOTE_LINE;
    }
  *width = ceil (*width);
}

static void
draw_ramp (const VizOverlay *overlay, const VizTheme *theme, VizPen *pen, double x, double y)
{
  double   step = (double) RAMP_WIDTH / N_STEPS;
  VizRect  frame = { x, y, RAMP_WIDTH, RAMP_HEIGHT };
  VizStyle border = { .stroke = &theme->box_border, .width = 1 };

  for (guint i = 0; i < N_STEPS; i++)
    {
      double    level = i / (N_STEPS - 1.0);
      VizColour colour = viz_overlay_scale (overlay) == VIZ_SCALE_DIFFERENCE
                             ? viz_theme_difference (theme, 2 * level - 1)
                             : viz_theme_heat (theme, level);
      VizRect   rect = { x + i * step, y, step, RAMP_HEIGHT };

      pen->rects (pen, &rect, 1, &colour);
    }
  pen->rect (pen, &frame, 0, &border);
}

/* y: the base line of the text. */
static void
draw_badges (const VizOverlay *overlay, const VizTheme *theme, VizPen *pen, double x, double y)
{
  const char *badges = viz_overlay_badges_note (overlay, NULL);

  if (!badges)
    return;
  viz_badge_draw (pen, x + BADGE_SIDE, y, BADGE_SIDE, &theme->text);
  viz_pen_write (pen,
                 (VizTextAt){ .style = VIZ_TEXT_EDGE,
                              .x = x + BADGE_ROOM,
                              .y = y,
                              .colour = theme->text_faint },
                 badges);
}

void
viz_legend_draw (const VizOverlay *overlay, const VizTheme *theme, VizPen *pen, double x, double y)
{
  static const char *const scales[] = { " (logarithmic)", "", " (by rank)", "" };
  double                   low, high, ramp = y + TITLE_LINE;
  g_autofree char         *title = NULL, *left = NULL, *right = NULL;
  VizColour                faded = viz_colour_mix (&theme->box, &theme->background, 0.6);
  VizRect                  swatch = { x + RAMP_WIDTH + 14, ramp, 12, RAMP_HEIGHT };
  VizStyle                 style = { .fill = &faded, .stroke = &theme->box_border, .width = 1 };

  viz_overlay_ends (overlay, &low, &high);
  title = g_strconcat (viz_overlay_title (overlay) ? viz_overlay_title (overlay) : "",
                       scales[viz_overlay_scale (overlay)], NULL);
  left = viz_overlay_format (overlay, low);
  right = viz_overlay_format (overlay, high);
  viz_pen_write (pen,
                 (VizTextAt){ .style = VIZ_TEXT_GROUP, .x = x, .y = y + 11, .colour = theme->text },
                 title);
  draw_ramp (overlay, theme, pen, x, ramp);
  pen->rect (pen, &swatch, 2, &style);
  y = ramp + RAMP_HEIGHT + 11;
  viz_pen_write (pen,
                 (VizTextAt){ .style = VIZ_TEXT_EDGE, .x = x, .y = y, .colour = theme->text_faint },
                 left);
  viz_pen_write (pen,
                 (VizTextAt){ .style = VIZ_TEXT_EDGE,
                              .x = x + RAMP_WIDTH,
                              .y = y,
                              .align = 1,
                              .colour = theme->text_faint },
                 right);
  viz_pen_write (pen,
                 (VizTextAt){ .style = VIZ_TEXT_EDGE,
                              .x = swatch.x + 16,
                              .y = ramp + 8.5,
                              .colour = theme->text_faint },
                 "no value");
  if (viz_overlay_note (overlay))
    {
      y += NOTE_LINE;
      viz_pen_write (pen,
                     (VizTextAt){
                         .style = VIZ_TEXT_EDGE, .x = x, .y = y, .colour = theme->text_faint },
                     viz_overlay_note (overlay));
    }
  draw_badges (overlay, theme, pen, x, y + NOTE_LINE);
}
