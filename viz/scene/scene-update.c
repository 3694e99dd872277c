/* scene-update.c — what the picture before says: the order of boxes, and for groups with
 * the same boxes their places and the ways of the wires between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene.h"

/* Beyond this, room made for each would leave a picture full of holes. */
#define MOST_CHANGES 8

typedef struct
{
  double  x;
  guint32 node;
} Old;

static int
compare_old (gconstpointer a, gconstpointer b)
{
  const Old *left = a, *right = b;

  if (left->x != right->x)
    return left->x < right->x ? -1 : 1;
  return left->node < right->node ? -1 : 1;
}

/* What showed a visible item before; NULL when only something around it was seen. */
static const VizItem *
item_before (const VizScene *scene, guint32 number)
{
  const VizSceneItem *item = viz_scene_item (scene, number);
  guint32             before = viz_picture_find_box (scene->previous, item->box);
  const VizItem      *placed;

  if (item->state == VIZ_ITEM_STEPS || before == VIZ_NO_ITEM)
    return NULL;
  placed = viz_picture_item (scene->previous, before);
  return placed->box == item->box && placed->state != VIZ_ITEM_STEPS ? placed : NULL;
}

gboolean
viz_scene_can_update (const VizScene *scene)
{
  guint n_changed = 0;

  for (guint32 i = 1; i < scene->items->len; i++)
    {
      const VizItem *placed = item_before (scene, i);
      gboolean       is_open = viz_scene_item (scene, i)->state == VIZ_ITEM_OPEN;

      n_changed += placed && (placed->state == VIZ_ITEM_OPEN) != is_open;
    }
  return n_changed <= MOST_CHANGES;
}

/* A run of steps is known by its range. */
static const VizItem *
steps_before (const VizScene *scene, const VizSceneItem *item, guint32 group)
{
  for (guint32 i = group + 1; i < viz_picture_n_items (scene->previous); i++)
    {
      const VizItem *placed = viz_picture_item (scene->previous, i);

      if (placed->parent == group && placed->state == VIZ_ITEM_STEPS &&
          placed->layer == item->layer && placed->first_step == item->first_step &&
          placed->last_step == item->last_step)
        return placed;
    }
  return NULL;
}

static const VizItem *
sibling_before (const VizScene *scene, guint32 number, guint32 group)
{
  const VizSceneItem *item = viz_scene_item (scene, number);
  const VizItem      *placed = item->state == VIZ_ITEM_STEPS ? steps_before (scene, item, group)
                                                             : item_before (scene, number);

  return placed && placed->parent == group ? placed : NULL;
}

static void
add_order (const VizScene *scene, VizSceneBody *body)
{
  g_autoptr (GArray) known = g_array_new (FALSE, FALSE, sizeof (Old));

  for (guint32 i = 0; i < body->nodes->len; i++)
    {
      guint32        item = g_array_index (body->node_sources, VizNodeSource, i).item;
      const VizItem *placed = item != VIZ_NO_ITEM ? item_before (scene, item) : NULL;
      Old            old = { 0, i };

      if (!placed)
        continue;
      old.x = placed->x + placed->width / 2;
      g_array_append_val (known, old);
    }
  g_array_sort (known, compare_old);
  for (guint i = 0; i < known->len; i++)
    g_array_index (body->nodes, VizBodyNode, g_array_index (known, Old, i).node).hint = (gint32) i;
}

/* The same group, open before and now, with the same boxes. */
static guint32
find_before (const VizScene *scene, const VizSceneBody *body)
{
  guint32 box = viz_scene_item (scene, body->item)->box;
  guint32 group = viz_picture_find_box (scene->previous, box);

  if (group == VIZ_NO_ITEM || viz_picture_item (scene->previous, group)->box != box ||
      viz_picture_item (scene->previous, group)->state != VIZ_ITEM_OPEN)
    return VIZ_NO_ITEM;
  for (guint32 i = 0; i < body->node_sources->len; i++)
    {
      guint32 item = g_array_index (body->node_sources, VizNodeSource, i).item;

      if (item != VIZ_NO_ITEM && !sibling_before (scene, item, group))
        return VIZ_NO_ITEM;
    }
  return group;
}

/* Wires */

static gpointer
pair_key (guint32 tail, guint32 head)
{
  return GSIZE_TO_POINTER (((gsize) tail << 32 | head) + 1);
}

/* The whole key, where GLib's hash of a pointer takes only the lower half. */
static guint
pair_hash (gconstpointer key)
{
  gsize value = GPOINTER_TO_SIZE (key);

  return (guint) (value ^ (value >> 32) * 2654435761u);
}

typedef struct
{
  GHashTable *by_arrow; /* arrow to wire + 1 */
  GHashTable *by_ends;  /* items to wire + 1 */
} Wires;

static void
index_wires (const VizPicture *picture, Wires *wires)
{
  wires->by_arrow = g_hash_table_new (NULL, NULL);
  wires->by_ends = g_hash_table_new (pair_hash, NULL);
  for (guint32 i = viz_picture_n_wires (picture); i-- > 0;)
    {
      const VizWire *wire = viz_picture_wire (picture, i);

      if (wire->n_points == 0 || wire->is_stub || wire->kind == VIZ_ARROW_FEEDBACK)
        continue;
      g_hash_table_insert (wires->by_arrow,
                           GUINT_TO_POINTER (wire->arrow),
                           GUINT_TO_POINTER (i + 1));
      g_hash_table_insert (wires->by_ends,
                           pair_key (wire->tail, wire->head),
                           GUINT_TO_POINTER (i + 1));
    }
}

