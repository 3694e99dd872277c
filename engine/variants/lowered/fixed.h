/* fixed.h — which nodes of a lowered graph compute the same in every run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Marks nodes that follow from parameters alone and only prepare them.  types: by value.  fixed, n_elements: by node; the
 * second is the size of the largest parameter that the node follows from. */
void hyb_find_fixed (HybGraph      *graph,
                     const HybType *types,
                     HybModel      *model,
                     guint8        *fixed,
                     gint64        *n_elements);
