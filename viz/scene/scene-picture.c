/* scene-picture.c — joins the answers of all bodies into one picture.
 *
 * Places items from the root inwards, then joins the pieces of each wire, routes feedback along the
 * borders of groups, and places labels.  Start reading at viz_scene_make_picture().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-picture.h"
#include "viz/scene/scene-labels.h"
#include "viz/scene/scene-titles.h"

#include <math.h>

typedef struct
{
  VizScene *scene;
  guint32  *n_stubs; /* per item, arriving */
  GArray   *points, *wires, *plugs, *items;
} Placer;

/* Parents come before children, so that each item's parent is placed already. */
static void
place_items (VizScene *scene)
{
  for (guint32 i = 1; i < scene->items->len; i++)
    {
      VizSceneItem       *item = viz_scene_item (scene, i);
      const VizSceneItem *parent = viz_scene_item (scene, item->parent);
      VizPoint            content = viz_scene_content (parent);
      VizPoint            at;

      if (item->host != VIZ_NO_ITEM)
        {
          const VizSceneItem *host = viz_scene_item (scene, item->host);

          item->x = host->x;
          item->y = host->y + item->below;
          continue;
        }
      at = viz_scene_turn (scene, viz_scene_body (scene, parent->body)->body->at[item->node]);
      item->x = parent->x + content.x + at.x;
      item->y = parent->y + content.y + at.y;
    }
}

static void
add_items (Placer *placer)
{
  for (guint32 i = 0; i < placer->scene->items->len; i++)
    {
      const VizSceneItem *item = viz_scene_item (placer->scene, i);
      VizItem             placed = {
                    .x = item->x,
                    .y = item->y,
                    .width = item->width,
                    .height = item->height,
                    .box = item->box,
                    .parent = item->parent,
                    .first_step = item->first_step,
                    .last_step = item->last_step,
                    .layer = item->layer,
                    .host = item->host,
                    .stack = item->stack,
                    .n_stubs = item->n_stubs,
                    .title_room =
            item->state == VIZ_ITEM_OPEN ? (float) viz_scene_title_room (placer->scene, i) : 0,
                    .state = item->state,
                    .depth = item->depth,
      };

      g_array_append_val (placer->items, placed);
    }
}

/* Counts the stubs that leave each item. */
static void
count_stubs (VizScene *scene)
{
  for (guint32 b = 0; b < scene->bodies->len; b++)
    {
      const VizSceneBody *body = viz_scene_body (scene, b);

      for (guint32 i = 0; i < body->body->n_edges; i++)
        {
          guint32 tail = body->body->edges[i].tail;
          guint32 item = g_array_index (body->node_sources, VizNodeSource, tail).item;

          if (body->body->stub[i] && item != VIZ_NO_ITEM)
            viz_scene_item (scene, item)->n_stubs++;
        }
    }
}

/* The columns of wrapped groups.  (transfer full) */
static GArray *
make_columns (const VizScene *scene)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (VizPictureColumn));

  for (guint32 b = 0; b < scene->bodies->len; b++)
    {
      const VizSceneBody *body = viz_scene_body (scene, b);
      const VizSceneItem *item = viz_scene_item (scene, body->item);
      double              x = item->x + viz_scene_content (item).x;

      for (guint i = 0; body->body->columns && i < body->body->columns->len; i++)
        {
          const VizColumn *column = &g_array_index (body->body->columns, VizColumn, i);
          VizPictureColumn placed = { column->left + x, column->right + x, body->item };

          g_array_append_val (columns, placed);
        }
    }
  return columns;
}

/* The rectangle of a node of a body, in the picture. */
static VizRect
node_rect (const VizScene *scene, const VizSceneBody *body, guint32 node)
{
  const VizSceneItem *item = viz_scene_item (scene, body->item);
  const VizBodyNode  *size = &body->body->nodes[node];
  VizPoint            content = viz_scene_content (item);
  VizPoint            at = viz_scene_turn (scene, body->body->at[node]);
  VizPoint            extent = viz_scene_turn (scene, (VizPoint){ size->width, size->height });

  return (VizRect){ item->x + content.x + at.x, item->y + content.y + at.y, extent.x, extent.y };
}

static void
add_plugs (Placer *placer)
{
  const VizScene *scene = placer->scene;

  for (guint32 b = 0; b < scene->bodies->len; b++)
    {
      const VizSceneBody *body = viz_scene_body (scene, b);

      for (guint32 i = 0; i < body->node_sources->len; i++)
        {
          guint32 port = g_array_index (body->node_sources, VizNodeSource, i).port;
          VizRect rect = node_rect (scene, body, i);
          VizPlug plug = { rect.x, rect.y, rect.width, rect.height, port, body->item };

          if (port != VIZ_NO_PORT)
            g_array_append_val (placer->plugs, plug);
        }
    }
}

