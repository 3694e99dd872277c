/* variants.h — forms that a model can be brought into before it is measured.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common.h"
#include "engine/formats/tensor-list.h"

typedef struct _ScopeVariant ScopeVariant;

/* NULL and an error that lists them. */
const ScopeVariant *scope_variant_find (const char *name, GError **error);

/* Arrays for all inputs, labels and first states, as the model would be run with. */
HybTensorList *scope_variant_inputs (const ScopeCommon *common, HybModel *model, GError **error);
/* The model in that form; inputs fix shapes; length: steps, where nothing else says it (0).  (transfer full) */
HybModel *scope_variant_make (const ScopeVariant *variant,
                              HybModel           *model,
                              HybTensorList      *inputs,
                              gint64              length,
                              GError            **error);

/* Measuring needs no particular data: where only inputs, states and labels lack values,
 * common->init is set, so that they are filled. */
void scope_choose_init (ScopeCommon *common, HybModel *model);
