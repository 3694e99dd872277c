/* open-inputs.h — which dimensions of a graph's inputs may have any size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Types of all values, by value, with other sizes for those dimensions of inputs that the graph leaves open: no parameter and
 * no attribute fixes them.  types: with the sizes that are known.  NULL: all sizes are fixed.  (transfer full) */
HybType *onnx_open_inputs (HybModel *model, const HybType *types);
