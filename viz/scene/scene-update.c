/* scene-update.c — copies hints from the previous picture into the bodies.
 *
 * All bodies get the order of boxes that were there (hints).  A group with the same boxes as before
 * also gets its places and routes, so that a layout can change it as little as possible.
 * Start reading at viz_scene_match_previous() and viz_scene_fill_previous().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-update.h"

/* After more groups were opened or closed, making room for each would leave many holes. */
#define MAX_CHANGES 8
/* Points between the columns of a wrapped group, one below the other. */
#define APART 100

/* A node and its previous x. */
typedef struct
{
  double  x;
  guint32 node;
} PreviousNode;

static int
compare_previous (gconstpointer a, gconstpointer b)
{
  const PreviousNode *left = a, *right = b;

  if (left->x != right->x)
    return left->x < right->x ? -1 : 1;
  return left->node < right->node ? -1 : 1;
}

/* The item that showed the same box in the previous picture; NULL if the box was hidden in a closed
 * group. */
static const VizItem *
previous_item (const VizScene *scene, guint32 number)
{
  const VizSceneItem *item = viz_scene_item (scene, number);
  guint32             found = viz_picture_find_box (scene->previous, item->box);
  const VizItem      *placed;

  if (item->state == VIZ_ITEM_STEPS || found == VIZ_NO_ITEM)
    return NULL;
  placed = viz_picture_item (scene->previous, found);
  return placed->box == item->box && placed->state != VIZ_ITEM_STEPS ? placed : NULL;
}

gboolean
viz_scene_can_update (const VizScene *scene)
{
  guint n_changed = 0;

  for (guint32 i = 1; i < scene->items->len; i++)
    {
      const VizItem *placed = previous_item (scene, i);
      gboolean       is_open = viz_scene_item (scene, i)->state == VIZ_ITEM_OPEN;

      n_changed += placed && (placed->state == VIZ_ITEM_OPEN) != is_open;
    }
  return n_changed <= MAX_CHANGES;
}

/* The previous item that showed the same range of steps in the same layer, or NULL. */
static const VizItem *
previous_steps (const VizScene *scene, const VizSceneItem *item, guint32 group)
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

/* The previous item of an item, if it was directly inside group (an item of the previous picture). */
static const VizItem *
previous_in_group (const VizScene *scene, guint32 number, guint32 group)
{
  const VizSceneItem *item = viz_scene_item (scene, number);
  const VizItem      *placed = item->state == VIZ_ITEM_STEPS ? previous_steps (scene, item, group)
                                                             : previous_item (scene, number);

  return placed && placed->parent == group ? placed : NULL;
}

/* Sets the hints of a body: the order, by x, in which its boxes were in the previous picture. */
static void
add_hints (const VizScene *scene, VizSceneBody *body)
{
  g_autoptr (GArray) known = g_array_new (FALSE, FALSE, sizeof (PreviousNode));

  for (guint32 i = 0; i < body->nodes->len; i++)
    {
      guint32        item = g_array_index (body->node_sources, VizNodeSource, i).item;
      const VizItem *placed = item != VIZ_NO_ITEM ? previous_item (scene, item) : NULL;
      PreviousNode   previous = { 0, i };

      if (!placed)
        continue;
      previous.x = placed->x + placed->width / 2;
      g_array_append_val (known, previous);
    }
  g_array_sort (known, compare_previous);
  for (guint i = 0; i < known->len; i++)
    g_array_index (body->nodes, VizBodyNode, g_array_index (known, PreviousNode, i).node).hint =
        (gint32) i;
}

/* The item of the same group in the previous picture, if it was open and had the same boxes; else
 * VIZ_NO_ITEM. */
static guint32
find_previous_group (const VizScene *scene, const VizSceneBody *body)
{
  guint32 box = viz_scene_item (scene, body->item)->box;
  guint32 group = viz_picture_find_box (scene->previous, box);

  if (group == VIZ_NO_ITEM || viz_picture_item (scene->previous, group)->box != box ||
      viz_picture_item (scene->previous, group)->state != VIZ_ITEM_OPEN)
    return VIZ_NO_ITEM;
  for (guint32 i = 0; i < body->node_sources->len; i++)
    {
      guint32 item = g_array_index (body->node_sources, VizNodeSource, i).item;

      if (item != VIZ_NO_ITEM && !previous_in_group (scene, item, group))
        return VIZ_NO_ITEM;
    }
  return group;
}

