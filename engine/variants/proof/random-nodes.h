/* random-nodes.h — the nodes of two graphs that draw random numbers, so that both draw the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Whether a node draws random numbers itself, with its attributes. */
gboolean hyb_node_draws (const HybNode *node);

/* How the nodes of two graphs that draw random numbers correspond. */
typedef enum
{
  HYB_DRAWS_NONE,     /* neither graph has any */
  HYB_DRAWS_BY_NAME,  /* each has a node of the same name in the other graph */
  HYB_DRAWS_BY_ORDER, /* there are as many of the same operators in the same order */
  HYB_DRAWS_OTHERWISE /* they draw in different ways */
} HybDraws;

/* Compares the nodes, also those in bodies.  difference: (out) (nullable) (transfer full): the difference, as a
 * clause. */
HybDraws hyb_draws_compare (HybGraph *a, HybGraph *b, char **difference);
