/* trial.h — runs a graph in many ways and compares what they compute.
 *
 * How much results may differ follows from the graph: the reference is computed again with every intermediate value changed by
 * as much as rounding may change it.  An element that changes a lot cannot be compared (a step, a cancellation), all others must
 * agree.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A graph with its inputs, and what it computes operator by operator. */
typedef struct _Trial Trial;
struct _Trial
{
  HybGraph    *graph;
  const Trial *forward; /* of a trial of gradients */
  gboolean     training;
  gboolean     can_be_written; /* to a file that gives the same numbers back */
  GPtrArray   *values;         /* of HybTensor, by variable */
  GPtrArray   *results;        /* of HybTensor: the heads, then the variables that were written */
  GPtrArray     *
      tolerance; /* by result: double by element; negative: not compared.  NULL for a result whose type varies */
  guint64 n_compared, n_elements;
};

/* Computes the reference.  NULL and an error if the graph cannot be run. */
Trial *trial_new (HybGraph *graph, GPtrArray *values, gboolean training, GError **error);
void   trial_free (Trial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trial, trial_free)

/* The trial that continues with gradients of all arguments that are floats, those of the outputs being random.  It refers to
 * `forward`, which must outlive it.  NULL if the graph has no gradient, or an operator says while running that it has none. */
Trial *trial_new_gradient (const Trial *forward, guint64 seed);

/* The number of ways to run a graph, and the name of one. */
guint       trial_n_ways (void);
const char *trial_way_name (guint way);
/* Runs it that way.  NULL if results agree, else a sentence that says what differs.  (transfer full) */
char *trial_run (Trial *trial, guint way);

/* Infers types with the shapes of some variables unknown.  NULL if nothing contradicts the results.  (transfer full) */
char *trial_infer (const Trial *trial, guint64 seed);
