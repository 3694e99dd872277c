/* repeats.h — steps of no known cell, found by the weights that they share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The same operator with the same weight again and again, each time on what the time
 * before led to. */
typedef struct
{
  HybNodeId first, last; /* of the nodes that read the weight */
  guint     n_steps;
  guint     n_nodes; /* of all steps */
} HybRepeat;

/* Of HybRepeat; without those whose nodes are taken (one flag per node). */
GArray *hyb_repeats_find (HybGraph *graph, const guint8 *taken);
