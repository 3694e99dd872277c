/* direct-layout.h — how an image is laid out for direct-convolution.c.
 *
 * The layout has a plane for each channel and, with strides, one for each phase: every stride-th
 * row and column, starting at a given one.  A map whose layout is larger than the second-level cache is
 * computed in strips, rows of the map (columns if it has one row only), each of which is laid out
 * by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/filter-tile.h"

#define HYB_MAX_TAPS 64 /* of the kernel along one axis */
/* Sizes up to this can be multiplied by each other without overflow. */
#define HYB_MAX_CELLS ((gint64) 1 << 24)

/* The taps of one axis.  Phase p of an image is every stride-th cell from cell rest[p] on.  Tap t
 * covers cell i + shift[t] of phase[t] at position i of the map. */
typedef struct
{
  gint64 n_phases;
  gint64 rest[HYB_MAX_TAPS];
  gint64 phase[HYB_MAX_TAPS];
  gint64 shift[HYB_MAX_TAPS];
} HybDirectTaps;

typedef struct
{
  HybConvolve convolve; /* pointwise kernels: with all positions in one row */
  gboolean    is_image; /* the image is laid out already: a pointwise kernel */
  gboolean
      is_joined; /* rows belong to several samples: no sum may depend on the place in the batch */
  HybDirectTaps rows, columns;
  gint64        channels;      /* of one group */
  gint64        depth;         /* channels × taps */
  gint64        strip[2];      /* rows and columns of the map in a strip */
  gint64        n_strips[2];   /* along rows and columns; one of them is 1 */
  gint64        height, pitch; /* rows, and floats from row to row, of one phase of a strip */
  gint64        plane;         /* floats of all phases of one channel of a strip */
} HybDirectLayout;

/* One part of the map, and the vectors that cover it. */
typedef struct
{
  gint64 row, column; /* where it begins */
  gint64 n_rows, n_columns;
  gint64 positions;   /* floats from the first sum to the last, including the gaps
                               * between the rows of the map, which are dropped */
  gint64 row_vectors; /* vectors of one row of the map, each row beginning with a vector of its
                               * own; 0 if vectors follow each other through the gaps */
  gint64 n_vectors;   /* vectors that cover the positions */
} HybDirectStrip;

/* Whether there are two spatial axes, with sizes for which nothing overflows. */
gboolean hyb_direct_sizes_are_modest (const HybConvolve *convolve);
/* Finds the phases of one axis, 1 or 2, of a convolution of modest sizes. */
void hyb_direct_taps_init (HybDirectTaps *taps, const HybConvolve *convolve, int axis);
/* Computes the layout of a convolution of modest sizes. */
void hyb_direct_layout_init (HybDirectLayout *layout, const HybConvolve *convolve);
/* Returns strip number `index`. */
HybDirectStrip
hyb_direct_layout_strip (const HybDirectLayout *layout, const HybTiles *tiles, gint64 index);
/* Computes the offset in a strip that is laid out at which each channel and tap starts (depth). */
void hyb_direct_layout_shifts (const HybDirectLayout *layout, gint64 *shifts);
/* Lays out all channels of a group for a strip: channels × plane floats.  image: of the group. */
void hyb_direct_layout_fill (const HybDirectLayout *layout,
                             const HybDirectStrip  *strip,
                             const float           *image,
                             float                 *planes);

/* Where a tile of the filters from `filter` on goes that begins at a position of the map of one sample.  Inline: the fields
 * are written where they are read, and copying them at once would wait for them. */
static inline HybTileMap
hyb_direct_tile_map (const HybDirectLayout   *layout,
                     const HybConvolveFinish *finish,
                     float                   *map,
                     gint64                   filter,
                     gint64                   position)
{
  gint64 stride = layout->convolve.map[1] * layout->convolve.map[2];
  gint64 at = filter * stride + position;

  return (HybTileMap){ .to = map + at,
                       .other = finish->other ? finish->other + at : NULL,
                       .bias = finish->bias ? finish->bias + filter : NULL,
                       .stride = stride,
                       .rectify = finish->rectify,
                       .slope = finish->slope };
}
