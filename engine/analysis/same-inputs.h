/* same-inputs.h — renames the inputs of a model like the inputs of another one.
 *
 * Two exporters call the input of one model “x” and “args_0”; their files can be compared when the names are the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The model with its inputs renamed like the inputs of other.  Inputs of the same name stay; the rest are paired in order, each
 * with the first whose element type and shape, as far as both are declared, are the same.  The model itself if there is nothing
 * to rename, or if not all can be paired.  renamed: (nullable) gets the old and the new name of each, in turn.  (transfer
 * full) */
HybModel *hyb_model_name_inputs_as (HybModel *model, HybModel *other, GPtrArray *renamed);
