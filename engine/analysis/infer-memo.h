/* infer-memo.h — remembers what was inferred about bodies, while the graph around them is inferred.
 *
 * A rule that owns a body infers it again whenever a type around it becomes better known, and bodies
 * may be nested: without a memory the work doubles with each level.  The memory belongs to the thread
 * and lasts as long as the outermost inference, in which all graphs stay alive.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/subgraph-types.h"

/* Begins an inference, or one inside another. */
void hyb_infer_memo_begin (void);
/* Counts one application of a rule.  FALSE and an error beyond the limit of work (limits.h). */
gboolean hyb_infer_memo_count (GError **error);
/* Ends it; the outermost one forgets everything. */
void hyb_infer_memo_end (void);

/* Copies into *types what was stored for the same body and the same known types.  FALSE: nothing
 * was; *key is then to be passed to hyb_infer_memo_store(). */
gboolean hyb_infer_memo_find (HybGraph *body, const HybSubgraphTypes *types, GBytes **key);
/* Stores what is now known.  key: (transfer full) */
void hyb_infer_memo_store (GBytes *key, HybGraph *body, const HybSubgraphTypes *types);
