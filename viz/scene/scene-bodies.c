/* scene-bodies.c — cuts every wire at the borders of open groups, and fills the bodies.
 *
 * A wire is followed from both ends to the innermost group that contains both.  Where it crosses a
 * border, the group's body gets a node on its first or last row, which all wires of one tensor share.
 * A chain of cells has one such crossing per item outside, so that a sequence enters as one bus.
 * Start reading at viz_scene_cut_wires().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-bodies.h"
#include "viz/scene/scene-update.h"

#include "viz/diagram/box-text.h"

#include <math.h>
#include <string.h>

#define PLUG_HEIGHT    16
#define PLUG_PAD       6
#define PLUG_LENGTH    16 /* characters */
#define TITLE_HEIGHT   18
#define CROSSING_WIDTH 6
#define CLOSER_WIDTH   24 /* for the control that closes the group, beside its title */

/* Identifies a port, crossing or tensor in one body; see the functions that make keys. */
typedef struct
{
  guint32 body, side, a, b;
} Key;

/* In Key.side: an explicit port of the group, with its number in a */
#define EXPLICIT_PORT 2

typedef struct
{
  guint32 body, tail, tail_inner, head, head_inner;
} PieceKey;

typedef struct
{
  VizScene   *scene;
  GHashTable *ports;   /* Key to node + 1: explicit ports and crossings */
  GHashTable *pieces;  /* PieceKey to edge + 1: pieces that wires share at a crossing */
  GHashTable *tensors; /* Key to tensor number + 1 */
} Cutter;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return ((key->body * 31u + key->side) * 2654435761u) ^ (key->a * 40503u) ^ (key->b * 97u);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Key)) == 0;
}

static guint
piece_key_hash (gconstpointer data)
{
  const PieceKey *key = data;
  guint           hash = key->body;

  hash = hash * 31u + key->tail;
  hash = hash * 40503u + key->tail_inner;
  hash = hash * 31u + key->head;
  return hash * 2654435761u + key->head_inner;
}

static gboolean
piece_key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (PieceKey)) == 0;
}

static guint32
find (GHashTable *table, const Key *key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, key));
}

static void
insert (GHashTable *table, const Key *key, guint32 value)
{
  g_hash_table_insert (table, g_memdup2 (key, sizeof *key), GUINT_TO_POINTER (value));
}

static guint32
add_node (VizSceneBody *body, VizNodeKind kind, gint32 order, guint32 item, guint32 port)
{
  VizBodyNode   node = { .kind = kind, .order = order, .hint = -1, .column = -1, .row = -1 };
  VizNodeSource source = { item, port };

  g_array_append_val (body->nodes, node);
  g_array_append_val (body->node_sources, source);
  return body->nodes->len - 1;
}

static VizBodyNode *
body_node (const VizSceneBody *body, guint32 node)
{
  return &g_array_index (body->nodes, VizBodyNode, node);
}

static const VizNodeSource *
node_source (const VizSceneBody *body, guint32 node)
{
  return &g_array_index (body->node_sources, VizNodeSource, node);
}

/* Adds nodes for the title and the explicit ports of a group. */
static void
add_title_and_ports (Cutter *cutter, guint32 number)
{
  VizScene           *scene = cutter->scene;
  VizSceneBody       *body = viz_scene_body (scene, number);
  const VizSceneItem *item = viz_scene_item (scene, body->item);
  const VizBox       *box = viz_diagram_box (scene->diagram, item->box);
  g_autofree char    *title = NULL;
  guint32             node;

  if (item->box == VIZ_ROOT)
    return;
  title = viz_box_group_title (scene->diagram, item->box, TRUE);
  node = add_node (body, VIZ_NODE_TITLE, 0, VIZ_NO_ITEM, VIZ_NO_PORT);
  body_node (body, node)->width =
      ceilf ((float) viz_measure_width (scene->measure, VIZ_TEXT_GROUP, title) + CLOSER_WIDTH);
  body_node (body, node)->height = TITLE_HEIGHT;
  for (guint32 i = 0; i < box->n_ports; i++)
    {
      const VizPort   *port = viz_diagram_port (scene->diagram, box->first_port + i);
      g_autofree char *label = viz_text_shorten (port->label ? port->label : "", PLUG_LENGTH);
      Key              key = { number, EXPLICIT_PORT, box->first_port + i, 0 };

      node = add_node (body, port->side == VIZ_SIDE_IN ? VIZ_NODE_IN : VIZ_NODE_OUT, (gint32) i + 1,
                       VIZ_NO_ITEM, box->first_port + i);
      body_node (body, node)->width =
          ceilf ((float) viz_measure_width (scene->measure, VIZ_TEXT_EDGE, label) + 2 * PLUG_PAD);
      body_node (body, node)->height = PLUG_HEIGHT;
      insert (cutter->ports, &key, node + 1);
    }
}

