/* gradient-check.h — gradients against quotients of differences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* What is left 0 takes its natural value. */
typedef struct
{
  gboolean training;
  guint64  seed;      /* of random operators: the same for every run */
  double   tolerance; /* of |gradient - quotient| / max (1, |both|); 0: 1e-5, or 1e-2 in float32 */
  guint    max_elements; /* looked at per variable; 0: 64 */
} HybGradientCheck;

/* Multiplies the heads with random numbers, and compares the gradient of the sum for
 * the variables wrt with (f (x + h) - f (x - h)) / 2h, in float64 where all operators
 * can.  variables: one per variable in node order.  FALSE and an error naming the
 * first variable and element that disagree. */
gboolean hyb_gradient_check (HybGraph               *graph,
                             HybTensor *const       *variables,
                             guint                   n_wrt,
                             const HybNodeId        *wrt,
                             const HybGradientCheck *options,
                             GError                **error);
