/* structure.h — what is recurrent in a graph, in whatever form, and what branches.
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
  char            *cell; /* "lstm"; several in one loop: "lstm+gru"; "body": no known one; NULL */
  const char      *direction; /* "forward", "backward", "both"; NULL: not known */
  guint            layers;    /* 0: not known */
  gint64           hidden;    /* 0: not known */
  gint64           steps;     /* 0: not known */
  guint            nodes;
  HybNodeId        node; /* the node, or the last one of the first step */
} HybStructure;

/* Of HybStructure, in the order of node.  types: one per value, unknown where nothing
 * is known. */
GArray     *hyb_structure_find (HybGraph *graph, const HybType *types);
const char *hyb_structure_kind_name (HybStructureKind kind);
