/* variant-types.h — the types of a model's values for given inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Types by value of the model's graph: of its parameters, and of arrays in input (nullable) with the names of
 * variables.  The others are unknown.  Free with g_free(). */
HybType *hyb_variant_list_types (HybModel *model, HybTensorList *input);
/* Types by value of the model's graph, inferred from its parameters and from input (nullable).
 * Contradictions leave values unknown.  Free with g_free(). */
HybType *hyb_variant_infer_types (HybModel *model, HybTensorList *input);
