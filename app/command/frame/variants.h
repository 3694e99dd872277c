/* variants.h — the forms that a model can be converted into before it is measured.
 *
 * "as-is" is the model itself, the others are made by engine/variants.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

typedef struct _ScopeVariant ScopeVariant;

/* The variant of this name ("as-is", "fused" …).  NULL and an error that lists all names. */
const ScopeVariant *scope_variant_find (const char *name, GError **error);

/* Arrays for all inputs, labels and initial states that the model would be run with; conversions
 * take shapes from them.  (transfer full) */
HybTensorList *
scope_variant_inputs (const ScopeCommonOptions *common, HybModel *model, GError **error);
/* Converts the model.  inputs: arrays that fix shapes.  length: number of time steps, used where
 * neither the model nor inputs determine it; 0: unknown.  (transfer full) */
HybModel *scope_variant_make (const ScopeVariant *variant,
                              HybModel           *model,
                              HybTensorList      *inputs,
                              gint64              length,
                              GError            **error);
