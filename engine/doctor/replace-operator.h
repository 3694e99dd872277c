/* replace-operator.h — replaces an operator that the engine lacks by another one.
 *
 * The result is another model, unless both operators compute the same, which only the user can judge.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/op/op.h"

/* The number of nodes with the operator that the engine does not have at the node of this name, bodies
 * of loops included; 0 if the node has an operator of the engine, or if there is no such node. */
guint hyb_replace_count (HybGraph *graph, const char *node);
/* Whether an operator could be found for the node without looking at shapes; cheap. */
gboolean hyb_replace_is_possible (HybGraph *graph, const char *node);
/* Operators that fit the node: as many inputs and outputs, no attribute that must be given and is not, and no
 * contradiction to the shapes of the model's parameters; pointwise ones, and for a node with parameters layers whose
 * inputs have such names.  Similar names come first, then operators that have the attributes of the node, then the operator
 * that passes its input on, then the others by name.  Of const HybOp *.  (transfer container) */
GPtrArray *hyb_replace_list (HybModel *model, const char *node);
/* Replaces the operator of the node and of all nodes with the same one.  Appends a sentence about each
 * change to changes (of HybChange).  FALSE, without changes, if the operator does not fit. */
gboolean
hyb_replace_operator (HybModel *model, const char *node, const HybOp *op, GPtrArray *changes);
