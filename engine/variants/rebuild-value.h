/* rebuild-value.h — makes the new values of old ones, and whole sequences or single steps of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/sequence.h"

/* The new value of an old one, made if need be. */
HybValueId hyb_rebuild_value (HybRebuild *rebuild, HybValueId old);
/* The old node, reading what its inputs became, whatever it does to sequences. */
void hyb_rebuild_copy_node (HybRebuild *rebuild, HybNodeId id);

/* What an old value is over its time axis; a new sequence if it is none yet. */
HybSequence *hyb_rebuild_sequence (HybRebuild *rebuild, HybValueId old, guint axis, guint n);
/* The sequence that these old values, one a step, are; a new one if they are none. */
HybSequence *hyb_rebuild_gather (HybRebuild *rebuild, guint n, const HybValueId *old);

HybValueId hyb_sequence_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis);
HybValueId hyb_sequence_step (HybRebuild *rebuild, HybSequence *sequence, guint step);