/* Adds a node for each item to the body of its parent. */
static void
add_children (VizScene *scene)
{
  for (guint32 i = 1; i < scene->items->len; i++)
    {
      VizSceneItem *item = viz_scene_item (scene, i);
      VizSceneBody *body = viz_scene_body (scene, viz_scene_item (scene, item->parent)->body);
      const VizBox *box = viz_diagram_box (scene->diagram, item->box);

      if (item->host != VIZ_NO_ITEM)
        {
          /* A host comes before its strips. */
          item->node = viz_scene_item (scene, item->host)->node;
          continue;
        }
      item->node = add_node (body, VIZ_NODE_BOX, -1, i, VIZ_NO_PORT);
      if (item->state == VIZ_ITEM_STEPS)
        {
          body_node (body, item->node)->column = item->first_step;
          body_node (body, item->node)->row = item->layer;
        }
      else if (box->step >= 0 || box->flags & VIZ_BOX_HEADER)
        {
          body_node (body, item->node)->column = box->step;
          body_node (body, item->node)->row = box->layer;
        }
    }
}

static guint32
explicit_port (Cutter *cutter, guint32 body, guint32 port)
{
  Key key = { body, EXPLICIT_PORT, port, 0 };

  return find (cutter->ports, &key) - 1;
}

/* The node where a wire crosses the border of a group; added if it is the first wire of its tensor. */
static guint32
find_crossing (Cutter *cutter, guint32 number, VizSide side, const VizSceneWire *wire)
{
  VizScene       *scene = cutter->scene;
  VizSceneBody   *body = viz_scene_body (scene, number);
  guint32         box = viz_scene_item (scene, body->item)->box;
  const VizArrow *arrow = viz_diagram_arrow (scene->diagram, wire->arrow);
  Key             key = { number, side, arrow->tail, arrow->output + 1 };
  guint32         node;

  if (wire->tail_port != VIZ_NO_PORT)
    key = (Key){ number, side, wire->tail_port, 0 };
  if (viz_diagram_box (scene->diagram, box)->kind == VIZ_BOX_STEPS)
    key = (Key){ number, side, side == VIZ_SIDE_IN ? wire->tail : wire->head, 0 };
  node = find (cutter->ports, &key);
  if (node == 0)
    {
      node = add_node (body, side == VIZ_SIDE_IN ? VIZ_NODE_IN : VIZ_NODE_OUT, -1, VIZ_NO_ITEM,
                       VIZ_NO_PORT) +
             1;
      body_node (body, node - 1)->width = CROSSING_WIDTH;
      body_node (body, node - 1)->height = side == VIZ_SIDE_IN ? PLUG_HEIGHT : 0;
      insert (cutter->ports, &key, node);
    }
  return node - 1;
}

/* An end of a piece. */
typedef struct
{
  guint32 node; /* in the body */
  guint32
      inner; /* if the node is an open group: the node of the port in its body; else VIZ_NO_ITEM */
} End;

/* The number, within the body, of the tensor that leaves tail: per output of a box, per port of an
 * open group, per port or crossing of this group. */
static guint32
tensor_number (Cutter *cutter, guint32 number, const VizSceneWire *wire, const End *tail)
{
  VizSceneBody   *body = viz_scene_body (cutter->scene, number);
  const VizArrow *arrow = viz_diagram_arrow (cutter->scene->diagram, wire->arrow);
  Key             key = { number, tail->node, arrow->tail, arrow->output + 1 };
  guint32         found;

  if (tail->inner != VIZ_NO_ITEM)
    key.a = tail->inner, key.b = 0;
  else if (body_node (body, tail->node)->kind == VIZ_NODE_IN)
    key.a = key.b = 0;
  found = find (cutter->tensors, &key);
  if (found == 0)
    {
      found = ++body->n_tensors;
      insert (cutter->tensors, &key, found);
    }
  return found - 1;
}

