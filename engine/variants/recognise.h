/* recognise.h — finds recurrent cells in a graph by what they compute.
 *
 * The gates of a step are sums of products of an input and of a state with rows of weights, however
 * these are split, stacked and named.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

/* types: one per value, unknown where nothing is known; NULL: nothing is.
 * is_state: by value, what is known to be a state (of the loop whose body graph is);
 * may be NULL. */
HybCells *hyb_cells_find (HybGraph *graph, const HybType *types, const guint8 *is_state);
