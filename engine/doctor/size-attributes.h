/* size-attributes.h — a size in an attribute of a node that contradicts the arrays of the model.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The attribute of the node with a size of its arrays in its place, "num_hidden=8", if the graph agrees with all facts then.
 * facts: by value; the shapes of variables.  NULL: there is no such attribute, there are several, or the graph is too
 * large for trials.  (transfer full) */
char *hyb_size_suggest (HybGraph *graph, const HybType *facts, HybNodeId node);
