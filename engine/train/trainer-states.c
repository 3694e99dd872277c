/* trainer-states.c — saves and loads the state of a trainer as an npz archive.
 *
 * The archive has “steps”, “parameters”, the sum of those it belongs to (checkpoint.h), “state<k>:<parameter>” for optimizer
 * states, and “carry:<input>” for carried states.  With the model's own files it is a checkpoint.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/exec/executor-keep.h"
#include "engine/formats/model-weights.h"
#include "engine/formats/npz.h"
#include "engine/train/checkpoint.h"
#include "engine/train/trainer-private.h"

#include <string.h>

gboolean
hyb_trainer_save_states (HybTrainer *trainer, const char *file, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  HybType one = { hyb_shape_1d (1), HYB_I64 };
  g_autoptr (HybTensor) steps = hyb_tensor_new (&one, error);
  g_autoptr (HybTensor) sum = hyb_tensor_new (&one, steps ? error : NULL);
  g_autoptr (HybTensorList) parameters = NULL;

  g_return_val_if_fail (trainer, FALSE);
  if (!steps || !sum || !hyb_trainer_read_back (trainer, error))
    return FALSE;
  *(gint64 *) hyb_tensor_get_data (steps) = (gint64) trainer->n_steps;
  hyb_tensor_list_set (list, "steps", steps);
  parameters = hyb_model_list_parameters (trainer->model);
  *(gint64 *) hyb_tensor_get_data (sum) = hyb_checkpoint_sum (parameters);
  hyb_tensor_list_set (list, "parameters", sum);
  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);

      for (guint k = 0; k < HYB_MAX_OPTIMIZER_STATES && parameter->state[k]; k++)
        {
          g_autofree char *name = hyb_trainer_name_state (parameter, k);

          hyb_tensor_list_set (list, name, parameter->state[k]);
        }
    }
  for (guint i = 0; i < trainer->carried->len; i++)
    {
      CarriedState    *carried = &g_array_index (trainer->carried, CarriedState, i);
      g_autofree char *name = g_strdup_printf ("carry:%s", carried->input);

      if (carried->state)
        hyb_tensor_list_set (list, name, carried->state);
    }
  return hyb_npz_write_file (list, file, error);
}

static gboolean
load_parameter (HybTensorList *list, TrainedParameter *parameter, const char *file, GError **error)
{
  for (guint k = 0; k < HYB_MAX_OPTIMIZER_STATES && parameter->state[k]; k++)
    {
      g_autofree char *name = hyb_trainer_name_state (parameter, k);
      HybTensor       *stored = hyb_tensor_list_find (list, name);

      if (!stored ||
          !hyb_shape_equal (hyb_tensor_get_shape (stored),
                            hyb_tensor_get_shape (parameter->state[k])) ||
          hyb_tensor_get_dtype (stored) != HYB_F32)
        return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, file,
                             "It belongs to another optimizer or another model",
                             "the array “%s” is missing or has another shape or type", name);
      memcpy (hyb_tensor_get_data (parameter->state[k]), hyb_tensor_get_data (stored),
              hyb_tensor_get_bytes (stored));
    }
  return TRUE;
}

gboolean
hyb_trainer_load_states (HybTrainer *trainer, const char *file, GError **error)
{
  g_return_val_if_fail (trainer && file, FALSE);

  g_autoptr (HybTensorList) list = hyb_npz_read_file (file, error);
  guint64 n_steps;

  if (!list || !hyb_trainer_read_back (trainer, error) ||
      !hyb_checkpoint_get_steps (list, file, &n_steps, error))
    return FALSE;
  for (guint i = 0; i < trainer->parameters->len; i++)
    if (!load_parameter (list, &g_array_index (trainer->parameters, TrainedParameter, i), file,
                         error))
      return FALSE;
  for (guint i = 0; i < trainer->carried->len; i++)
    {
      CarriedState    *carried = &g_array_index (trainer->carried, CarriedState, i);
      g_autofree char *name = g_strdup_printf ("carry:%s", carried->input);
      HybTensor       *stored = hyb_tensor_list_find (list, name);

      HybTensor *state = stored ? hyb_tensor_copy (stored) : NULL;

      if (stored && !hyb_trainer_check_array (state, carried->input, error))
        return FALSE;
      hyb_tensor_unref (carried->state);
      carried->state = state;
    }
  hyb_executor_renew_kept (trainer->executor);
  trainer->n_steps = n_steps;
  return TRUE;
}
