/* match-step.h — one step of a cell below one node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

typedef struct
{
  HybGraph      *graph;
  const HybType *types; /* NULL: unknown */
} HybMatcher;

/* TRUE if the first output of this node is the new state of a cell.  Where only names
 * could tell the input from the state, is_decided stays FALSE: x and h_in may be the
 * wrong way round. */
gboolean hyb_match_step (const HybMatcher *matcher, HybNodeId node, HybCellStep *step);
/* Takes the other of the two terms for the state's. */
void hyb_step_swap_terms (HybCellStep *step);
/* The same rows of the same weights and biases in all gates. */
gboolean hyb_steps_share_weights (const HybCellStep *a, const HybCellStep *b);
