/* unpack-weights.h — gives the cells of an unrolled graph their weights out of the flat vector of a fused
 * layer.
 *
 * match-parameters.c packs in the other direction.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Unpacks the parameter `vector` for the variables of the graph if these are the weights of cells that
 * it can hold: adds an array for each variable, appends the names to unpacked (of char *), and
 * removes the vector.  FALSE, without changes, otherwise. */
gboolean hyb_unpack_weights (HybModel *model, const char *vector, GPtrArray *unpacked);
