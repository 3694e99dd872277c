/* scene-titles.c — finds how much room the title of an open group has beside the wires and ports of the group.
 *
 * The layout keeps a title apart from them at its natural size; when the picture is drawn smaller, the title is
 * enlarged to stay legible, as far as there is room.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-titles.h"

#define BAND_HEIGHT 24 /* below the upper side of the group */
#define TITLE_GAP   6  /* between a title and a wire */
#define CHORDS      8

/* The least x of a curve inside the band, or limit if that is less.  bottom: the lower side of the band. */
static double
limit_by_curve (const VizScene *scene, const VizPoint *curve, double bottom, double limit)
{
  VizPoint points[4];
  gboolean may_meet = FALSE;

  for (guint i = 0; i < 4; i++)
    {
      points[i] = viz_scene_turn (scene, curve[i]);
      may_meet |= points[i].y < bottom && points[i].x < limit;
    }
  for (guint c = 0; may_meet && c <= CHORDS; c++)
    {
      VizPoint at = viz_curve_point (points, (double) c / CHORDS);

      if (at.y < bottom)
        limit = MIN (limit, at.x);
    }
  return limit;
}

/* The least x of a port, or limit if that is less. */
static double
limit_by_ports (const VizScene *scene, const VizBody *body, double bottom, double limit)
{
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      VizPoint at = viz_scene_turn (scene, body->at[i]);

      if (body->nodes[i].kind == VIZ_NODE_IN && at.y < bottom)
        limit = MIN (limit, at.x);
    }
  return limit;
}

double
viz_scene_title_room (const VizScene *scene, guint32 number)
{
  const VizSceneItem *item = viz_scene_item (scene, number);
  const VizBody      *body = viz_scene_body (scene, item->body)->body;
  VizPoint            content = viz_scene_content (item);
  double              bottom = BAND_HEIGHT - content.y;
  double              limit = item->width - content.x;

  limit = limit_by_ports (scene, body, bottom, limit);
  for (guint32 e = 0; e < body->n_edges; e++)
    for (guint32 i = body->first_point[e]; i + 3 < body->first_point[e + 1]; i += 3)
      limit = limit_by_curve (scene, &g_array_index (body->points, VizPoint, i), bottom, limit);
  return limit + content.x - VIZ_TITLE_LEFT - TITLE_GAP;
}
