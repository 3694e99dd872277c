/* guess-networks.h — kinds of networks that are usually given images of one size; private to the guesses of shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The size of the images that are usual for a kind of network. */
typedef struct
{
  gint64      height, width;
  const char *reason; /* usual sizes by characteristic of the graph */
} HybGuessNetwork;

/* The first kind whose mark the graph has; types: inferred, shapes may be open.  NULL if it has none. */
const HybGuessNetwork *hyb_guess_find_network (HybGraph *graph, const HybType *types);
