/* picture.h — a placed diagram: rectangles, curves, and lookup by point.
 *
 * viz_layout_diagram() makes pictures.  They never change, and any number of threads may read them.
 * Coordinates are in points with y downwards; the upper left corner is at 0, 0.
 *
 * An item is one visible rectangle: a box, a closed group, an open group with its items inside, or a
 * run of steps drawn as one box.  Parents come before their children.  A wire is the drawn line of
 * one arrow, or of several between the same items whose ends are hidden in closed groups.  A plug is
 * a drawn port.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/box-text.h"
#include "viz/diagram/diagram.h"
#include "viz/diagram/geometry.h"

#define VIZ_NO_ITEM  G_MAXUINT32
#define VIZ_NO_ARROW G_MAXUINT32

/* The distance of the title of an open group from the left side of the group, in points. */
#define VIZ_TITLE_LEFT 24

typedef struct _VizPicture VizPicture;

typedef enum
{
  VIZ_ITEM_LEAF,
  VIZ_ITEM_CLOSED,
  VIZ_ITEM_OPEN,
  VIZ_ITEM_STEPS, /* steps first_step … last_step of a chain, in one layer */
} VizItemState;

typedef struct
{
  double  x, y, width, height;
  guint32 box;                          /* in the diagram; of VIZ_ITEM_STEPS: the chain */
  guint32 parent;                       /* item, or VIZ_NO_ITEM */
  gint32  first_step, last_step, layer; /* of VIZ_ITEM_STEPS; else -1 */
  guint32 n_stubs; /* arrows that leave here and are drawn only at their heads */
  /* An activation or norm is drawn as a strip at the lower side of the layer that it belongs to. */
  guint32 host;       /* item; VIZ_NO_ITEM: this is not a strip */
  float   title_room; /* of an open group: the width that no wire or port needs beside its title */
  double  stack;      /* its height, with the strips on it */
  guint8  state;      /* VizItemState */
  guint8  depth;
} VizItem;

typedef struct
{
  double  label_x, label_y;      /* left end and base line of its text */
  guint32 first_point, n_points; /* 3k + 1 points: Bézier curves end to end; 0: not drawn */
  guint32 arrow;                 /* the first of its arrows in the diagram */
  guint32 n_arrows;              /* the number of its arrows */
  guint32 tail, head;            /* items */
  float   width;                 /* of the line, by the size of the tensor */
  float   label_width;           /* of its text */
  guint8  kind;                  /* VizArrowKind */
  guint8  has_label;
  guint8  is_stub; /* only the part at the head is drawn */
} VizWire;

/* A port of an open group, drawn as a small label on its border. */
typedef struct
{
  double  x, y, width, height;
  guint32 port; /* in the diagram */
  guint32 item;
} VizPlug;

/* A column of an open group that is wrapped, as a text is into lines. */
typedef struct
{
  double  left, right; /* its extent in x */
  guint32 item;        /* the group */
} VizPictureColumn;

typedef enum
{
  VIZ_HIT_NOTHING,
  VIZ_HIT_ITEM,
  VIZ_HIT_WIRE,
  VIZ_HIT_PLUG,
} VizHitKind;

typedef struct
{
  VizHitKind kind;
  guint32    index; /* item, wire or plug */
} VizHit;

/* Adds a reference; thread-safe.  Returns picture. */
VizPicture *viz_picture_ref (VizPicture *picture);
/* Drops a reference; the last one frees the picture. */
void viz_picture_unref (VizPicture *picture);

/* The diagram that the picture shows.  (transfer none) */
VizDiagram *viz_picture_diagram (const VizPicture *picture);
const char *viz_picture_font (const VizPicture *picture); /* The font family of its texts. */
const char           *
viz_picture_layout (const VizPicture *picture); /* The name of the layout that made it. */
VizDetail viz_picture_detail (const VizPicture *picture); /* How much its boxes show. */
gboolean  viz_picture_is_sideways (const VizPicture *picture); /* Whether flow is to the right. */
/* The detail of a box: the picture's, or VIZ_DETAIL_TITLE. */
VizDetail viz_picture_item_detail (const VizPicture *picture, guint32 item);
double    viz_picture_width (const VizPicture *picture);  /* In points. */
double    viz_picture_height (const VizPicture *picture); /* In points. */

/* The number of items, with the root. */
guint32 viz_picture_n_items (const VizPicture *picture);
/* An item by number.  (transfer none) */
const VizItem *viz_picture_item (const VizPicture *picture, guint32 item);
/* The number of wires. */
guint32 viz_picture_n_wires (const VizPicture *picture);
/* A wire by number.  (transfer none) */
const VizWire *viz_picture_wire (const VizPicture *picture, guint32 wire);
/* The n_points points of a wire.  (transfer none) */
const VizPoint *viz_picture_points (const VizPicture *picture, guint32 wire);
/* The number of plugs. */
guint32 viz_picture_n_plugs (const VizPicture *picture);
/* A plug by number.  (transfer none) */
const VizPlug *viz_picture_plug (const VizPicture *picture, guint32 plug);
/* The columns of an open group, from the left; n_columns is 0 if it is not wrapped.  (transfer none) */
const VizPictureColumn *
viz_picture_columns (const VizPicture *picture, guint32 item, guint32 *n_columns);
/* The item that shows a box: the box itself, or the closed group or run of steps that hides it.
 * VIZ_NO_ITEM for a folded weight. */
guint32 viz_picture_find_box (const VizPicture *picture, guint32 box);

/* The numbers of the wires that leave or enter an item.  (transfer none) */
const guint32 *viz_picture_wires_at (const VizPicture *picture, guint32 item, guint32 *n_wires);

/* The element at a point: a plug, else a closed item, else the nearest wire within tolerance (in points),
 * else the innermost open group. */
VizHit viz_picture_hit (const VizPicture *picture, double x, double y, double tolerance);

/* Fills the arrays with the items and wires that may touch rect: guint32 numbers, ascending, without
 * duplicates.  Either array may be NULL. */
void
viz_picture_query (const VizPicture *picture, const VizRect *rect, GArray *items, GArray *wires);

/* Counted during layout */
typedef struct
{
  guint32 n_bodies;     /* open groups, with the root */
  guint32 n_copied;     /* of them, copied from an equal one */
  guint32 n_fallbacks;  /* of them, refused by the chosen layout and placed by "layers" */
  char    refusal[200]; /* why the first of these was refused; "": none was */
} VizPictureStats;

/* The counters of the layout of the picture.  (transfer none) */
const VizPictureStats *viz_picture_stats (const VizPicture *picture);

/* The input of a picture. */
typedef struct
{
  VizDiagram     *diagram; /* (transfer none) */
  const char     *font;    /* (transfer none) */
  const char     *layout;  /* its name in the table of layouts; a constant string */
  VizDetail       detail;
  gboolean        sideways; /* flow is to the right */
  double          width, height;
  GArray         *items;   /* VizItem (transfer full) */
  GArray         *wires;   /* VizWire (transfer full) */
  GArray         *points;  /* VizPoint (transfer full) */
  GArray         *plugs;   /* VizPlug (transfer full) */
  GArray         *columns; /* VizPictureColumn, those of one group together (transfer full) */
  guint32        *item_of; /* per box of the diagram (transfer full) */
  VizPictureStats stats;
} VizPictureParts;

/* A picture of these parts; only scene-picture.c calls it.  (transfer full) */
VizPicture *viz_picture_new (const VizPictureParts *parts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizPicture, viz_picture_unref)
