/* move.h — strided copies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"
#include "engine/cuda/ops/axes.h"

/* A copy; operand 0 of axes is read, operand 1 is written. */
typedef struct
{
  HybAxes axes;
  gint64  from, to; /* the first elements */
  guint   input, output;
} HybMoveWalk;

/* The prepared data of a twin of moves: n walks, done one after the other. */
typedef struct
{
  CUfunction  move, move_tiles;
  gsize       item;   /* bytes of an element */
  gboolean    clears; /* output 0 is cleared before */
  guint       n;
  HybMoveWalk walk[];
} HybMoves;

/* For HybDeviceOp.prepare: allocates n walks over elements of output 0; the caller fills each of them.  NULL and an error
 * if the kernel does not compile. */
HybMoves *hyb_moves_new (HybDevice *device, const HybCall *call, guint n, GError **error);
/* Lets a walk write an array of this shape from its first to its last element; its reads begin at
 * element 0 with strides 0. */
void hyb_move_walk_start (HybMoveWalk *walk, const HybShape *output);
/* Joins the axes of all walks, and returns moves.  NULL and an error if one has too many axes; moves are
 * freed then. */
HybMoves *hyb_moves_finish (HybMoves *moves, GError **error);
/* For HybDeviceOp.launch. */
void hyb_moves_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared);

/* A row of a list of twins: an operator of moves, and its prepare(). */
#define HYB_MOVES_OP(id, function)                                                 \
  {                                                                                \
    .name = id, .prepare = function, .launch = hyb_moves_launch, .release = g_free \
  }
