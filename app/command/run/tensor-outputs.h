/* tensor-outputs.h — the outputs of a model that can be computed, where others are not tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Leaves out outputs that an unknown operator returns as something else than a tensor (a sequence of maps, as ZipMap of
 * ai.onnx.ml), and says so on stderr; nothing if no other output is left. */
void scope_keep_tensor_outputs (HybModel *model);
