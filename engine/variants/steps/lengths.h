/* lengths.h — sequences that end early.
 *
 * Unrolled steps and loops compute all steps of all sequences.  Steps behind the end of a sequence are dropped afterwards:
 * outputs are masked, and final states come from the last step of each sequence.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/sequence.h"
#include "engine/variants/steps/find-lengths.h"

/* lengths is a new value: the number of steps of each sequence of the batch.  Time is on axis 0. */

/* The steps of each sequence in reverse order; steps behind its end stay. */
HybSequence *hyb_lengths_reverse (HybRebuild *rebuild, HybSequence *sequence, HybValueId lengths);
/* Zeros behind the end of each sequence. */
HybSequence *hyb_lengths_mask (HybRebuild *rebuild, HybSequence *sequence, HybValueId lengths);
/* The state after the last step of each sequence: the initial one where it has no steps.  states: after every step. */
HybValueId
hyb_lengths_last (HybRebuild *rebuild, HybValueId initial, HybSequence *states, HybValueId lengths);

/* The lengths that were found in the old graph, as a new value; their nodes need not have been visited. */
HybValueId hyb_lengths_value (HybRebuild *rebuild, HybValueId old);
/* Replaces the nodes found by outputs of a fused operator with lengths.  first: the first output. */
void hyb_lengths_place (HybRebuild            *rebuild,
                        const HybChainLengths *found,
                        guint                  n_steps,
                        HybValueId             first);
