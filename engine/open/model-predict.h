/* model-predict.h — runs a model once on arrays that are named.
 *
 *   HybTensorList *inputs = hyb_arrays_read ("in.npz", &error);
 *   HybTensorList *outputs = hyb_model_predict (model, inputs, &error);
 * A program that runs a model many times keeps a HybExecutor instead (exec/executor.h), which plans once.
 * Threads: any number of threads may run one model at the same time, since every call has an executor of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/exec/executor.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

/* The names of the inputs: the variables of the graph that have no parameter.  NULL-terminated, (transfer full). */
HYB_API char **hyb_model_dup_input_names (HybModel *model);
/* Binds all parameters of the model to an executor of its graph. */
HYB_API gboolean hyb_model_bind_parameters (HybModel *model, HybExecutor *executor, GError **error);
/* Runs the model in inference mode.  inputs: arrays by the names of variables; they may replace parameters.  The outputs have
 * the names that hyb_graph_dup_output_names() gives them.  NULL with an error that names everything that is missing or wrong.
 * (transfer full) */
HYB_API HybTensorList *hyb_model_predict (HybModel *model, HybTensorList *inputs, GError **error);

G_END_DECLS
