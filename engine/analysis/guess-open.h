/* guess-open.h — guesses the open dimensions of the inputs of a graph of another format.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/guess-types.h"

/* hyb_guess_shapes() for graphs with a dialect. */
GPtrArray *hyb_guess_open (HybGraph            *graph,
                           HybType             *types,
                           const guint8        *needed,
                           gboolean             training,
                           const HybGuessHints *hints);
