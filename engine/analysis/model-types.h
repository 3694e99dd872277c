/* model-types.h — the types that a model declares, before and after inference.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Types by value: of parameters from their arrays, of other inputs as the model was given them.  The rest are
 * unknown. (transfer full) */
HybType *hyb_model_new_given_types (HybModel *model);
/* Types by value as far as they follow from the parameters and the declarations of the file; open dimensions stay open.
 * (transfer full) */
HybType *hyb_model_new_declared_types (HybModel *model);