/* --- Curves --- */

/* Appends the route of a piece to that of a wire.  Where pieces meet, one ends at the border of the
 * group and the next starts below the port; a straight line joins them. */
static void
append_piece (Placer *placer, VizWire *wire, const VizScenePiece *piece)
{
  const VizScene     *scene = placer->scene;
  const VizSceneBody *body = viz_scene_body (scene, piece->body);
  const VizSceneItem *item = viz_scene_item (scene, body->item);
  VizPoint            origin = viz_scene_content (item);
  guint32             first = body->body->first_point[piece->edge];
  guint32             last = body->body->first_point[piece->edge + 1];

  origin.x += item->x;
  origin.y += item->y;
  for (guint32 i = first; i < last; i++)
    {
      VizPoint point = viz_scene_turn (scene, g_array_index (body->body->points, VizPoint, i));

      point.x += origin.x;
      point.y += origin.y;
      if (i == first && wire->n_points > 0)
        viz_points_line_to (placer->points, point.x, point.y);
      else
        g_array_append_val (placer->points, point);
    }
  wire->n_points = placer->points->len - wire->first_point;
}

/* The rectangle at which a feedback wire ends: the plug of an open group's port, or the item. */
static VizRect
end_rect (const VizScene *scene, guint32 number, guint32 port)
{
  const VizSceneItem *item = viz_scene_item (scene, number);

  if (port != VIZ_NO_PORT && item->state == VIZ_ITEM_OPEN)
    {
      const VizSceneBody *body = viz_scene_body (scene, item->body);

      for (guint32 i = 0; i < body->node_sources->len; i++)
        if (g_array_index (body->node_sources, VizNodeSource, i).port == port)
          return node_rect (scene, body, i);
    }
  return (VizRect){ item->x, item->y, item->width, item->height };
}

/* The group along whose border a feedback wire runs. */
static const VizSceneItem *
common_group (const VizScene *scene, guint32 tail, guint32 head)
{
  if (tail == head && viz_scene_item (scene, tail)->state == VIZ_ITEM_OPEN)
    return viz_scene_item (scene, tail);
  if (tail == head)
    return viz_scene_item (scene, viz_scene_item (scene, tail)->parent);
  while (tail != head)
    if (viz_scene_item (scene, tail)->depth >= viz_scene_item (scene, head)->depth)
      tail = viz_scene_item (scene, tail)->parent;
    else
      head = viz_scene_item (scene, head)->parent;
  return viz_scene_item (scene, tail);
}

static VizRect
turn_rect (const VizScene *scene, VizRect rect)
{
  return scene->sideways ? (VizRect){ rect.y, rect.x, rect.height, rect.width } : rect;
}

/* Routes feedback down from the tail, up along the right side of the group, and down into the head.
 * All feedback of one group shares this track.  With flow to the right, x and y are exchanged. */
static void
route_feedback (Placer *placer, VizWire *wire, const VizSceneWire *cut)
{
  const VizScene     *scene = placer->scene;
  const VizSceneItem *group = common_group (scene, cut->tail, cut->head);
  gboolean            is_root = group->parent == VIZ_NO_ITEM;
  VizRect             tail = turn_rect (scene, end_rect (scene, cut->tail, cut->tail_port));
  VizRect             head = turn_rect (scene, end_rect (scene, cut->head, cut->head_port));
  VizRect  whole = turn_rect (scene, (VizRect){ group->x, group->y, group->width, group->height });
  double   side = whole.x + whole.width - (is_root ? VIZ_PAD_ROOT : VIZ_PAD_SIDE);
  VizPoint start = { tail.x + tail.width / 2, tail.y + tail.height };
  VizPoint end = { head.x + head.width / 2, head.y };
  double   below = start.y + VIZ_PAD_TRACK - 3, above = end.y - VIZ_PAD_TRACK + 3;

  g_array_append_val (placer->points, start);
  viz_points_turn (placer->points, (VizPoint){ start.x, below }, (VizPoint){ side, below });
  viz_points_turn (placer->points, (VizPoint){ side, below }, (VizPoint){ side, above });
  viz_points_turn (placer->points, (VizPoint){ side, above }, (VizPoint){ end.x, above });
  viz_points_turn (placer->points, (VizPoint){ end.x, above }, end);
  viz_points_line_to (placer->points, end.x, end.y);
  wire->n_points = placer->points->len - wire->first_point;
  for (guint32 i = wire->first_point; i < placer->points->len; i++)
    {
      VizPoint *point = &g_array_index (placer->points, VizPoint, i);

      *point = viz_scene_turn (scene, *point);
    }
}

