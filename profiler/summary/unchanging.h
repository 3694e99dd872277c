/* unchanging.h — which nodes compute the same in every run, since they depend on parameters alone.
 *
 * Parameters do not change between runs of inference.  A plan that may rely on that
 * (ProfSubjectOptions.fold_parameters) computes these nodes once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/attribute.h"

/* The fact of a recording whose plan computed values from parameters alone once; missing from others. */
#define PROF_FOLDED_KEY   "folded"
#define PROF_FOLDED_VALUE "what depends on parameters alone"
/* The bytes that such a plan keeps besides the parameters. */
#define PROF_FOLDED_BYTES_KEY "folded.bytes"
/* The bytes that it would keep, in a recording of another plan; missing where nothing depends on parameters
 * alone. */
#define PROF_FOLDABLE_BYTES_KEY "foldable.bytes"

/* Marks the rows of nodes that depend on parameters alone as PROF_NODE_UNCHANGING, and stores how the subject
 * was planned. */
void prof_unchanging_add (ProfBuilder           *builder,
                          const ProfAttribution *attribution,
                          const ProfSubject     *subject);
