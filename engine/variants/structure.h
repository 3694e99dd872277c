/* structure.h — lists the recurrent parts of a graph, in whatever form, and its branches.
 *
 * Used to describe a model to users; conversions use recognise.h and group.h directly.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef enum
{
  HYB_STRUCTURE_CELL, /* a known cell over its steps, unrolled or fused */
  HYB_STRUCTURE_LOOP, /* a loop, or unrolled steps of no known cell */
  HYB_STRUCTURE_BRANCH,
} HybStructureKind;

typedef struct
{
  HybStructureKind kind;
  char       *cell; /* "lstm"; "lstm+gru" for several in one loop; "body" for no known cell; NULL */
  const char *direction; /* "forward", "backward", "both"; NULL: not known */
  guint       layers;    /* 0: not known */
  gint64      hidden;    /* 0: not known */
  gint64      steps;     /* 0: not known */
  guint       nodes;     /* number of its nodes, with bodies */
  HybNodeId   node;      /* the node itself, or the last node of the first unrolled step */
} HybStructure;

/* GArray of HybStructure, in the order of node.  types: by value, perhaps unknown.  (transfer full)
 * */
GArray *hyb_structure_find (HybGraph *graph, const HybType *types);
/* "cell", "loop", "branch". */
const char *hyb_structure_kind_name (HybStructureKind kind);
