/* trainer-device.c — training on a GPU: parameters, gradients and states stay there.
 *
 * A step is one run of a graph that also contains the updates (trainer-updates.c).  Numbers that change from
 * step to step, such as the learning rate, are inputs, so that recorded work does not hold them.  The model
 * has the new parameters when hyb_trainer_read_back() was called.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/executor-keep.h"
#include "engine/exec/plan.h"
#include "engine/train/optimizer-private.h"
#include "engine/train/trainer-private.h"

#include <string.h>

/* Numbers of a parameter: learning rate, weight decay, factor of the gradient, limit of its elements. */
#define N_NUMBERS 4

/* --- Creation --- */

static gboolean
keep (HybTrainer *trainer, const char *name, HybTensor *tensor, GError **error)
{
  hyb_executor_keep (trainer->executor, name);
  return hyb_executor_bind (trainer->executor, name, tensor, error);
}

static gboolean
keep_parameters (HybTrainer *trainer, GError **error)
{
  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);

      if (!keep (trainer, parameter->name, parameter->weight, error))
        return FALSE;
      for (guint k = 0; k < hyb_optimizer_n_states (trainer->optimizer); k++)
        {
          g_autofree char *state = hyb_trainer_name_state (parameter, k);

          if (!keep (trainer, state, parameter->state[k], error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
is_trained (const HybTrainer *trainer, const char *name)
{
  for (guint i = 0; i < trainer->parameters->len; i++)
    if (strcmp (g_array_index (trainer->parameters, TrainedParameter, i).name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Running statistics: copies, because mapped files and the caller's arrays must not be written to. */
static gboolean
keep_auxiliary (HybTrainer *trainer, GError **error)
{
  guint            n;
  const HybNodeId *auxiliary = hyb_graph_get_auxiliary (trainer->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (trainer->graph, auxiliary[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (trainer->model, name);
      g_autoptr (HybTensor) copy = NULL;

      if (!tensor || is_trained (trainer, name))
        continue;
      copy = hyb_tensor_copy (tensor);
      if (!hyb_trainer_check_array (copy, name, error))
        return FALSE;
      hyb_model_set_parameter (trainer->model, name, copy);
      if (!keep (trainer, name, copy, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_trainer_device_bind (HybTrainer *trainer, GError **error)
{
  HybType type = { hyb_shape_2d (trainer->parameters->len, N_NUMBERS), HYB_F64 };

  trainer->numbers = hyb_tensor_new_zeros (&type, error);
  if (!trainer->numbers ||
      !hyb_executor_bind (trainer->executor, HYB_TRAINER_NUMBERS, trainer->numbers, error))
    return FALSE;
  for (guint i = 0; i < trainer->carried->len; i++)
    hyb_executor_keep (trainer->executor, g_array_index (trainer->carried, CarriedState, i).input);
  return keep_parameters (trainer, error) && keep_auxiliary (trainer, error);
}

/* --- Steps --- */

static void
fill_numbers (HybTrainer *trainer)
{
  double *row = hyb_tensor_get_data (trainer->numbers);

  for (guint i = 0; i < trainer->parameters->len; i++, row += N_NUMBERS)
    {
      const TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);
      HybOptimizerStep step = hyb_optimizer_get_step (trainer->optimizer, trainer->n_steps + 1,
                                                      parameter->lr_mult, parameter->wd_mult);

      row[0] = step.rate;
      row[1] = step.decay;
      row[2] = step.rescale;
      row[3] = step.clip;
    }
}

/* Where some shapes show only while running, the processor computes the step, updates included. */
static gboolean
run_on_host (HybTrainer *trainer, GCancellable *cancellable, GError **error)
{
  if (!hyb_trainer_read_back (trainer, error) ||
      !hyb_executor_run (trainer->executor, cancellable, error))
    return FALSE;
  hyb_executor_renew_kept (trainer->executor);
  return TRUE;
}

gboolean
hyb_trainer_device_run (HybTrainer *trainer, GCancellable *cancellable, GError **error)
{
  fill_numbers (trainer);
  if (!hyb_executor_prepare (trainer->executor, error))
    return FALSE;
  if (hyb_plan_is_dynamic (hyb_executor_get_plan (trainer->executor)))
    return run_on_host (trainer, cancellable, error);
  trainer->is_behind = TRUE;
  return hyb_executor_run (trainer->executor, cancellable, error);
}

gboolean
hyb_trainer_device_read_step (HybTrainer *trainer, HybTrainStep *result, GError **error)
{
  guint n = trainer->first_output + (trainer->has_own_loss ? 1 : 0);

  if (!hyb_executor_read_outputs (trainer->executor, 0, n, error))
    return FALSE;
  result->loss = hyb_trainer_compute_loss (trainer, trainer->executor, trainer->first_output);
  result->gradient_norm = hyb_tensor_get_value (hyb_executor_get_output (trainer->executor, 1), 0);
  return TRUE;
}

/* --- Reading back --- */

gboolean
hyb_trainer_read_back (HybTrainer *trainer, GError **error)
{
  g_return_val_if_fail (trainer, FALSE);
  if (!trainer->is_behind)
    return TRUE;
  if (!hyb_executor_fetch_kept (trainer->executor, error))
    return FALSE;
  trainer->is_behind = FALSE;
  if (trainer->evaluator)
    hyb_executor_renew_kept (trainer->evaluator);
  return TRUE;
}
