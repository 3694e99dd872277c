/* spelling.h — misspelt operators, attributes and values, where one correct spelling is near.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The operator that is meant by an unknown name; NULL if none or several are near. */
const HybOp *hyb_spelling_find_op (const char *type);

/* A copy of the graph with the names of operators, attributes and values corrected where one spelling
 * is near, and without attributes that their operators do not have.  Nodes keep their ids.  Appends a
 * HybChange for each change to changes.  (transfer full) */
HybGraph *hyb_spelling_correct (HybGraph *graph, GPtrArray *changes);
