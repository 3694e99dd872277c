/* body.h — the content of one open group as a layout problem, and the answer of a layout.
 *
 * A layout (layout.h) sees only boxes with sizes and edges between them.  Open groups inside the
 * group are laid out first and are boxes here.  Flow is downwards: ports of the group's in side are
 * the first row, those of the out side the last.  Nodes and edges hold no pointers, so that equal
 * bodies are equal bytes and are laid out only once (viz_body_hash).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/geometry.h"

/* In tail_at and head_at: the layout chooses where the edge meets the node. */
#define VIZ_ANYWHERE (-1.f)

typedef enum
{
  VIZ_NODE_BOX,
  VIZ_NODE_TITLE, /* keeps room for the group's title: first in the first row */
  VIZ_NODE_IN,    /* port on the in side: first row */
  VIZ_NODE_OUT,   /* port on the out side: last row */
} VizNodeKind;

typedef enum
{
  VIZ_EDGE_FEEDBACK = 1 << 0, /* routed along the group's border, not by the layout */
  VIZ_EDGE_SIDEWAYS = 1 << 1, /* a state: with columns it leaves right and enters left */
  VIZ_EDGE_LABELLED = 1 << 2, /* needs room above its head for a label ("true") */
} VizBodyEdgeFlags;

/* Sizes are in points.  All members have four bytes: viz_body_hash() reads the struct as words. */
typedef struct
{
  float   width, height;
  float   label;  /* width to keep free, right of the middle, for the label below the node */
  gint32  order;  /* ports: position among the ports of their side; -1: free */
  gint32  hint;   /* position among its siblings in the previous picture; -1: none */
  gint32  column; /* step; -1: before the first step */
  gint32  row;    /* layer, or -1 */
  guint32 kind;   /* VizNodeKind */
} VizBodyNode;

typedef struct
{
  guint32 tail, head;       /* nodes */
  float   tail_at, head_at; /* x from the node's left border, or VIZ_ANYWHERE */
  guint32 tensor;           /* edges with one number carry the same tensor and may share a line */
  guint32 flags;            /* VizBodyEdgeFlags */
} VizBodyEdge;

/* A column of a wrapped body (wrap.h): its extent in x. */
typedef struct
{
  double left, right;
} VizColumn;

/* The group in the previous picture, for a layout that changes it as little as possible.  Only set
 * if the group had the same boxes.  Coordinates start at the corner of the content. */
typedef struct
{
  double   width, height;
  VizRect *nodes;       /* per node; width -1: a port that was not there */
  guint32 *first_point; /* n_edges + 1: the routes in points; empty: unknown */
  GArray  *points;      /* VizPoint, as in the answer */

  /* If the group was wrapped: in how many columns, and how far each of them was moved below the one
   * before it in nodes, points and height.  Otherwise 0. */
  guint32 n_columns;
  double  step;
} VizBodyPrevious;

typedef struct
{
  guint32          n_nodes, n_edges;
  VizBodyNode     *nodes;
  VizBodyEdge     *edges;
  VizBodyPrevious *previous; /* (nullable) */

  /* The answer */
  VizPoint *at;            /* upper left corner of each node */
  guint32  *first_point;   /* n_edges + 1; a route is 3k + 1 points: Bézier curves end to end */
  GArray   *points;        /* VizPoint */
  guint8   *stub;          /* per edge: only the part at the head is routed */
  double    width, height; /* of the content */
  GArray   *columns;       /* (nullable) VizColumn, if the answer was wrapped */
  guint32   current;       /* the edge whose route is being written */
} VizBody;

/* A body with zeroed nodes and edges, for the caller to fill. */
VizBody *viz_body_new (guint32 n_nodes, guint32 n_edges);
/* Adds an empty previous state of that size, for the caller to fill. */
void viz_body_add_previous (VizBody *body, double width, double height);
/* Frees a body; NULL is allowed. */
void viz_body_free (VizBody *body);

/* A hash over nodes and edges, for GHashTable. */
guint viz_body_hash (gconstpointer body);
/* Whether two bodies have equal nodes and edges; answer and previous state do not count. */
gboolean viz_body_equal (gconstpointer a, gconstpointer b);
/* Copies the answer of an equal body. */
void viz_body_copy_answer (VizBody *body, const VizBody *from);

/* For layouts.  An answer is written between viz_body_begin() and viz_body_end(): places into at,
 * then routes in the order of the edges.  An edge without a route is not drawn. */

/* Allocates an empty answer; frees an old one. */
void viz_body_begin (VizBody *body);
/* Starts the route of an edge at a point. */
void viz_body_begin_route (VizBody *body, guint32 edge, double x, double y);
/* Continues the route with a straight line. */
void viz_body_line_to (VizBody *body, double x, double y);
/* Continues the route with a curve that starts and ends vertically. */
void viz_body_curve_to (VizBody *body, double x, double y);
/* Continues the route to corner and rounds it towards next, with a radius of up to 6 points. */
void viz_body_turn (VizBody *body, VizPoint corner, VizPoint next);
/* Moves the answer to start at 0, 0 and sets its size. */
void viz_body_end (VizBody *body);

/* viz_body_line_to() for an array of VizPoint that holds at least a start. */
void viz_points_line_to (GArray *points, double x, double y);
/* viz_body_turn() for an array of VizPoint that holds at least a start. */
void viz_points_turn (GArray *points, VizPoint corner, VizPoint next);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizBody, viz_body_free)
