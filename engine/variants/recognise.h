/* recognise.h — finds recurrent cells in a graph by their formulas.
 *
 * The gates of a step are sums of products of an input and of a state with rows of weights, however
 * these are split, stacked and named.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

/* All chains of cells in graph, and repeated bodies of no known cell where is_state is NULL.
 * types: by value, perhaps unknown; NULL if nothing is known.
 * is_state: by value, nonzero for the states of the loop whose body graph is; NULL for a main
 * graph. (transfer full) */
HybCells *hyb_cells_find (HybGraph *graph, const HybType *types, const guint8 *is_state);