/* --- WireIndex --- */

static gpointer
pair_key (guint32 tail, guint32 head)
{
  return GSIZE_TO_POINTER (((gsize) tail << 32 | head) + 1);
}

/* Hashes all 64 bits of the key; g_direct_hash() drops the upper half. */
static guint
pair_hash (gconstpointer key)
{
  gsize value = GPOINTER_TO_SIZE (key);

  return (guint) (value ^ (value >> 32) * 2654435761u);
}

/* WireIndex of the previous picture by their ends. */
typedef struct
{
  GHashTable *by_arrow; /* arrow to wire + 1 */
  GHashTable *by_ends;  /* pair of items to wire + 1 */
} WireIndex;

static void
index_wires (const VizPicture *picture, WireIndex *wires)
{
  wires->by_arrow = g_hash_table_new (NULL, NULL);
  wires->by_ends = g_hash_table_new (pair_hash, NULL);
  for (guint32 i = viz_picture_n_wires (picture); i-- > 0;)
    {
      const VizWire *wire = viz_picture_wire (picture, i);

      if (wire->n_points == 0 || wire->is_stub || wire->kind == VIZ_ARROW_FEEDBACK)
        continue;
      g_hash_table_insert (wires->by_arrow, GUINT_TO_POINTER (wire->arrow),
                           GUINT_TO_POINTER (i + 1));
      g_hash_table_insert (wires->by_ends, pair_key (wire->tail, wire->head),
                           GUINT_TO_POINTER (i + 1));
    }
}

/* The previous wire of a wire + 1, or 0: the one of its arrow, or the bundle between the items that
 * showed its ends. */
static guint32
previous_wire (const VizScene *scene, const WireIndex *wires, const VizSceneWire *wire)
{
  const VizArrow *arrow = viz_diagram_arrow (scene->diagram, wire->arrow);
  guint32         tail = viz_picture_find_box (scene->previous, arrow->tail);
  guint32         head = viz_picture_find_box (scene->previous, arrow->head);
  gpointer        found = g_hash_table_lookup (wires->by_arrow, GUINT_TO_POINTER (wire->arrow));

  if (!found)
    found = g_hash_table_lookup (wires->by_ends, pair_key (tail, head));
  return GPOINTER_TO_UINT (found);
}

/* Sets previous_wires of all bodies. */
static void
match_wires (VizScene *scene, const WireIndex *wires)
{
  for (guint32 i = 0; i < scene->wires->len; i++)
    {
      const VizSceneWire *wire = &g_array_index (scene->wires, VizSceneWire, i);
      guint32             found = wire->n_pieces > 0 ? previous_wire (scene, wires, wire) : 0;

      for (guint32 k = 0; found > 0 && k < wire->n_pieces; k++)
        {
          const VizScenePiece *piece =
              &g_array_index (scene->pieces, VizScenePiece, wire->first_piece + k);
          VizSceneBody *body = viz_scene_body (scene, piece->body);

          if (body->previous_group == VIZ_NO_ITEM)
            continue;
          if (!body->previous_wires)
            body->previous_wires = g_new0 (guint32, MAX (body->edges->len, 1));
          if (body->previous_wires[piece->edge] == 0)
            body->previous_wires[piece->edge] = found;
        }
    }
}

void
viz_scene_match_previous (VizScene *scene)
{
  gboolean  any = FALSE;
  WireIndex wires;

  for (guint32 i = 0; i < scene->bodies->len; i++)
    {
      VizSceneBody *body = viz_scene_body (scene, i);

      add_hints (scene, body);
      body->previous_group = find_previous_group (scene, body);
      any |= body->previous_group != VIZ_NO_ITEM;
    }
  if (!any)
    return;
  index_wires (scene->previous, &wires);
  match_wires (scene, &wires);
  g_hash_table_unref (wires.by_arrow);
  g_hash_table_unref (wires.by_ends);
}

/* --- Places --- */

/* How the previous picture of a group becomes rows again: every column of a wrapped group is moved
 * below the one before it. */
typedef struct
{
  VizPoint                origin;  /* of the content */
  const VizPictureColumn *columns; /* n_columns, in the coordinates of the picture */
  guint32                 n_columns;
  double                  step; /* how far each column is moved below the one before it */
} Unroll;

