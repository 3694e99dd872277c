/* scene.h — the visible part of a diagram, cut into one layout problem per open group.
 *
 * scene.c finds the visible items and wires; scene-bodies.c cuts every wire at
 * the borders it crosses and fills the bodies, scene-keep.c tells them what was
 * before; scene-place.c puts the answers together into a picture, scene-labels.c
 * the texts on wires.  Only layout.c and its tests include this.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/measure.h"
#include "viz/fold/folds.h"
#include "viz/layout/body.h"
#include "viz/scene/picture.h"

G_BEGIN_DECLS

#define VIZ_NO_BODY G_MAXUINT32

/* Room around the content of an open group */
#define VIZ_PAD_SIDE   10
#define VIZ_PAD_TOP    5
#define VIZ_PAD_BOTTOM 7
#define VIZ_PAD_TRACK  12 /* more, where feedback runs along */
#define VIZ_PAD_ROOT   16

typedef struct
{
  guint32 box, parent;
  gint32  first_step, last_step, layer;
  guint32 body; /* of an open group */
  guint32 node; /* in the body of the parent */
  guint32 n_stubs;
  double  x, y, width, height;
  float   label;
  guint8  state, depth;
  guint8  has_feedback;
} VizSceneItem;

typedef enum
{
  VIZ_LABEL_NONE,
  VIZ_LABEL_AT_TAIL,
  VIZ_LABEL_AT_HEAD,
} VizSceneLabel;

typedef struct
{
  guint32 arrow, n_arrows;
  guint64 bytes;
  guint32 tail, head;            /* items */
  guint32 tail_port, head_port;  /* of open groups only */
  guint32 first_piece, n_pieces; /* from tail to head */
  guint8  kind;
  guint8  label;           /* VizSceneLabel */
  guint   tail_inside : 1; /* starts at the inner side of an open group's port */
  guint   head_inside : 1;
} VizSceneWire;

/* One part of a wire: an edge of one body. */
typedef struct
{
  guint32 body, edge;
} VizScenePiece;

typedef struct
{
  guint32 item; /* of a child, or VIZ_NO_ITEM */
  guint32 port; /* explicit port, or VIZ_NO_PORT */
} VizNodeSource;

typedef struct
{
  guint32 item;
  GArray *nodes;        /* VizBodyNode */
  GArray *node_sources; /* VizNodeSource, one per node */
  GArray *edges;        /* VizBodyEdge */
  /* Per edge: the nodes' items whose port it meets, for attaching after they were laid out */
  GArray  *tail_node_port, *head_node_port; /* guint32: node in the item's own body */
  VizBody *body;
  guint32  n_tensors;
  guint32
      before; /* the group in the picture before, if the same boxes stood in it, or VIZ_NO_ITEM */
  guint32 *wire_before; /* (nullable), per edge: wire + 1 of the picture before, or 0 */
} VizSceneBody;

typedef struct
{
  VizDiagram       *diagram;
  const VizFolds   *folds;
  VizMeasure       *measure;
  gboolean          bare;
  const VizPicture *previous; /* (nullable), of the same diagram */
  GArray           *items;    /* VizSceneItem; parents first; 0 is the root */
  GArray           *wires;    /* VizSceneWire */
  GArray           *pieces;   /* VizScenePiece */
  GPtrArray        *bodies;   /* VizSceneBody; parents first */
  guint32          *item_of;  /* per box */
} VizScene;

VizScene      *
viz_scene_new (VizDiagram *diagram, const VizFolds *folds, const char *font, gboolean bare);
void viz_scene_free (VizScene *scene);

/* Cuts the wires and fills nodes, node_sources and edges of every body. */
void viz_scene_cut_wires (VizScene *scene);

/* scene-keep.c: what the picture before says about order and places.  FALSE: so much has been
 * opened or closed at once that it says nothing. */
gboolean viz_scene_can_update (const VizScene *scene);
void     viz_scene_match_previous (VizScene *scene);
void     viz_scene_fill_previous (const VizScene *scene, VizSceneBody *body);

/* Makes the body of a group whose inner groups are placed. */
void viz_scene_make_body (VizScene *scene, VizSceneBody *body);
/* Gives the group the size of its content. */
void viz_scene_resize_group (VizScene *scene, VizSceneBody *body);

/* Texts on wires, where nothing is in their way.  wires: VizWire; points: VizPoint; plugs: VizPlug;
 * n_stubs: per item, arriving. */
void viz_scene_place_labels (const VizScene *scene,
                             GArray         *wires,
                             const GArray   *points,
                             const GArray   *plugs,
                             const guint32  *n_stubs);

VizPicture *viz_scene_make_picture (VizScene              *scene,
                                    const char            *font,
                                    const char            *layout,
                                    const VizPictureStats *stats);

static inline VizSceneItem *
viz_scene_item (const VizScene *scene, guint32 item)
{
  return &g_array_index (scene->items, VizSceneItem, item);
}

static inline VizSceneBody *
viz_scene_body (const VizScene *scene, guint32 body)
{
  return g_ptr_array_index (scene->bodies, body);
}

/* Where the content of an open group starts, from its corner. */
static inline VizPoint
viz_scene_content (const VizSceneItem *item)
{
  double track = item->has_feedback ? VIZ_PAD_TRACK : 0;

  if (item->parent == VIZ_NO_ITEM)
    return (VizPoint){ VIZ_PAD_ROOT, VIZ_PAD_ROOT + track };
  return (VizPoint){ VIZ_PAD_SIDE, VIZ_PAD_TOP + track };
}

/* What an open group is larger than its content, on both sides together. */
static inline VizPoint
viz_scene_padding (const VizSceneItem *item)
{
  VizPoint content = viz_scene_content (item);
  double   track = item->has_feedback ? VIZ_PAD_TRACK : 0;
  gboolean is_root = item->parent == VIZ_NO_ITEM;

  return (VizPoint){ content.x + track + (is_root ? VIZ_PAD_ROOT : VIZ_PAD_SIDE),
                     content.y + track + (is_root ? VIZ_PAD_ROOT : VIZ_PAD_BOTTOM) };
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizScene, viz_scene_free)

G_END_DECLS
