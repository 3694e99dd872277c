/* model-weights.h — the parameters of a model and the list that a file holds.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Adds the arrays of list to the model, without the prefixes arg: and aux:, and moves the
 * list's findings to the model.  where: the file that the list was read from. */
void hyb_model_take_weights (HybModel *model, HybTensorList *list, const char *where);

/* All parameters as a file holds them, prefixed as the graph demands.  (transfer full) */
HybTensorList *hyb_model_list_parameters (HybModel *model);

/* TRUE if MXNet stores the variable under aux:.  A state that only the body of a loop
 * writes is an argument in MXNet's files. */
gboolean hyb_variable_is_stored_as_auxiliary (HybGraph *graph, HybNodeId variable);
