/* converted.h — converts models in tests, with proofs, and counts what is in them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/variants/variant.h"

/* Converts a model and asserts that the result computes the same, also backwards.  (transfer full) */
HybVariant *converted_new (HybModel *model, HybForm form, HybTensorList *input);
/* The number of nodes with this type in the model's graph. */
guint converted_count_nodes (HybModel *model, const char *type);
