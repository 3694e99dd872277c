/* gluon-trainer.c — steps of an optimizer over the parameters of a block.
 *
 * Each parameter has a row with the states that the optimizer keeps for it.  A step checks all
 * gradients first and then updates the arrays of the parameters in place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/train/gluon-trainer.h"

#include "engine/base/error.h"

typedef struct
{
  HybParameter *parameter;
  HybTensor    *state[HYB_MAX_OPTIMIZER_STATES]; /* NULL from the number of states on */
} Row;

struct _HybGluonTrainer
{
  HybBlock     *block;
  HybTape      *tape;
  HybOptimizer *optimizer;
  GArray       *rows; /* of Row */
  guint64       n_steps;
};

static void
clear_row (gpointer data)
{
  Row *row = data;

  for (guint k = 0; k < HYB_MAX_OPTIMIZER_STATES; k++)
    hyb_tensor_unref (row->state[k]);
}

static gboolean
add_row (HybGluonTrainer *trainer, HybParameter *parameter, GError **error)
{
  Row     row = { .parameter = parameter };
  HybType type = { *hyb_parameter_get_shape (parameter), HYB_F32 };

  for (guint k = 0; k < hyb_optimizer_n_states (trainer->optimizer); k++)
    {
      row.state[k] = hyb_tensor_new_zeros (&type, error);
      if (!row.state[k])
        {
          clear_row (&row);
          return FALSE;
        }
    }
  g_array_append_val (trainer->rows, row);
  return TRUE;
}

HybGluonTrainer *
hyb_gluon_trainer_new (HybBlock          *block,
                       HybTape           *tape,
                       const char        *optimizer,
                       const char *const *settings,
                       GError           **error)
{
  g_autoptr (HybOptimizer) made = hyb_optimizer_new (optimizer, settings, error);
  g_autoptr (HybGluonTrainer) trainer = NULL;
  g_autoptr (GPtrArray) parameters = NULL;

  if (!made || !hyb_block_attach_gradients (block, tape, error))
    return NULL;
  trainer = g_new0 (HybGluonTrainer, 1);
  trainer->block = hyb_block_ref (block);
  trainer->tape = tape;
  trainer->optimizer = g_steal_pointer (&made);
  trainer->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (trainer->rows, clear_row);
  parameters = hyb_block_collect_parameters (block);
  for (guint i = 0; i < parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (parameters, i);

      if (!hyb_parameter_is_auxiliary (parameter) &&
          hyb_parameter_get_request (parameter) != HYB_GRAD_NULL &&
          !add_row (trainer, parameter, error))
        return NULL;
    }
  return g_steal_pointer (&trainer);
}

void
hyb_gluon_trainer_free (HybGluonTrainer *trainer)
{
  if (!trainer)
    return;
  g_array_unref (trainer->rows);
  hyb_optimizer_free (trainer->optimizer);
  hyb_block_unref (trainer->block);
  g_free (trainer);
}

/* Refuses parameters that a step cannot update. */
static gboolean
check_row (HybGluonTrainer *trainer, const Row *row, GError **error)
{
  const char *name = hyb_parameter_get_name (row->parameter);
  HybTensor  *data = hyb_parameter_get_data (row->parameter, error);
  HybTensor  *gradient;

  if (!data)
    return FALSE;
  gradient = hyb_parameter_get_gradient (row->parameter, trainer->tape);
  if (!gradient)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, name,
                         "Record the loss on the tape and call hyb_tape_backward() first; set the "
                         "gradient request of parameters that do not learn to HYB_GRAD_NULL",
                         "the parameter has no gradient yet");
  if (hyb_tensor_get_dtype (data) != HYB_F32 || hyb_tensor_get_dtype (gradient) != HYB_F32)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, name,
                         "Keep parameters in float32 while training",
                         "the parameter is %s, not float32",
                         hyb_dtype_name (hyb_tensor_get_dtype (data)));
  return TRUE;
}

static void
update_row (HybGluonTrainer *trainer, const Row *row)
{
  HybTensor *data = hyb_parameter_get_data (row->parameter, NULL);
  HybTensor *gradient = hyb_parameter_get_gradient (row->parameter, trainer->tape);
  HybUpdate  update = { .n = hyb_tensor_get_size (data),
                        .weight = hyb_tensor_get_data (data),
                        .gradient = hyb_tensor_get_data (gradient),
                        .t = trainer->n_steps };

  for (guint k = 0; k < HYB_MAX_OPTIMIZER_STATES && row->state[k]; k++)
    update.state[k] = hyb_tensor_get_data (row->state[k]);
  hyb_optimizer_apply (trainer->optimizer, &update, hyb_parameter_get_lr_mult (row->parameter),
                       hyb_parameter_get_wd_mult (row->parameter));
}

gboolean
hyb_gluon_trainer_step (HybGluonTrainer *trainer, gint64 batch_size, GError **error)
{
  g_return_val_if_fail (batch_size > 0, FALSE);

  for (guint i = 0; i < trainer->rows->len; i++)
    if (!check_row (trainer, &g_array_index (trainer->rows, Row, i), error))
      return FALSE;
  trainer->n_steps++;
  hyb_optimizer_set_rescale (trainer->optimizer, 1. / (double) batch_size);
  for (guint i = 0; i < trainer->rows->len; i++)
    update_row (trainer, &g_array_index (trainer->rows, Row, i));
  return TRUE;
}

HybOptimizer *
hyb_gluon_trainer_get_optimizer (HybGluonTrainer *trainer)
{
  g_return_val_if_fail (trainer, NULL);
  return trainer->optimizer;
}
