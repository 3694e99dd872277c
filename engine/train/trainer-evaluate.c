/* trainer-evaluate.c — evaluation: the loss of a batch in inference mode, without learning.
 *
 * The first hyb_trainer_evaluate() creates an executor for the model with its loss but without
 * gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor-keep.h"
#include "engine/train/trainer-private.h"

static gboolean
ensure_evaluator (HybTrainer *trainer, GError **error)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = trainer->gpu };
  g_autoptr (HybGraph) graph = NULL;

  if (trainer->evaluator)
    return TRUE;
  graph = hyb_trainer_loss_graph (hyb_model_get_graph (trainer->model), trainer->loss, error);
  if (!graph)
    return FALSE;
  trainer->evaluator = hyb_executor_new (graph, &options);
  return TRUE;
}

/* Binds the current parameters: auxiliary states are new arrays after each step. */
static gboolean
bind_parameters (HybTrainer *trainer, GError **error)
{
  HybGraph        *graph = hyb_model_get_graph (trainer->model);
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (trainer->model, name);

      if (!tensor || hyb_executor_get_bound (trainer->evaluator, name) == tensor)
        continue;
      hyb_executor_keep (trainer->evaluator, name);
      if (!hyb_executor_bind (trainer->evaluator, name, tensor, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_trainer_evaluate (HybTrainer *trainer,
                      GHashTable *batch,
                      gboolean    is_fresh,
                      double     *loss,
                      GError    **error)
{
  g_return_val_if_fail (trainer, FALSE);
  if (!hyb_trainer_read_back (trainer, error) || !ensure_evaluator (trainer, error) ||
      !bind_parameters (trainer, error))
    return FALSE;
  for (guint i = 0; i < trainer->carried->len && is_fresh; i++)
    g_clear_pointer (&g_array_index (trainer->carried, CarriedState, i).evaluated,
                     hyb_tensor_unref);
  if (!hyb_trainer_bind_batch (trainer, trainer->evaluator, batch, error) ||
      !hyb_trainer_bind_carried (trainer, trainer->evaluator, HYB_CARRY_EVALUATION, error) ||
      !hyb_executor_run (trainer->evaluator, NULL, error) ||
      !hyb_executor_finish (trainer->evaluator, error))
    return FALSE;
  if (loss)
    *loss = hyb_trainer_compute_loss (trainer, trainer->evaluator, 1);
  return hyb_trainer_store_carried (trainer, trainer->evaluator, 1, HYB_CARRY_EVALUATION, error);
}

HybTensor *
hyb_trainer_get_evaluated (HybTrainer *trainer, guint index)
{
  g_return_val_if_fail (trainer, NULL);
  return hyb_executor_get_output (trainer->evaluator, 1 + index);
}
