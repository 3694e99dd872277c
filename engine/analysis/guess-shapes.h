/* guess-shapes.h — guesses the open dimensions of a graph's inputs.
 *
 * Exports often do not store the shapes of their inputs.  A guess is a size that is usual for such
 * an input and that inference accepts; its reason states the evidence.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/guess-types.h"

/* Guesses the shapes of the variables of `needed` (flags by node) that hyb_infer_types() left open
 * in types, and infers types again from them.  training: as for the inference.  Inputs for which no guess is accepted stay
 * open.  An array of HybShapeGuess in the order of the variables, which frees its elements. (transfer full) */
GPtrArray *hyb_guess_shapes (HybGraph            *graph,
                             HybType             *types,
                             const guint8        *needed,
                             gboolean             training,
                             const HybGuessHints *hints);
