/* match-step.h — recognises one step of a cell from the node that makes its new state.
 *
 * Only the formula counts, not names: recognise.c links the steps and decides what the formula
 * alone cannot.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/steps/sum-of-products.h"

/* Fills step and returns TRUE if the first output of this node is the new state h of a cell.  If
 * the formula does not distinguish input and state, is_decided stays FALSE and x and h_in may be
 * exchanged. */
gboolean hyb_match_step (const HybMatcher *matcher, HybNodeId node, HybCellStep *step);
/* Exchanges the input terms of all gates with the hidden terms. */
void hyb_step_swap_terms (HybCellStep *step);
/* Whether two steps use the same rows of the same weights and biases in all gates. */
gboolean hyb_steps_share_weights (const HybCellStep *a, const HybCellStep *b);