/* The wire that carried the same; what was one bundle leads them all. */
static guint32
wire_before (const VizScene *scene, const Wires *wires, const VizSceneWire *wire)
{
  const VizArrow *arrow = viz_diagram_arrow (scene->diagram, wire->arrow);
  guint32         tail = viz_picture_find_box (scene->previous, arrow->tail);
  guint32         head = viz_picture_find_box (scene->previous, arrow->head);
  gpointer        found = g_hash_table_lookup (wires->by_arrow, GUINT_TO_POINTER (wire->arrow));

  if (!found)
    found = g_hash_table_lookup (wires->by_ends, pair_key (tail, head));
  return GPOINTER_TO_UINT (found);
}

static void
note_wires (VizScene *scene, const Wires *wires)
{
  for (guint32 i = 0; i < scene->wires->len; i++)
    {
      const VizSceneWire *wire = &g_array_index (scene->wires, VizSceneWire, i);
      guint32             found = wire->n_pieces > 0 ? wire_before (scene, wires, wire) : 0;

      for (guint32 k = 0; found > 0 && k < wire->n_pieces; k++)
        {
          const VizScenePiece *piece =
              &g_array_index (scene->pieces, VizScenePiece, wire->first_piece + k);
          VizSceneBody *body = viz_scene_body (scene, piece->body);

          if (body->before == VIZ_NO_ITEM)
            continue;
          if (!body->wire_before)
            body->wire_before = g_new0 (guint32, MAX (body->edges->len, 1));
          if (body->wire_before[piece->edge] == 0)
            body->wire_before[piece->edge] = found;
        }
    }
}

void
viz_scene_match_previous (VizScene *scene)
{
  gboolean any = FALSE;
  Wires    wires;

  for (guint32 i = 0; i < scene->bodies->len; i++)
    {
      VizSceneBody *body = viz_scene_body (scene, i);

      add_order (scene, body);
      body->before = find_before (scene, body);
      any |= body->before != VIZ_NO_ITEM;
    }
  if (!any)
    return;
  index_wires (scene->previous, &wires);
  note_wires (scene, &wires);
  g_hash_table_unref (wires.by_arrow);
  g_hash_table_unref (wires.by_ends);
}

/* Places */

static void
remember_nodes (const VizScene *scene, VizSceneBody *body, VizPoint origin)
{
  g_autoptr (GHashTable) plugs = g_hash_table_new (NULL, NULL);

  for (guint32 i = 0; i < viz_picture_n_plugs (scene->previous); i++)
    if (viz_picture_plug (scene->previous, i)->item == body->before)
      g_hash_table_insert (plugs,
                           GUINT_TO_POINTER (viz_picture_plug (scene->previous, i)->port),
                           GUINT_TO_POINTER (i + 1));
  for (guint32 i = 0; i < body->node_sources->len; i++)
    {
      const VizNodeSource *thing = &g_array_index (body->node_sources, VizNodeSource, i);
      VizRect             *rect = &body->body->previous->nodes[i];
      gpointer             plug = g_hash_table_lookup (plugs, GUINT_TO_POINTER (thing->port));

      if (thing->item != VIZ_NO_ITEM)
        {
          const VizItem *placed = sibling_before (scene, thing->item, body->before);

          *rect = (VizRect){ placed->x, placed->y, placed->width, placed->height };
        }
      else if (thing->port != VIZ_NO_PORT && plug)
        {
          const VizPlug *placed = viz_picture_plug (scene->previous, GPOINTER_TO_UINT (plug) - 1);

          *rect = (VizRect){ placed->x, placed->y, placed->width, placed->height };
        }
      rect->x -= origin.x;
      rect->y -= origin.y;
    }
}

static void
remember_ways (const VizScene *scene, VizSceneBody *body, VizPoint origin)
{
  VizBodyPrevious *before = body->body->previous;

  for (guint32 e = 0; e < body->body->n_edges; e++)
    {
      guint32 found = body->wire_before ? body->wire_before[e] : 0;

      if (found > 0)
        {
          const VizWire  *wire = viz_picture_wire (scene->previous, found - 1);
          const VizPoint *points = viz_picture_points (scene->previous, found - 1);

          for (guint32 i = 0; i < wire->n_points; i++)
            {
              VizPoint point = { points[i].x - origin.x, points[i].y - origin.y };

              g_array_append_val (before->points, point);
            }
        }
      before->first_point[e + 1] = before->points->len;
    }
}

void
viz_scene_fill_previous (const VizScene *scene, VizSceneBody *body)
{
  const VizSceneItem *item = viz_scene_item (scene, body->item);
  const VizItem      *group;
  VizPoint            content = viz_scene_content (item), origin, pad;

  if (body->before == VIZ_NO_ITEM)
    return;
  group = viz_picture_item (scene->previous, body->before);
  pad = viz_scene_padding (item);
  viz_body_add_previous (body->body, group->width - pad.x, group->height - pad.y);
  origin = (VizPoint){ group->x + content.x, group->y + content.y };
  remember_nodes (scene, body, origin);
  remember_ways (scene, body, origin);
}
