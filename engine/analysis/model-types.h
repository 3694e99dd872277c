/* model-types.h — the types that a model tells before anything is inferred.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Types by value: those of parameters, and of inputs without one those that the model was given.  Others are unknown.
 * (transfer full) */
HybType *hyb_model_new_given_types (HybModel *model);
