/* regions.h — a region between a fork and a join, and which boxes regions hold.
 *
 * fold-regions.c finds regions; fold-blocks.c finds blocks beside them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/fold-private.h"

/* The boxes that one value enters and one leaves. */
typedef struct
{
  guint32 fork; /* the box before the region, whose value branches */
  guint32
      join; /* the box in which the branches meet; of a block without branches, its last layer */
  GArray *boxes;   /* guint32, in the order of the flow */
  guint   n_front; /* of these boxes: the layer whose value branches, with its activations */
  GArray *strips;  /* guint32: the activations and norms behind the join */
  char   *text;    /* equal for regions of equal structure */
} VizRegion;

struct _VizRegions
{
  VizDiagramBuilder *builder;
  guint32           *place; /* per box: its index in the sequence + 1, or 0 */
  /* Arrows between boxes that are drawn: those that leave and enter box i. */
  guint32 *first_out, *heads, *first_in, *tails;
  guint32 *received; /* per box, while a region is followed: arrows from the region */
  guint32 *index;    /* per box, while a region is described: its place in the region + 1 */
  guint8  *is_taken; /* in a region that is going to be grouped */
};

/* The number of arrows that enter a box. */
static inline guint32
viz_regions_n_in (const VizRegions *regions, guint32 box)
{
  return regions->first_in[box + 1] - regions->first_in[box];
}

/* The number of arrows that leave a box. */
static inline guint32
viz_regions_n_out (const VizRegions *regions, guint32 box)
{
  return regions->first_out[box + 1] - regions->first_out[box];
}

/* The operator of a box. */
static inline const char *
viz_regions_title (const VizRegions *regions, guint32 box)
{
  const char *title = viz_diagram_builder_box (regions->builder, box)->title;

  return title ? title : "";
}

/* Whether a box is an activation or norm of the box before it. */
static inline gboolean
viz_regions_is_strip (const VizRegions *regions, guint32 box)
{
  VizCategory category = viz_diagram_builder_box (regions->builder, box)->category;

  return regions->place[box] > 0 && viz_regions_n_in (regions, box) == 1 &&
         (category == VIZ_CATEGORY_ELEMENTWISE || category == VIZ_CATEGORY_NORMALISATION);
}

/* Whether no region holds one of these boxes yet. */
static inline gboolean
viz_regions_is_free (const VizRegions *regions, const GArray *boxes)
{
  for (guint i = 0; i < boxes->len; i++)
    if (regions->is_taken[g_array_index (boxes, guint32, i)])
      return FALSE;
  return TRUE;
}

/* Keeps other regions from holding these boxes. */
static inline void
viz_regions_take (VizRegions *regions, const GArray *boxes)
{
  for (guint i = 0; i < boxes->len; i++)
    regions->is_taken[g_array_index (boxes, guint32, i)] = TRUE;
}
