/* open-dims.h — sizes for dimensions that a file leaves open, and names for sizes that follow from them.
 *
 * A graph is lowered with sizes in several turns.  A dimension that is the same in all of them is fixed; one that follows an
 * open dimension is expressed by its name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Sizes that are tried one after the other until the graph accepts them. */
typedef enum
{
  SIZES_DISTINCT,  /* every open dimension another prime */
  SIZES_LARGE,     /* the same with large ones */
  SIZES_MIDDLE,    /* the same with sizes of a frame of sound */
  SIZES_SMALL,     /* the same with the smallest */
  SIZES_ONE_BATCH, /* 1 for the first axes, where exports freeze most */
  SIZES_ONE,       /* 1 for all */
  N_SIZES,
} Sizes;

/* The third turn only refutes what the first two suggest, and is left out if the graph does not accept it. */
#define N_TURNS 3

/* A dimension of a variable whose size is open. */
typedef struct
{
  const char *name;          /* NULL: it has none */
  gboolean    is_batch;      /* the first axis */
  gboolean    is_extent;     /* of an image, which networks halve several times */
  gint64      size[N_TURNS]; /* that are being tried */
} OpenDim;

typedef struct
{
  HybGraph *graph;
  HybType  *types; /* by value, as given */
  GArray   *dims;  /* of OpenDim */
  guint
      *first; /* by variable: the index of the dimension of each axis, HYB_MAX_RANK entries each */
  gboolean training;
} OpenGraph;

/* Finds the open dimensions of the variables; open->first is then owned by the caller. */
void hyb_open_dims_collect (OpenGraph *open);
/* Gives all open dimensions their sizes of all turns. */
void hyb_open_dims_set_sizes (const OpenGraph *open, Sizes sizes);
/* The part of a type that is equal in all turns.  by_turn: NULL where a turn was not tried. */
HybType hyb_open_dims_merge (const OpenGraph *open, const HybType *const by_turn[N_TURNS]);
