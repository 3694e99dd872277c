/* sample-node.h — adds an operator to a graph as one of its samples uses it, with changes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/fuzz/graphs/scope.h"

/* Adds one or several nodes: a random operator, and what its inputs are computed with.  FALSE if it was refused. */
gboolean sample_node_add (Scope *scope);
