/* body.h — the content of one open group as a layout problem, and its answer.
 *
 * A layout (layout.h) sees boxes with sizes and edges between them, nothing
 * else.  Groups that stand open inside are boxes here: they were laid out before.
 * Flow is downwards: ports of the group's in side are the first row, those of
 * the out side the last.  The arrays hold no pointers, so that equal bodies are
 * equal bytes and can be laid out once (see body_hash).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/geometry.h"

G_BEGIN_DECLS

/* Where an edge meets a node: points from the node's left border. */
#define VIZ_ANYWHERE (-1.f)

typedef enum
{
  VIZ_NODE_BOX,
  VIZ_NODE_TITLE, /* room for the group's title: first in the first row */
  VIZ_NODE_IN,    /* port on the in side: first row */
  VIZ_NODE_OUT,   /* port on the out side: last row */
} VizNodeKind;

typedef enum
{
  VIZ_EDGE_FEEDBACK = 1 << 0, /* routed by the group, not by the layout */
  VIZ_EDGE_SIDEWAYS = 1 << 1, /* a state: leaves right, enters left where the layout has columns */
  VIZ_EDGE_SAYS = 1 << 2,     /* "true" stands where it arrives */
} VizBodyEdgeFlags;

typedef struct
{
  float   width, height;
  float   label;  /* width of the label below its middle, to be kept free */
  gint32  order;  /* ports: place among their side; -1: free */
  gint32  hint;   /* place among its siblings in the picture before; -1: none */
  gint32  column; /* step, or -1: before the first */
  gint32  row;    /* layer, or -1 */
  guint32 kind;   /* VizNodeKind */
} VizBodyNode;

typedef struct
{
  guint32 tail, head;
  float   tail_at, head_at; /* VIZ_ANYWHERE: the layout chooses */
  guint32 tensor;           /* edges of one number carry the same and may share a line */
  guint32 flags;            /* VizBodyEdgeFlags */
} VizBodyEdge;

/* What stood here in the picture before, from the corner of the content: of every box, and
 * of those ports that were there (width < 0: it was not).  Only where the boxes are the same. */
typedef struct
{
  double   width, height;
  VizRect *nodes;
  guint32 *first_point; /* n_edges + 1: the ways of the edges; none: not known */
  GArray  *points;      /* VizPoint, as in the answer */
} VizBodyBefore;

typedef struct
{
  guint32        n_nodes, n_edges;
  VizBodyNode   *nodes;
  VizBodyEdge   *edges;
  VizBodyBefore *before; /* (nullable) */

  /* The answer */
  VizPoint *at;          /* left upper corner of each node */
  guint32  *first_point; /* n_edges + 1; a route is 3k+1 points: Bézier curves end to end */
  GArray   *points;      /* VizPoint */
  guint8   *stub;        /* the edge is cut: its route is only the part at the head */
  double    width, height;
  guint32   current;      /* the edge whose route is being written */
  gboolean  keeps_origin; /* room at the left stays: boxes are where they were before */
} VizBody;

VizBody *viz_body_new (guint32 n_nodes, guint32 n_edges);
/* Makes room for what was before; the caller fills it in. */
void viz_body_remember (VizBody *body, double width, double height);
void viz_body_free (VizBody *body);

guint    viz_body_hash (gconstpointer body);
gboolean viz_body_equal (gconstpointer a, gconstpointer b);

/* Copies the answer of an equal body. */
void viz_body_stamp (VizBody *body, const VizBody *like);

/* For layouts: forgets an answer, begins one; then routes are added edge by edge. */
void viz_body_begin (VizBody *body);
void viz_body_begin_route (VizBody *body, guint32 edge, double x, double y);
void viz_body_line_to (VizBody *body, double x, double y);
void viz_body_curve_to (VizBody *body, double x, double y); /* leaves and arrives vertically */
/* A rounded corner on the way to next. */
void viz_body_turn (VizBody *body, VizPoint corner, VizPoint next);
void viz_body_end (VizBody *body); /* moves all to start at 0, 0 */

/* The same for any array of points that holds a start. */
void viz_points_line_to (GArray *points, double x, double y);
void viz_points_turn (GArray *points, VizPoint corner, VizPoint next);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizBody, viz_body_free)

G_END_DECLS
