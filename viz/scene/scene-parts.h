/* scene-parts.h — the visible part of a diagram, cut into one layout problem (body) per open group.
 *
 * scene.c finds the visible items and wires; the other scene-….c files cut, place and join them.
 * layout-diagram.c calls all of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/measure.h"
#include "viz/fold/folds.h"
#include "viz/layout/body.h"
#include "viz/scene/picture.h"

#define VIZ_NO_BODY G_MAXUINT32

/* Padding around the content of an open group, in points */
#define VIZ_PAD_SIDE   10
#define VIZ_PAD_TOP    5
#define VIZ_PAD_BOTTOM 7
#define VIZ_PAD_TRACK  12 /* added on all sides if feedback runs along the border */
#define VIZ_PAD_ROOT   16 /* around the whole picture */
#define VIZ_TITLE_BAND \
  18 /* the height of a title, which is above the content if flow is to the right */

/* A visible rectangle; becomes a VizItem. */
typedef struct
{
  guint32 box, parent; /* in the diagram; item, or VIZ_NO_ITEM */
  gint32  first_step, last_step, layer;
  guint32 body;                /* of an open group, or VIZ_NO_BODY */
  guint32 node;                /* in the body of the parent */
  guint32 n_stubs;             /* stubs that leave here */
  double  x, y, width, height; /* size known before layout for closed items, after it for groups */
  guint32 host;                /* the item on which this one is a strip, or VIZ_NO_ITEM */
  double  stack;               /* the height with the strips on it */
  double  below;               /* of a strip: its distance from the upper side of its host */
  float   label;               /* width to keep free for the label at its lower side */
  guint8  state, depth;        /* VizItemState */
  guint8  has_feedback;        /* an open group with feedback along its border */
  guint8  sideways;            /* as in the scene */
} VizSceneItem;

/* Which end of a wire its text belongs to. */
typedef enum
{
  VIZ_LABEL_NONE,
  VIZ_LABEL_AT_TAIL,
  VIZ_LABEL_AT_HEAD,
} VizSceneLabel;

/* A visible connection of two items; becomes a VizWire. */
typedef struct
{
  guint32 arrow, n_arrows; /* the first of its arrows, and their number */
  guint64 bytes;
  guint32 tail, head;            /* items */
  guint32 tail_port, head_port;  /* of open groups only */
  guint32 first_piece, n_pieces; /* from tail to head */
  guint8  kind;                  /* VizArrowKind */
  guint8  label;                 /* VizSceneLabel */
  guint   tail_inside : 1;       /* starts inside the open group, at the inner side of its port */
  guint   head_inside : 1;
} VizSceneWire;

/* One part of a wire: an edge of one body. */
typedef struct
{
  guint32 body, edge;
} VizScenePiece;

/* The origin of a node of a body; both VIZ_NO_…: a title, or a crossing of the border. */
typedef struct
{
  guint32 item; /* a child of the group, or VIZ_NO_ITEM */
  guint32 port; /* a port of the group, or VIZ_NO_PORT */
} VizNodeSource;

/* The content of an open group. */
typedef struct
{
  guint32 item;         /* the group */
  GArray *nodes;        /* VizBodyNode */
  GArray *node_sources; /* VizNodeSource, one per node */
  GArray *edges;        /* VizBodyEdge */

  /* Per edge: if its end is an open group, the node of the port or crossing in that group's body, at
   * which the edge is attached after the group was laid out; otherwise VIZ_NO_ITEM.  guint32. */
  GArray *tail_inner, *head_inner;

  VizBody *body; /* made by viz_scene_make_body() */
  guint32  n_tensors;
  guint32  previous_group; /* the same group with the same boxes in the previous picture, or
                             * VIZ_NO_ITEM */
  guint32 *previous_wires; /* (nullable) per edge: wire of the previous picture + 1, or 0 */
} VizSceneBody;

typedef struct
{
  VizDiagram       *diagram;
  const VizFolds   *folds;
  VizMeasure       *measure;
  VizDetail         detail;
  gboolean          sideways; /* flow is to the right: bodies are laid out with x and y exchanged */
  const VizPicture *previous; /* (nullable) of the same diagram */
  GArray           *items;    /* VizSceneItem, parents before children; 0 is the root */
  GArray           *wires;    /* VizSceneWire */
  GArray           *pieces;   /* VizScenePiece */
  GPtrArray        *bodies;   /* VizSceneBody, parents before children */
  guint32          *item_of;  /* per box: the item that shows it, or VIZ_NO_ITEM */
} VizScene;

/* An item by number. */
static inline VizSceneItem *
viz_scene_item (const VizScene *scene, guint32 item)
{
  return &g_array_index (scene->items, VizSceneItem, item);
}

/* The item whose node in the body represents an item: its host if it is a strip. */
static inline guint32
viz_scene_host (const VizScene *scene, guint32 item)
{
  guint32 host = viz_scene_item (scene, item)->host;

  return host != VIZ_NO_ITEM ? host : item;
}

/* A body by number. */
static inline VizSceneBody *
viz_scene_body (const VizScene *scene, guint32 body)
{
  return g_ptr_array_index (scene->bodies, body);
}

/* A point of a body in the picture, from the corner of the content: with flow to the right, x and y are
 * exchanged. */
static inline VizPoint
viz_scene_turn (const VizScene *scene, VizPoint point)
{
  return scene->sideways ? (VizPoint){ point.y, point.x } : point;
}

/* The corner of the content of an open group, from the corner of the group. */
static inline VizPoint
viz_scene_content (const VizSceneItem *item)
{
  double track = item->has_feedback ? VIZ_PAD_TRACK : 0;

  if (item->parent == VIZ_NO_ITEM)
    return (VizPoint){ VIZ_PAD_ROOT + (item->sideways ? track : 0), VIZ_PAD_ROOT + track };
  if (item->sideways)
    return (VizPoint){ VIZ_PAD_SIDE + track, VIZ_PAD_TOP + VIZ_TITLE_BAND + track };
  return (VizPoint){ VIZ_PAD_SIDE, VIZ_PAD_TOP + track };
}

/* How much wider and higher an open group is than its content. */
static inline VizPoint
viz_scene_padding (const VizSceneItem *item)
{
  VizPoint content = viz_scene_content (item);
  double   track = item->has_feedback ? VIZ_PAD_TRACK : 0;
  gboolean is_root = item->parent == VIZ_NO_ITEM;

  return (VizPoint){ content.x + track + (is_root ? VIZ_PAD_ROOT : VIZ_PAD_SIDE),
                     content.y + track + (is_root ? VIZ_PAD_ROOT : VIZ_PAD_BOTTOM) };
}
