/* scene-wrap.c — gives the whole picture the shape of the page, by wrapping tall groups into columns.
 *
 * As long as the picture could not be read when the page shows all of it, the open group is wrapped
 * that makes it largest: the root, or a group that makes up most of the height of its parent.
 * Start reading at viz_scene_wrap().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-wrap.h"

#include "viz/diagram/measure.h"
#include "viz/layout/wrap.h"

#include <math.h>

#define READABLE        0.8  /* pixels per point at which all lines of a box can be read */
#define BESIDE_CONTROLS 0.97 /* of a page is left for the picture */
#define FILLED          0.22 /* share of a picture that boxes cover */
#define ENOUGH          0.93 /* pixels per point at which a picture is not wrapped further */
#define GAIN            1.14 /* the least gain of wrapping, and of one column more */
/* A group that makes up less than this share of the height of its parent is left alone. */
#define MAIN_PART  0.4
#define MANY_NODES 3000 /* in groups with more, only two numbers of columns are tried */
#define MAX_GROUPS 6    /* groups that are wrapped */

/* The scale at which a picture fits a page. */
static double
fit (const VizPoint *page, double width, double height)
{
  return MIN (page->x / MAX (width, 1), page->y / MAX (height, 1));
}

gboolean
viz_scene_may_fit (const VizScene *scene, const VizPoint *page)
{
  double area = 0, room = page->x * page->y / (READABLE * READABLE) * FILLED;

  for (guint32 i = 0; i < scene->items->len; i++)
    {
      const VizSceneItem *item = viz_scene_item (scene, i);

      if (item->state != VIZ_ITEM_OPEN)
        area += item->width * item->height;
    }
  return area <= room;
}

gboolean
viz_scene_is_legible (const VizScene *scene, const VizPoint *page)
{
  static const VizTextStyle least[] = {
    [VIZ_DETAIL_FULL] = VIZ_TEXT_ROW,
    [VIZ_DETAIL_BRIEF] = VIZ_TEXT_NAME,
    [VIZ_DETAIL_TITLE] = VIZ_TEXT_TITLE,
  };
  const VizSceneItem *root = viz_scene_item (scene, 0);
  double              scale = MIN (fit (page, root->width, root->height) * BESIDE_CONTROLS, 1);

  g_return_val_if_fail (scene->detail < G_N_ELEMENTS (least), FALSE);

  return viz_text_size (least[scene->detail]) * scale >= VIZ_MIN_TEXT;
}

/* The group to wrap, the number of columns, and the scale at which the picture then fits. */
typedef struct
{
  guint32 body, n_columns;
  double  scale;
} Choice;

static gboolean
is_wrappable (const VizScene *scene, const VizSceneBody *body)
{
  const VizSceneItem *item = viz_scene_item (scene, body->item);

  return viz_diagram_box (scene->diagram, item->box)->kind != VIZ_BOX_STEPS &&
         !item->has_feedback && !body->body->columns && body->body->n_nodes > 2;
}

/* The size of the picture; with flow to the right, width and height are exchanged, as in the bodies. */
static VizPoint
root_size (const VizScene *scene)
{
  const VizSceneItem *root = viz_scene_item (scene, 0);

  return viz_scene_turn (scene, (VizPoint){ root->width, root->height });
}

/* Tries all numbers of columns for one group. */
static void
try_group (const VizScene *scene, const VizPoint *page, guint32 number, Choice *best)
{
  const VizBody *body = viz_scene_body (scene, number)->body;
  VizPoint       whole = root_size (scene);
  double         aspect = whole.y / whole.x * page->x / page->y;
  guint32        first = 2, last = VIZ_MAX_COLUMNS;

  /* Each try walks over the whole body; n columns make a picture about n² times as wide for its height. */
  if (body->n_nodes > MANY_NODES)
    {
      first = (guint32) CLAMP (sqrt (aspect) - 1, 2, VIZ_MAX_COLUMNS - 1);
      last = first + 1;
    }
  for (guint32 n = first; n <= last; n++)
    {
      VizPoint size = viz_body_wrapped_size (body, n);
      double   width, scale;

      if (size.x <= 0)
        continue;
      width = MAX (whole.x, number == 0 ? size.x + 2 * VIZ_PAD_ROOT : size.x);
      scale = fit (page, width, whole.y - body->height + size.y);
      if (scale > best->scale * GAIN && best->scale < ENOUGH)
        *best = (Choice){ number, n, scale };
    }
}

/* The open group that makes up most of the height of a group, or VIZ_NO_BODY. */
static guint32
main_part (const VizScene *scene, guint32 number)
{
  const VizSceneBody *body = viz_scene_body (scene, number);
  double              least = body->body->height * MAIN_PART;
  guint32             found = VIZ_NO_BODY;

  for (guint32 i = 0; i < body->node_sources->len; i++)
    {
      guint32 child = g_array_index (body->node_sources, VizNodeSource, i).item;
      double  height = body->body->nodes[i].height;

      if (child == VIZ_NO_ITEM || viz_scene_item (scene, child)->state != VIZ_ITEM_OPEN ||
          height <= least)
        continue;
      least = height;
      found = viz_scene_item (scene, child)->body;
    }
  return found;
}

guint32
viz_scene_wrap (VizScene *scene, const VizPoint *size)
{
  VizPoint turned = viz_scene_turn (scene, *size), *page = &turned;
  VizPoint whole = root_size (scene);
  Choice   best = { VIZ_NO_BODY, 0, fit (page, whole.x, whole.y) };
  guint    n_wrapped = 0;

  for (guint32 i = 0; i < scene->bodies->len; i++)
    n_wrapped += viz_scene_body (scene, i)->body->columns != NULL;
  if (best.scale >= ENOUGH || whole.x * page->y >= whole.y * page->x || n_wrapped >= MAX_GROUPS)
    return VIZ_NO_BODY;
  for (guint32 number = 0; number != VIZ_NO_BODY; number = main_part (scene, number))
    if (is_wrappable (scene, viz_scene_body (scene, number)))
      try_group (scene, page, number, &best);
  if (best.body != VIZ_NO_BODY)
    viz_body_wrap (viz_scene_body (scene, best.body)->body, best.n_columns);
  return best.body;
}
