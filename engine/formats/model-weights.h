/* model-weights.h — converts between the parameters of a model and the list in a parameter file.
 *
 * Files prefix names with "arg:" and "aux:"; a model stores the prefix separately.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Sets the model's parameters to the arrays of list and moves its findings to the model.  where: the
 * file that the list was read from. */
void hyb_model_take_weights (HybModel *model, HybTensorList *list, const char *where);

/* All parameters under their names in a file; the graph decides the prefix, if there is one.
 * (transfer full) */
HybTensorList *hyb_model_list_parameters (HybModel *model);

/* TRUE if MXNet's files store the variable under "aux:".  A state that only the body of a loop
 * writes to is an argument there. */
gboolean hyb_variable_is_stored_as_auxiliary (HybGraph *graph, HybNodeId variable);

/* FALSE and an error that names the file: a file became shorter while arrays of the model are mapped from it
 * (mapped-file.h), so their values are wrong. */
gboolean hyb_model_check_files (HybModel *model, GError **error);
