/* layers.h — the layered layout's own graph, shared by its stages.
 *
 * Stages, one file each: layers-rank.c (which row), layers-build.c (virtual nodes
 * where an edge crosses a row), layers-order.c (left to right, few crossings),
 * layers-place.c (x), layers-route.c (curves).  layout-layers.c calls them in
 * that order.  References: Sugiyama, Tagawa, Toda 1981; Barth, Jünger, Mutzel
 * 2002 (counting crossings); Brandes, Köpf 2001 (x).
 *
 * layers-keep.c takes the place of ranks, order and x where the picture before is known.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/layout/body.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIZ_NO_NODE G_MAXUINT32

/* Beyond this many rows an edge is drawn as two stubs: every row would cost a virtual node. */
#define VIZ_LONG_EDGE 40
/* A node with more long edges than this gets them as stubs too. */
#define VIZ_HUB 32

/* A piece of an edge between neighbouring rows. */
typedef struct
{
  guint32 upper, lower;
  float   upper_at, lower_at; /* from the middle of the node */
} VizLink;

typedef struct
{
  const VizBody *body;
  GCancellable  *cancellable;

  /* Ranks, one per node of the body */
  guint32 *rank;
  guint8  *reversed; /* per edge: drawn from head to tail to break a cycle */
  guint32  n_ranks;
  gboolean has_hints;

  /* Nodes of the body, then virtual nodes */
  guint32  n_nodes;
  guint32 *row;          /* rank of each */
  float   *left, *right; /* room from the middle */
  guint32 *position;     /* in its row */
  double  *x;            /* of the middle */
  double  *y;            /* (nullable) upper border of the body's nodes, where rows do not say it */
  double  *row_y, *row_height;
  double   least_width, least_height; /* of the whole */

  guint32  n_links;
  VizLink *links;
  guint32 *first_down, *down; /* links below a node, by upper_at */
  guint32 *first_up, *up;     /* links above a node, by lower_at */

  /* Rows: nodes from left to right */
  guint32 *first_in_row; /* n_ranks + 1 */
  guint32 *rows;

  /* Per edge of the body: its virtual nodes from top to bottom */
  guint32 *first_bend; /* numbered one after the other */
  guint32 *n_bends;
  guint8  *stub;
} VizLayers;

/* FALSE only when cancelled. */
gboolean viz_layers_rank (VizLayers *layers);
gboolean viz_layers_build (VizLayers *layers);
gboolean viz_layers_order (VizLayers *layers);
gboolean viz_layers_place (VizLayers *layers);
void     viz_layers_settle (VizLayers *layers); /* called by place */
void     viz_layers_route (VizLayers *layers, VizBody *answer);

/* FALSE: the rows cannot be kept; nothing is changed. */
gboolean viz_layers_keep_rank (VizLayers *layers);
/* Instead of order and place. */
void viz_layers_keep (VizLayers *layers);

/* Empty rows, and where each begins. */
void viz_layers_make_rows (VizLayers *layers);
void viz_layers_number_rows (VizLayers *layers);

void viz_layers_clear (VizLayers *layers);

static inline gboolean
viz_layers_is_virtual (const VizLayers *layers, guint32 node)
{
  return node >= layers->body->n_nodes;
}

/* Least distance between two neighbours of a row, in either order. */
static inline double
viz_layers_gap (const VizLayers *layers, guint32 a, guint32 b)
{
  guint n_virtual = viz_layers_is_virtual (layers, a) + viz_layers_is_virtual (layers, b);

  return n_virtual == 2 ? 10 : n_virtual == 1 ? 14 : 22;
}

G_END_DECLS
