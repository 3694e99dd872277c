/* array-pattern.h — arrays that nodes can make from their size.
 *
 * Where planning has expanded a number to the size of a batch, or counted steps, the size must not be stored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"
#include "engine/tensor/tensor.h"

/* TRUE if all elements are the same, or if they are 0, 1, … along one axis. */
gboolean hyb_array_has_pattern (HybTensor *tensor);
/* Adds the nodes that make such an array.  names: of the last node and of one before it. */
HybValueId hyb_array_add_pattern (HybBuilder *builder, const char *const *names, HybTensor *tensor);
