/* op-body.h — small graphs for tests of control flow.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

/* A node with attributes as text ("axis=0", NULL: none); inputs end with HYB_NO_ID.
 * Returns its first output; a mistake fails the test. */
HybValueId op_node (HybBuilder *builder, const char *op, const char *attributes, ...);
HybValueId op_variable (HybBuilder *builder, const char *name);
/* A node that owns bodies, which are swallowed; inputs as an array. */
HybValueId op_node_with_bodies (HybBuilder       *builder,
                                const char       *op,
                                const char       *attributes,
                                guint             n_inputs,
                                const HybValueId *inputs,
                                guint             n_bodies,
                                HybGraph *const  *bodies);
/* Adds the heads, which end with HYB_NO_ID, and freezes. */
HybGraph *op_finish (HybBuilder *builder, ...);
