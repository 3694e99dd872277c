/* guess-inputs.h — guesses the open shapes of a model's inputs, if need be with the help of weights beside its file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/guess-shapes.h"
#include "engine/graph/model.h"

/* As hyb_guess_shapes() for the graph of a model.  If an input stays open and weights are missing, the shapes of
 * other weights in the model's folder help, but only of files that have an array for every parameter and agree; the
 * reasons then name such a file.  Their values are not used.  (transfer full) */
GPtrArray *hyb_model_guess_inputs (HybModel            *model,
                                   HybType             *types,
                                   const guint8        *needed,
                                   gboolean             training,
                                   const HybGuessHints *hints);
