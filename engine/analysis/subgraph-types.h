/* subgraph-types.h — the types inside a body of a loop or condition.
 *
 * A body is a graph whose variables are fed by the node that owns it.  Its types
 * follow from those of its variables, by the rules of infer-types.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Lets a body's variables and heads learn from each other; both arrays are in and
 * out, unknown where nothing is known.  complete (may be NULL): no value of the body
 * is left unknown.  FALSE for a contradiction. */
gboolean hyb_subgraph_infer (HybGraph *body,
                             HybType  *variables,
                             HybType  *heads,
                             gboolean  training,
                             gboolean *complete,
                             GError  **error);

/* Types of all values of a body, as far as those of its variables determine them.
 * (transfer full); NULL and an error for a contradiction. */
HybType *hyb_subgraph_value_types (HybGraph      *body,
                                   const HybType *variables,
                                   gboolean       training,
                                   GError       **error);

guint hyb_subgraph_n_variables (const HybGraph *body);
guint hyb_subgraph_n_heads (const HybGraph *body);

/* FALSE (and an error) unless the body has so many variables and heads. */
gboolean hyb_subgraph_check (const HybGraph *body,
                             guint           n_variables,
                             guint           n_heads,
                             const char     *name,
                             GError        **error);

/* Adds what a body costs, so many times.  variables: their types. */
void hyb_subgraph_add_cost (HybGraph      *body,
                            const HybType *variables,
                            gboolean       training,
                            double         times,
                            HybCost       *cost);

/* Of a body made by hyb_graph_with_gradients(): the types of its variables, which are
 * those of the forward body, then gradients of its n_heads heads.  (transfer full) */
HybType *hyb_subgraph_gradient_types (HybGraph      *body,
                                      const HybType *forward_variables,
                                      guint          n_heads,
                                      gboolean       training,
                                      GError       **error);

/* The shape of one row along the slowest axis, unknown for a scalar.  Under the legacy
 * rules, which have no rank 0, a row of a vector has one element. */
HybShape hyb_loop_row_shape (const HybShape *shape, gboolean legacy);