/* Whether an end is a crossing, of this group or of an open group in it. */
static gboolean
is_crossing (const VizScene *scene, const VizSceneBody *body, const End *end)
{
  const VizNodeSource *source = node_source (body, end->node);

  if (end->inner != VIZ_NO_ITEM)
    {
      body = viz_scene_body (scene, viz_scene_item (scene, source->item)->body);
      return node_source (body, end->inner)->port == VIZ_NO_PORT;
    }
  return source->item == VIZ_NO_ITEM && source->port == VIZ_NO_PORT;
}

/* Adds an edge to a body, or finds the one that another wire has between the same crossings. */
static VizScenePiece
add_piece (Cutter             *cutter,
           guint32             number,
           const VizSceneWire *wire,
           const End          *tail,
           const End          *head)
{
  VizSceneBody *body = viz_scene_body (cutter->scene, number);
  gboolean      may_share =
      is_crossing (cutter->scene, body, tail) || is_crossing (cutter->scene, body, head);
  PieceKey    key = { number, tail->node, tail->inner, head->node, head->inner };
  VizBodyEdge edge = {
    .tail = tail->node, .head = head->node, .tail_at = VIZ_ANYWHERE, .head_at = VIZ_ANYWHERE
  };
  guint32 found = may_share ? GPOINTER_TO_UINT (g_hash_table_lookup (cutter->pieces, &key)) : 0;

  if (found > 0)
    return (VizScenePiece){ number, found - 1 };
  edge.tensor = tensor_number (cutter, number, wire, tail);
  if (wire->kind == VIZ_ARROW_STATE && body_node (body, tail->node)->row >= 0 &&
      body_node (body, tail->node)->row == body_node (body, head->node)->row)
    edge.flags |= VIZ_EDGE_SIDEWAYS;
  if (wire->kind == VIZ_ARROW_CONTROL && wire->label == VIZ_LABEL_AT_HEAD)
    edge.flags |= VIZ_EDGE_LABELLED;
  g_array_append_val (body->edges, edge);
  g_array_append_val (body->tail_inner, tail->inner);
  g_array_append_val (body->head_inner, head->inner);
  if (may_share)
    g_hash_table_insert (cutter->pieces, g_memdup2 (&key, sizeof key),
                         GUINT_TO_POINTER (body->edges->len));
  return (VizScenePiece){ number, body->edges->len - 1 };
}

/* Sets end to the wire's tail or head: the item's node in its parent's body, or a port or crossing of
 * the item's own body if the wire starts inside it.  Returns the group in whose body the end is. */
static guint32
start_end (Cutter *cutter, const VizSceneWire *wire, gboolean is_tail, End *end)
{
  VizScene           *scene = cutter->scene;
  guint32             number = is_tail ? wire->tail : wire->head;
  guint32             port = is_tail ? wire->tail_port : wire->head_port;
  const VizSceneItem *item = viz_scene_item (scene, number);

  end->inner = VIZ_NO_ITEM;
  if (is_tail ? wire->tail_inside : wire->head_inside)
    {
      end->node = port != VIZ_NO_PORT ? explicit_port (cutter, item->body, port)
                                      : find_crossing (cutter, item->body,
                                                       is_tail ? VIZ_SIDE_IN : VIZ_SIDE_OUT, wire);
      return number;
    }
  end->node = item->node;
  if (port != VIZ_NO_PORT)
    end->inner = explicit_port (cutter, item->body, port);
  return item->parent;
}

/* Adds the piece from end to the border of *group, and moves end to the outside of that border. */
static VizScenePiece
climb (Cutter *cutter, const VizSceneWire *wire, guint32 *group, VizSide side, End *end)
{
  const VizSceneItem *item = viz_scene_item (cutter->scene, *group);
  End                 border = { find_crossing (cutter, item->body, side, wire), VIZ_NO_ITEM };
  VizScenePiece piece = side == VIZ_SIDE_OUT ? add_piece (cutter, item->body, wire, end, &border)
                                             : add_piece (cutter, item->body, wire, &border, end);

  end->node = item->node;
  end->inner = border.node;
  *group = item->parent;
  return piece;
}

