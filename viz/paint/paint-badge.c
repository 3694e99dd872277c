/* paint-badge.c — the triangle in the lower right corner of boxes to which an overlay gives a badge.
 *
 * It is as readable as text at any scale, but never higher than a third of its box.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/painter.h"

#define SIDE     11 /* at natural size */
#define MIN_SIDE 6  /* on the screen */
#define INSET    2  /* from the corner */

/* TRUE if one of an item's steps has a badge.  text: (out) of the first one. */
static gboolean
find_badge_of_steps (const VizPainter *painter, const VizItem *item, const char **text)
{
  const VizBox *chain = viz_diagram_box (painter->diagram, item->box);

  for (guint32 i = 0; i < chain->n_children; i++)
    {
      guint32       child = viz_diagram_child (painter->diagram, item->box, i);
      const VizBox *cell = viz_diagram_box (painter->diagram, child);

      if (cell->layer == item->layer && cell->step >= item->first_step &&
          cell->step <= item->last_step &&
          viz_overlay_badge (painter->overlay, child, text) != VIZ_BADGE_NONE)
        return TRUE;
    }
  *text = NULL;
  return FALSE;
}

gboolean
viz_painter_find_badge (const VizPainter *painter, const VizItem *item, const char **text)
{
  VizBadge badge;

  *text = NULL;
  if (!painter->overlay || item->box == VIZ_ROOT)
    return FALSE;
  if (item->state == VIZ_ITEM_STEPS)
    return find_badge_of_steps (painter, item, text);
  badge = viz_overlay_badge (painter->overlay, item->box, text);
  if (badge == VIZ_BADGE_OWN || (badge == VIZ_BADGE_INSIDE && item->state != VIZ_ITEM_OPEN))
    return TRUE;
  *text = NULL;
  return FALSE;
}

void
viz_badge_draw (VizPen *pen, double x, double y, double side, const VizColour *colour)
{
  VizPoint corner[3] = { { x, y - side }, { x, y }, { x - side, y } };
  VizStyle style = { .fill = colour };

  pen->polygon (pen, corner, 3, &style);
}

void
viz_painter_badge (const VizPainter *painter, const VizItem *item, const VizColour *fill)
{
  VizColour   colour = viz_theme_text_on (painter->theme, fill);
  double      side = painter->scale > 0 ? MAX (SIDE, MIN_SIDE / painter->scale) : SIDE;
  const char *text;

  if (viz_painter_find_badge (painter, item, &text))
    viz_badge_draw (painter->pen, item->x + item->width - INSET, item->y + item->height - INSET,
                    MIN (side, item->height / 3), &colour);
}
