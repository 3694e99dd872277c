/* layers.h — the graph that the stages of the layered layout share.
 *
 * Stages, one file each: layers-rank.c (rows), layers-build.c (virtual nodes where an edge crosses a
 * row), layers-order.c (order in each row, few crossings), layers-place.c (x, then layers-shorten.c),
 * layers-route.c (curves).  layout-layers.c calls them in that order.  If the group in the previous
 * picture is known, layers-update.c replaces ranking, ordering and placing.
 * Graphviz has such a layout, too, but it takes twenty times as long, crosses more edges (figures in
 * viz/README.md) and cannot keep the picture that was there.
 * References: Sugiyama, Tagawa, Toda 1981; Barth, Jünger, Mutzel 2002 (counting crossings); Brandes,
 * Köpf 2001 (x).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/layout/body.h"

#include <gio/gio.h>

#define VIZ_NO_NODE G_MAXUINT32

/* An edge over more rows than this is drawn as two stubs: every row would cost a virtual node. */
#define VIZ_LONG_EDGE 40
/* The long edges of a node with more long edges than this are drawn as stubs, too. */
#define VIZ_HUB 32

/* A piece of an edge between neighbouring rows. */
typedef struct
{
  guint32 upper, lower;       /* nodes */
  float   upper_at, lower_at; /* x of the ends from the middle of their nodes */
} VizLink;

typedef struct
{
  const VizBody *body;
  GCancellable  *cancellable;

  /* Ranks, one per node of the body */
  guint32 *rank;
  guint8  *reversed; /* per edge: drawn from head to tail to break a cycle */
  guint32  n_ranks;
  gboolean has_hints; /* some nodes have a position in the previous picture */

  /* Per node: those of the body, then virtual nodes */
  guint32  n_nodes;
  guint32 *row;          /* its rank */
  float   *left, *right; /* room to keep from its middle */
  guint32 *position;     /* in its row, from 0 */
  double  *x;            /* of its middle */
  double  *y;            /* (nullable) upper border; only nodes of the body */

  double *row_y, *row_height;    /* per row */
  double  min_width, min_height; /* of the whole content */

  guint32  n_links;
  VizLink *links;
  guint32 *first_down, *down; /* links below node i, by upper_at: from down[first_down[i]] on */
  guint32 *first_up, *up;     /* links above node i, by lower_at: from up[first_up[i]] on */

  /* Rows: nodes from left to right */
  guint32 *first_in_row; /* n_ranks + 1 */
  guint32 *rows;

  /* Per edge of the body */
  guint32 *first_bend; /* its first virtual node; the others have the next numbers, downwards */
  guint32 *n_bends;    /* the number of its virtual nodes */
  guint8  *stub;       /* drawn as stubs, without virtual nodes */
} VizLayers;

/* The upper or the lower node of an edge as it is drawn. */
static inline guint32
viz_layers_end (const VizLayers *layers, guint32 edge, gboolean upper)
{
  const VizBodyEdge *ends = &layers->body->edges[edge];

  return upper != (gboolean) layers->reversed[edge] ? ends->tail : ends->head;
}

/* The stages.  They return FALSE only when cancelled. */

/* Breaks cycles and sets rank, reversed and n_ranks. */
gboolean viz_layers_rank (VizLayers *layers);
/* Makes virtual nodes and links from the ranks. */
gboolean viz_layers_build (VizLayers *layers);
/* Fills the rows, in an order with few crossings. */
gboolean viz_layers_order (VizLayers *layers);
/* Sets x, row_y and row_height. */
gboolean viz_layers_place (VizLayers *layers);
/* Moves nodes sideways to shorten edges; called by viz_layers_place(). */
void viz_layers_shorten (VizLayers *layers);
/* Writes places and routes into the answer. */
void viz_layers_route (VizLayers *layers, VizBody *answer);

/* Sets rank and reversed from the rows of the previous picture.  Returns FALSE, and sets nothing, if
 * an edge would run within a row. */
gboolean viz_layers_reuse_ranks (VizLayers *layers);
/* Orders and places the nodes as in the previous picture, with room for boxes that grew. */
void viz_layers_update (VizLayers *layers);

/* Allocates the rows: sets first_in_row from row. */
void viz_layers_make_rows (VizLayers *layers);
/* Sets position from rows. */
void viz_layers_number_rows (VizLayers *layers);

/* Frees all arrays. */
void viz_layers_clear (VizLayers *layers);

/* Whether a node was made by viz_layers_build() and is not in the body. */
static inline gboolean
viz_layers_is_virtual (const VizLayers *layers, guint32 node)
{
  return node >= layers->body->n_nodes;
}

/* The least distance, in points, of two neighbours in a row; it does not depend on their order. */
static inline double
viz_layers_gap (const VizLayers *layers, guint32 a, guint32 b)
{
  guint n_virtual = viz_layers_is_virtual (layers, a) + viz_layers_is_virtual (layers, b);

  return n_virtual == 2 ? 10 : n_virtual == 1 ? 14 : 22;
}
