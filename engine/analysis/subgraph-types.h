/* subgraph-types.h — the types inside a body of a loop or condition.
 *
 * A body is a graph whose variables are fed by the node that owns it.  Its types follow from its
 * variables by the rules of infer-types.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The arguments and results of hyb_subgraph_infer(). */
typedef struct
{
  HybType  *variables; /* types of the body's variables, read and written; may be unknown */
  HybType  *heads;     /* types of its heads, likewise */
  gboolean  training;
  gboolean *complete; /* set to whether every value of the body is known; may be NULL */
} HybSubgraphTypes;

/* Infers the types of a body's variables and heads from each other.  FALSE and an error for a
 * contradiction. */
gboolean hyb_subgraph_infer (HybGraph *body, const HybSubgraphTypes *types, GError **error);

/* The types of all values of a body as far as they follow from its variables.  NULL and an error
 * for a contradiction.  (transfer full) */
HybType *hyb_subgraph_value_types (HybGraph      *body,
                                   const HybType *variables,
                                   gboolean       training,
                                   GError       **error);

/* The number of variables of a body. */
guint hyb_subgraph_n_variables (const HybGraph *body);
/* The number of heads of a body. */
guint hyb_subgraph_n_heads (const HybGraph *body);

/* FALSE and an error unless the body has n_variables variables and n_heads heads.  name: a
 * description of the body for the message. */
gboolean hyb_subgraph_check (const HybGraph *body,
                             guint           n_variables,
                             guint           n_heads,
                             const char     *name,
                             GError        **error);

/* Adds the cost of running a body `times` times to *cost.  variables: the types of its variables. */
void hyb_subgraph_add_cost (HybGraph      *body,
                            const HybType *variables,
                            gboolean       training,
                            double         times,
                            HybCost       *cost);

/* The types of the variables of a body made by hyb_graph_with_gradients(): the variables of the
 * forward body, then the gradients of its n_heads heads.  NULL and an error for a contradiction.
 * (transfer full) */
HybType *hyb_subgraph_gradient_types (HybGraph      *body,
                                      const HybType *forward_variables,
                                      guint          n_heads,
                                      gboolean       training,
                                      GError       **error);

/* The shape of one row along the slowest axis, unknown for a scalar.  Under the legacy
 * rules, which have no rank 0, a row of a vector has one element. */
HybShape hyb_loop_row_shape (const HybShape *shape, gboolean legacy);
/* TRUE if all n types are known. */
gboolean hyb_types_are_known (const HybType *types, guint n);