/* Extends a wire that ends outside an open group from the border to the plug. */
static void
end_at_plug (Placer *placer, VizWire *wire, const VizSceneWire *cut)
{
  VizRect plug;

  if (wire->n_points == 0)
    return;
  if (cut->head_port != VIZ_NO_PORT && !cut->head_inside)
    {
      plug = end_rect (placer->scene, cut->head, cut->head_port);
      if (placer->scene->sideways)
        viz_points_line_to (placer->points, plug.x, plug.y + plug.height / 2);
      else
        viz_points_line_to (placer->points, plug.x + plug.width / 2, plug.y);
    }
  wire->n_points = placer->points->len - wire->first_point;
}

/* Starts a wire that leaves an open group at the plug. */
static void
start_at_plug (Placer *placer, VizWire *wire, const VizSceneWire *cut)
{
  VizRect  plug;
  VizPoint start;

  if (cut->tail_port == VIZ_NO_PORT || cut->tail_inside)
    return;
  plug = end_rect (placer->scene, cut->tail, cut->tail_port);
  start = placer->scene->sideways ? (VizPoint){ plug.x + plug.width, plug.y + plug.height / 2 }
                                  : (VizPoint){ plug.x + plug.width / 2, plug.y + plug.height };
  g_array_append_val (placer->points, start);
  wire->n_points = 1;
}

/* The line width in points: 1 for up to 64 bytes, 4 for a gigabyte, 1.2 if the size is unknown. */
static float
width_of_bytes (guint64 bytes)
{
  return bytes == 0 ? 1.2f : (float) CLAMP (1 + (log2 ((double) bytes) - 6) * 0.125, 1, 4);
}

static void
add_wire (Placer *placer, const VizSceneWire *cut)
{
  VizScene *scene = placer->scene;
  VizWire   wire = {
      .first_point = placer->points->len,
      .arrow = cut->arrow,
      .n_arrows = cut->n_arrows,
      .tail = cut->tail,
      .head = cut->head,
      .width = width_of_bytes (cut->bytes),
      .kind = cut->kind,
      .has_label = cut->label != VIZ_LABEL_NONE,
  };

  if (cut->kind == VIZ_ARROW_FEEDBACK)
    route_feedback (placer, &wire, cut);
  else
    {
      const VizScenePiece *pieces = &g_array_index (scene->pieces, VizScenePiece, cut->first_piece);
      guint32              from = 0;

      /* The pieces before the last stub are not drawn. */
      for (guint32 i = 0; i < cut->n_pieces; i++)
        if (viz_scene_body (scene, pieces[i].body)->body->stub[pieces[i].edge])
          {
            from = i;
            wire.is_stub = TRUE;
          }
      if (from == 0 && !wire.is_stub)
        start_at_plug (placer, &wire, cut);
      for (guint32 i = from; i < cut->n_pieces; i++)
        append_piece (placer, &wire, &pieces[i]);
      end_at_plug (placer, &wire, cut);
    }
  wire.has_label = wire.has_label && wire.n_points > 0 && !wire.is_stub;
  if (wire.is_stub)
    placer->n_stubs[wire.head]++;
  g_array_append_val (placer->wires, wire);
}

VizPicture *
viz_scene_make_picture (VizScene              *scene,
                        const char            *font,
                        const char            *layout,
                        const VizPictureStats *stats)
{
  const VizSceneItem *root = viz_scene_item (scene, 0);
  Placer              placer = {
                 .scene = scene,
                 .points = g_array_new (FALSE, FALSE, sizeof (VizPoint)),
                 .wires = g_array_sized_new (FALSE, FALSE, sizeof (VizWire), scene->wires->len),
                 .plugs = g_array_new (FALSE, FALSE, sizeof (VizPlug)),
                 .items = g_array_sized_new (FALSE, FALSE, sizeof (VizItem), scene->items->len),
  };

  placer.n_stubs = g_new0 (guint32, scene->items->len);
  place_items (scene);
  count_stubs (scene);
  add_items (&placer);
  add_plugs (&placer);
  for (guint32 i = 0; i < scene->wires->len; i++)
    add_wire (&placer, &g_array_index (scene->wires, VizSceneWire, i));
  viz_scene_place_labels (scene, placer.wires, placer.points, placer.plugs, placer.n_stubs);
  g_free (placer.n_stubs);
  return viz_picture_new (&(VizPictureParts){
      .diagram = scene->diagram,
      .font = font,
      .layout = layout,
      .detail = scene->detail,
      .sideways = scene->sideways,
      .width = root->width,
      .height = root->height,
      .items = placer.items,
      .wires = placer.wires,
      .points = placer.points,
      .plugs = placer.plugs,
      .columns = make_columns (scene),
      .item_of = g_steal_pointer (&scene->item_of),
      .stats = *stats,
  });
}