static void
cut_wire (Cutter *cutter, VizSceneWire *wire, GArray *descent)
{
  VizScene     *scene = cutter->scene;
  End           tail, head;
  guint32       above_tail = start_end (cutter, wire, TRUE, &tail);
  guint32       above_head = start_end (cutter, wire, FALSE, &head);
  VizScenePiece piece;

  wire->first_piece = scene->pieces->len;
  g_array_set_size (descent, 0);
  while (above_tail != above_head)
    {
      guint tail_depth = viz_scene_item (scene, above_tail)->depth;
      guint head_depth = viz_scene_item (scene, above_head)->depth;

      if (tail_depth >= head_depth)
        {
          piece = climb (cutter, wire, &above_tail, VIZ_SIDE_OUT, &tail);
          g_array_append_val (scene->pieces, piece);
        }
      else
        {
          piece = climb (cutter, wire, &above_head, VIZ_SIDE_IN, &head);
          g_array_append_val (descent, piece);
        }
    }
  piece = add_piece (cutter, viz_scene_item (scene, above_tail)->body, wire, &tail, &head);
  g_array_append_val (scene->pieces, piece);
  for (guint i = descent->len; i-- > 0;)
    g_array_append_val (scene->pieces, g_array_index (descent, VizScenePiece, i));
  wire->n_pieces = scene->pieces->len - wire->first_piece;
}

/* Marks the group that contains both ends of a feedback wire, which runs along its border. */
static void
mark_feedback (VizScene *scene, const VizSceneWire *wire)
{
  guint32 tail = wire->tail, head = wire->head;

  if (tail == head && viz_scene_item (scene, tail)->state == VIZ_ITEM_OPEN)
    {
      viz_scene_item (scene, tail)->has_feedback = TRUE;
      return;
    }
  while (tail != head)
    if (viz_scene_item (scene, tail)->depth >= viz_scene_item (scene, head)->depth)
      tail = viz_scene_item (scene, tail)->parent;
    else
      head = viz_scene_item (scene, head)->parent;
  if (tail == wire->tail && viz_scene_item (scene, tail)->parent != VIZ_NO_ITEM &&
      viz_scene_item (scene, tail)->state != VIZ_ITEM_OPEN)
    tail = viz_scene_item (scene, tail)->parent;
  viz_scene_item (scene, tail)->has_feedback = TRUE;
}

/* Whether the box at the tail of a wire shows the text already. */
static gboolean
is_in_box (const VizScene *scene, const VizSceneWire *wire, const char *label)
{
  const VizSceneItem *tail = viz_scene_item (scene, wire->tail);

  /* With flow to the right there is no room for texts beside wires. */
  if (scene->sideways && wire->kind != VIZ_ARROW_CONTROL)
    return TRUE;
  return scene->detail == VIZ_DETAIL_FULL && tail->state == VIZ_ITEM_LEAF &&
         wire->kind != VIZ_ARROW_CONTROL &&
         g_strcmp0 (viz_diagram_box (scene->diagram, tail->box)->shape, label) == 0;
}

/* Chooses the wires that show their label, if no box shows it.  The first labelled wire of an item shows it at its tail,
 * where the item keeps room free.  Wires of the same item with another text, and control wires
 * ("true", "false"), show it at their heads. */
static void
label_wires (VizScene *scene)
{
  g_autofree const char **first = g_new0 (const char *, scene->items->len);

  for (guint32 i = 0; i < scene->wires->len; i++)
    {
      VizSceneWire   *wire = &g_array_index (scene->wires, VizSceneWire, i);
      const VizArrow *arrow = viz_diagram_arrow (scene->diagram, wire->arrow);
      guint32         tail_item = viz_scene_host (scene, wire->tail);
      VizSceneItem   *tail = viz_scene_item (scene, tail_item);

      if (!arrow->label || *arrow->label == '\0' || wire->kind == VIZ_ARROW_FEEDBACK ||
          is_in_box (scene, wire, arrow->label) || tail_item == viz_scene_host (scene, wire->head))
        continue;
      if (wire->kind == VIZ_ARROW_CONTROL)
        wire->label = VIZ_LABEL_AT_HEAD;
      else if (tail->state == VIZ_ITEM_OPEN)
        continue;
      else if (!first[tail_item])
        {
          first[tail_item] = arrow->label;
          wire->label = VIZ_LABEL_AT_TAIL;
          tail->label =
              12 + (float) viz_measure_width (scene->measure, VIZ_TEXT_EDGE, arrow->label);
        }
      else if (strcmp (first[tail_item], arrow->label) != 0)
        wire->label = VIZ_LABEL_AT_HEAD;
    }
}

