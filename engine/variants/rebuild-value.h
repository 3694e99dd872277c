/* rebuild-value.h — makes the new values of old ones, and whole sequences or single steps of them.
 *
 * Every function may add nodes to the new graph; after an error in rebuild the results are void.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/sequence.h"

/* The new value that replaces an old one; adds its nodes if they do not exist yet.  Sets
 * rebuild->error and returns 0 if the old value was not visited. */
HybValueId hyb_rebuild_value (HybRebuild *rebuild, HybValueId old);
/* Copies the old node, reading the new values of its inputs, and sets the values of its outputs. */
void hyb_rebuild_copy_node (HybRebuild *rebuild, HybNodeId id);

/* The old value as a sequence of n steps with time on this axis (0 or 1). */
HybSequence *hyb_rebuild_sequence (HybRebuild *rebuild, HybValueId old, guint axis, guint n);
/* The sequence whose steps are these n old values: a known one, also in reverse, or a new one. */
HybSequence *hyb_rebuild_gather (HybRebuild *rebuild, guint n, const HybValueId *old);

/* All steps as one array with time on this axis (0 or 1). */
HybValueId hyb_sequence_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis);
/* One step, without the time axis. */
HybValueId hyb_sequence_step (HybRebuild *rebuild, HybSequence *sequence, guint step);
