/* gradient-check.h — compares gradients with difference quotients.
 *
 * Tests of operators and graphs use it; nothing else in the library does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Options of a check; an option of 0 has the default given in its comment. */
typedef struct
{
  HybGraph         *graph;
  HybTensor *const *variables; /* one tensor for each variable of the graph, in node order */
  guint             n_wrt;
  const HybNodeId  *wrt; /* the variables whose gradients are checked */
  gboolean          training;
  guint64           seed; /* of random operators, for every run of the graph */
  /* Limit of |gradient − quotient| / max (1, |gradient|, |quotient|).  0: 1e-5, or 1e-2 where the
   * graph computes in float32. */
  double tolerance;
  guint  max_elements; /* checked of each variable; 0: 64 */
} HybGradientCheck;

/* Compares the gradient of f = Σ weight · head, with random weights, for the variables wrt with the
 * difference quotient (f (x + h) − f (x − h)) / 2h, in float64 if all operators can.  Returns FALSE
 * and an error that names the first variable and element that differ. */
gboolean hyb_gradient_check (const HybGradientCheck *request, GError **error);
