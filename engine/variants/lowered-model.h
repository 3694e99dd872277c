/* lowered-model.h — a model of another format in the engine's operators, so that its cells can be found and rewritten.
 *
 * Values that follow from parameters alone, such as weights that a file joins from several arrays, become parameters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

typedef struct
{
  HybModel *model; /* HybNode.origin is the node of the given model's graph; input types are set */
  HybValueId *map; /* by value of that graph: its value in the new one, or HYB_NO_ID */
  GArray     *matches; /* of HybMatch: nodes of that graph, and of the new one */
} HybLoweredModel;

/* Lowers a model for inputs of these types.  NULL and an error if one of its nodes cannot be computed.  (transfer full) */
HybLoweredModel *hyb_lowered_model_new (HybModel *model, HybTensorList *input, GError **error);
/* Frees a lowered model; accepts NULL. */
void hyb_lowered_model_free (HybLoweredModel *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybLoweredModel, hyb_lowered_model_free)
