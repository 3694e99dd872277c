/* infer-memo.h — caches the types inferred for bodies, while the graph around them is inferred.
 *
 * A rule that owns a body infers it again whenever a type around it becomes better known, and bodies
 * may be nested: without a memory the work doubles with each level.  The memory belongs to the thread
 * and lasts as long as the outermost inference, in which all graphs stay alive.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Begins an inference, or one inside another. */
void hyb_infer_memo_begin (void);
/* Counts one application of a rule.  FALSE and an error beyond the limit of work (limits.h). */
gboolean hyb_infer_memo_count (GError **error);
/* Ends it.  Ending the outermost one frees all answers. */
void hyb_infer_memo_end (void);

/* Whether an inference is going on, so that answers can be stored. */
gboolean hyb_infer_memo_is_active (void);
/* The value stored under key; NULL if there is none. */
gconstpointer hyb_infer_memo_find (GBytes *key);
/* Stores an answer, one block of memory that is freed with g_free().  answer: (transfer full) */
void hyb_infer_memo_store (GBytes *key, gpointer answer);
