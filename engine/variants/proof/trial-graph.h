/* trial-graph.h — copies of a graph that two models are compared with: in float64, with chosen random streams.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/proof/random-nodes.h"

typedef struct
{
  gboolean is_double; /* float32 becomes float64 */
  HybDraws draws;     /* which random stream a node gets */
} HybTrialGraph;

/* A copy with the same nodes.  NULL if an operator does not accept float64. (transfer full) */
HybGraph *hyb_trial_graph (HybGraph *graph, const HybTrialGraph *wanted);

/* Whether a graph with these types computes in float64 throughout: then rounding is no excuse for a difference that
 * float32 could show. */
gboolean hyb_graph_is_double (HybGraph *graph, const HybType *types);
