/* op-body.h — builds small graphs, such as bodies of loops, in a few lines.
 *
 * A mistake in a graph fails the test.  Start with op_node() and op_finish().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

/* Adds a node and returns its first output.  attributes is a text like "axis=0 keepdims=1", or NULL;
 * the inputs follow as HybValueId and end with HYB_NO_ID. */
HybValueId op_node (HybBuilder *builder, const char *op, const char *attributes, ...);
/* Adds a variable and returns its value. */
HybValueId op_variable (HybBuilder *builder, const char *name);
typedef struct
{
  guint             n_inputs;
  const HybValueId *inputs;
  guint             n_bodies;
  HybGraph *const  *bodies;
} OpOperands;

/* As op_node(), for an operator with bodies.  Takes over the reference to each body. */
HybValueId op_node_with_bodies (HybBuilder       *builder,
                                const char       *op,
                                const char       *attributes,
                                const OpOperands *operands);
/* Adds the heads, HybValueId that end with HYB_NO_ID, frees the builder and returns the graph. */
HybGraph *op_finish (HybBuilder *builder, ...);
