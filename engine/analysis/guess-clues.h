/* guess-clues.h — clues collected once per graph before the shapes of its inputs are guessed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The categories of all operators that depend on each node, as bits.  (transfer full) */
guint32 *hyb_guess_find_readers (const HybGraph *graph);
/* The sizes of the known dimensions of parameters, each once, at most this number of them: they show how many numbers a
 * layer reads.  (transfer full) */
GArray *hyb_guess_find_operands (HybGraph *graph, const HybType *types, guint most);