void
viz_scene_cut_wires (VizScene *scene)
{
  GArray *descent = g_array_new (FALSE, FALSE, sizeof (VizScenePiece));
  Cutter  cutter = {
     .scene = scene,
     .ports = g_hash_table_new_full (key_hash, key_equal, g_free, NULL),
     .pieces = g_hash_table_new_full (piece_key_hash, piece_key_equal, g_free, NULL),
     .tensors = g_hash_table_new_full (key_hash, key_equal, g_free, NULL),
  };

  for (guint32 i = 0; i < scene->bodies->len; i++)
    add_title_and_ports (&cutter, i);
  add_children (scene);
  label_wires (scene);
  for (guint32 i = 0; i < scene->wires->len; i++)
    {
      VizSceneWire *wire = &g_array_index (scene->wires, VizSceneWire, i);

      if (wire->kind == VIZ_ARROW_FEEDBACK)
        mark_feedback (scene, wire);
      else if (viz_scene_host (scene, wire->tail) != viz_scene_host (scene, wire->head) ||
               viz_scene_item (scene, wire->tail)->state == VIZ_ITEM_OPEN)
        cut_wire (&cutter, wire, descent);
    }
  if (scene->previous)
    viz_scene_match_previous (scene);
  g_hash_table_unref (cutter.tensors);
  g_hash_table_unref (cutter.pieces);
  g_hash_table_unref (cutter.ports);
  g_array_unref (descent);
}

/* The x of a port or crossing (inner) of an open group, from the left border of the group. */
static float
port_offset (const VizScene *scene, const VizSceneBody *body, guint32 node, guint32 inner)
{
  const VizSceneItem *item = viz_scene_item (scene, node_source (body, node)->item);
  const VizBody      *inside = viz_scene_body (scene, item->body)->body;

  return (float) (viz_scene_turn (scene, viz_scene_content (item)).x + inside->at[inner].x +
                  inside->nodes[inner].width / 2);
}

/* Exchanges width and height of a node; a title is above the content then, and needs no room in it. */
static void
turn_node (VizBodyNode *node, const VizNodeSource *source)
{
  gboolean is_crossing = source->item == VIZ_NO_ITEM && source->port == VIZ_NO_PORT;
  float    width = node->width;

  if (node->kind == VIZ_NODE_TITLE)
    node->width = node->height = 0;
  else if (!is_crossing)
    {
      node->width = node->height;
      node->height = width;
    }
  node->label = 0;
}

void
viz_scene_make_body (VizScene *scene, VizSceneBody *body)
{
  viz_body_free (body->body);
  body->body = viz_body_new (body->nodes->len, body->edges->len);
  for (guint32 i = 0; i < body->nodes->len; i++)
    {
      const VizNodeSource *source = node_source (body, i);

      body->body->nodes[i] = *body_node (body, i);
      if (source->item != VIZ_NO_ITEM)
        {
          const VizSceneItem *item = viz_scene_item (scene, source->item);

          body->body->nodes[i].width = (float) item->width;
          body->body->nodes[i].height = (float) item->stack;
          body->body->nodes[i].label = item->label;
        }
      if (scene->sideways)
        turn_node (&body->body->nodes[i], source);
    }
  for (guint32 i = 0; i < body->edges->len; i++)
    {
      VizBodyEdge *edge = &body->body->edges[i];
      guint32      tail = g_array_index (body->tail_inner, guint32, i);
      guint32      head = g_array_index (body->head_inner, guint32, i);

      *edge = g_array_index (body->edges, VizBodyEdge, i);
      if (tail != VIZ_NO_ITEM)
        edge->tail_at = port_offset (scene, body, edge->tail, tail);
      else if (node_source (body, edge->tail)->item == VIZ_NO_ITEM)
        edge->tail_at = body->body->nodes[edge->tail].width / 2;
      if (head != VIZ_NO_ITEM)
        edge->head_at = port_offset (scene, body, edge->head, head);
      else if (node_source (body, edge->head)->item == VIZ_NO_ITEM)
        edge->head_at = body->body->nodes[edge->head].width / 2;
    }
  if (scene->previous)
    viz_scene_fill_previous (scene, body);
}

void
viz_scene_resize_group (VizScene *scene, VizSceneBody *body)
{
  VizSceneItem *item = viz_scene_item (scene, body->item);
  VizPoint      pad = viz_scene_padding (item);
  VizPoint      size = viz_scene_turn (scene, (VizPoint){ body->body->width, body->body->height });

  for (guint32 i = 0; scene->sideways && i < body->nodes->len; i++)
    if (body_node (body, i)->kind == VIZ_NODE_TITLE)
      size.x = MAX (size.x, body_node (body, i)->width);
  /* Do not round up because of rounding errors in a whole number. */
  item->width = ceil (size.x - 1e-6) + pad.x;
  item->height = ceil (size.y - 1e-6) + pad.y;
  item->stack = item->height;
}
