/* scene-strips.c — draws activations and norms as strips on the layers that they belong to.
 *
 * A chain such as convolution, batch norm, ReLU becomes one stack: the boxes keep their meaning, but need no
 * room and no wires between them.  Start reading at viz_scene_find_strips().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-strips.h"

#define MAX_STRIPS 4 /* on one box */

/* Whether an item is a box that stands alone: an operator, shown itself, outside of a chain of steps. */
static gboolean
is_single (const VizScene *scene, guint32 item)
{
  const VizSceneItem *placed = viz_scene_item (scene, item);
  const VizBox       *box = viz_diagram_box (scene->diagram, placed->box);

  return placed->state == VIZ_ITEM_LEAF && box->kind == VIZ_BOX_OPERATOR && box->step < 0 &&
         (box->flags & (VIZ_BOX_PROBLEM | VIZ_BOX_UNKNOWN | VIZ_BOX_HEADER)) == 0;
}

/* The only visible arrow that enters a box, or VIZ_NO_ARROW. */
static guint32
only_arrow (const VizScene *scene, guint32 box)
{
  guint32        n_arrows, found = VIZ_NO_ARROW;
  const guint32 *arrows = viz_diagram_incoming (scene->diagram, box, &n_arrows);

  for (guint32 i = 0; i < n_arrows; i++)
    {
      if (scene->item_of[viz_diagram_arrow (scene->diagram, arrows[i])->tail] == VIZ_NO_ITEM)
        continue;
      if (found != VIZ_NO_ARROW)
        return VIZ_NO_ARROW;
      found = arrows[i];
    }
  return found;
}

/* The item on which an item can be a strip, or VIZ_NO_ITEM. */
static guint32
find_host (const VizScene *scene, guint32 item)
{
  guint32         number = viz_scene_item (scene, item)->box, tail, n_users;
  const VizBox   *box = viz_diagram_box (scene->diagram, number);
  const VizArrow *arrow;

  if ((box->category != VIZ_CATEGORY_NORMALISATION && box->category != VIZ_CATEGORY_ELEMENTWISE) ||
      !is_single (scene, item) || only_arrow (scene, number) == VIZ_NO_ARROW)
    return VIZ_NO_ITEM;
  arrow = viz_diagram_arrow (scene->diagram, only_arrow (scene, number));
  tail = scene->item_of[arrow->tail];
  viz_diagram_outgoing (scene->diagram, arrow->tail, &n_users);
  if (n_users != 1 || arrow->kind != VIZ_ARROW_NORMAL || tail >= item ||
      viz_scene_item (scene, tail)->box != arrow->tail || !is_single (scene, tail) ||
      viz_scene_item (scene, tail)->parent != viz_scene_item (scene, item)->parent ||
      g_strcmp0 (viz_diagram_box (scene->diagram, arrow->tail)->shape, box->shape) != 0)
    return VIZ_NO_ITEM;
  return viz_scene_host (scene, tail);
}

void
viz_scene_find_strips (VizScene *scene)
{
  g_autofree guint8 *n_strips = g_new0 (guint8, scene->items->len);

  for (guint32 i = 1; i < scene->items->len; i++)
    {
      guint32 host = find_host (scene, i);

      if (host == VIZ_NO_ITEM || n_strips[host] >= MAX_STRIPS)
        continue;
      viz_scene_item (scene, i)->host = host;
      n_strips[host]++;
    }
}

void
viz_scene_stack_strips (VizScene *scene)
{
  for (guint32 i = 0; i < scene->items->len; i++)
    viz_scene_item (scene, i)->stack = viz_scene_item (scene, i)->height;
  for (guint32 i = 0; i < scene->items->len; i++)
    {
      VizSceneItem *item = viz_scene_item (scene, i), *host;

      if (item->host == VIZ_NO_ITEM)
        continue;
      host = viz_scene_item (scene, item->host);
      host->width = MAX (host->width, item->width);
      item->below = host->stack;
      host->stack += item->height;
    }
  for (guint32 i = 0; i < scene->items->len; i++)
    if (viz_scene_item (scene, i)->host != VIZ_NO_ITEM)
      viz_scene_item (scene, i)->width =
          viz_scene_item (scene, viz_scene_item (scene, i)->host)->width;
}