/* Moves a point of the previous picture.  FALSE if it lies between two columns. */
static gboolean
unroll (const Unroll *unroll, double width, VizPoint *point)
{
  guint32 c = 0;

  while (c + 1 < unroll->n_columns && point->x + width / 2 > unroll->columns[c + 1].left - 0.5)
    c++;
  if (c + 1 < unroll->n_columns && point->x + width / 2 > unroll->columns[c].right + 0.5)
    return FALSE;
  point->x -= unroll->origin.x;
  point->y += c * unroll->step - unroll->origin.y;
  return TRUE;
}

static void
copy_nodes (const VizScene *scene, VizSceneBody *body, const Unroll *places)
{
  g_autoptr (GHashTable) plugs = g_hash_table_new (NULL, NULL);

  for (guint32 i = 0; i < viz_picture_n_plugs (scene->previous); i++)
    if (viz_picture_plug (scene->previous, i)->item == body->previous_group)
      g_hash_table_insert (plugs, GUINT_TO_POINTER (viz_picture_plug (scene->previous, i)->port),
                           GUINT_TO_POINTER (i + 1));
  for (guint32 i = 0; i < body->node_sources->len; i++)
    {
      const VizNodeSource *source = &g_array_index (body->node_sources, VizNodeSource, i);
      VizRect             *rect = &body->body->previous->nodes[i];
      gpointer             plug = g_hash_table_lookup (plugs, GUINT_TO_POINTER (source->port));
      VizPoint             at;

      if (source->item != VIZ_NO_ITEM)
        {
          const VizItem *placed = previous_in_group (scene, source->item, body->previous_group);

          *rect = (VizRect){ placed->x, placed->y, placed->width, placed->stack };
        }
      else if (source->port != VIZ_NO_PORT && plug)
        {
          const VizPlug *placed = viz_picture_plug (scene->previous, GPOINTER_TO_UINT (plug) - 1);

          *rect = (VizRect){ placed->x, placed->y, placed->width, placed->height };
        }
      else
        continue;
      at = (VizPoint){ rect->x, rect->y };
      unroll (places, rect->width, &at);
      rect->x = at.x;
      rect->y = at.y;
    }
}

/* Continues a route that starts at the point number first with a straight line. */
static void
append_line (GArray *points, guint32 first, VizPoint to)
{
  if (points->len > first)
    {
      VizPoint from = g_array_index (points, VizPoint, points->len - 1);
      VizPoint between[2] = { { (2 * from.x + to.x) / 3, (2 * from.y + to.y) / 3 },
                              { (from.x + 2 * to.x) / 3, (from.y + 2 * to.y) / 3 } };

      g_array_append_vals (points, between, 2);
    }
  g_array_append_val (points, to);
}

static void
copy_routes (const VizScene *scene, VizSceneBody *body, const Unroll *places)
{
  VizBodyPrevious *previous = body->body->previous;

  for (guint32 e = 0; e < body->body->n_edges; e++)
    {
      guint32 found = body->previous_wires ? body->previous_wires[e] : 0;

      if (found > 0)
        {
          const VizWire  *wire = viz_picture_wire (scene->previous, found - 1);
          const VizPoint *points = viz_picture_points (scene->previous, found - 1);

          for (guint32 i = 0; i < wire->n_points; i++)
            {
              VizPoint point = points[i];

              /* Whole curves only: 3k + 1 points. */
              if (i % 3 == 0 && unroll (places, 0, &point))
                append_line (previous->points, previous->first_point[e], point);
            }
        }
      previous->first_point[e + 1] = previous->points->len;
    }
}

void
viz_scene_fill_previous (const VizScene *scene, VizSceneBody *body)
{
  const VizSceneItem *item = viz_scene_item (scene, body->item);
  const VizItem      *group;
  VizPoint            content = viz_scene_content (item), pad;
  Unroll              places;

  if (body->previous_group == VIZ_NO_ITEM)
    return;
  group = viz_picture_item (scene->previous, body->previous_group);
  pad = viz_scene_padding (item);
  places.origin = (VizPoint){ group->x + content.x, group->y + content.y };
  places.columns = viz_picture_columns (scene->previous, body->previous_group, &places.n_columns);
  places.step = places.n_columns > 1 ? group->height + APART : 0;
  viz_body_add_previous (body->body, group->width - pad.x,
                         group->height - pad.y +
                             places.step * (places.n_columns > 1 ? places.n_columns - 1 : 0));
  body->body->previous->n_columns = places.n_columns;
  body->body->previous->step = places.step;
  copy_nodes (scene, body, &places);
  copy_routes (scene, body, &places);
}
