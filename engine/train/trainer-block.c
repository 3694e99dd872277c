/* trainer-block.c — training a block: its parameters and the trainer's are one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/trainer-private.h"

#include <string.h>

void
hyb_trainer_share (HybTrainer *trainer, const char *name)
{
  for (guint i = 0; trainer->shared && i < trainer->shared->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (trainer->shared, i);
      const char   *own = hyb_parameter_get_name (parameter);
      HybTensor    *tensor = hyb_model_get_parameter (trainer->model, own);

      if (tensor && (!name || strcmp (own, name) == 0))
        hyb_parameter_set_data (parameter, tensor, NULL);
    }
}

HybTrainer *
hyb_trainer_new_for_block (HybBlock *block, const HybTrainerOptions *options, GError **error)
{
  g_autoptr (HybModel) model = hyb_block_to_model (block, error);
  g_autoptr (GPtrArray) parameters = NULL;
  g_autoptr (GPtrArray) untouched = g_ptr_array_new ();
  HybTrainerOptions own = *options;
  HybTrainer       *trainer;

  if (!model)
    return NULL;
  parameters = hyb_block_collect_parameters (block);
  for (gsize i = 0; options->data && options->data[i]; i++)
    g_ptr_array_add (untouched, (gpointer) options->data[i]);
  for (guint i = 0; i < parameters->len; i++)
    if (hyb_parameter_get_request (parameters->pdata[i]) == HYB_GRAD_NULL)
      g_ptr_array_add (untouched, (gpointer) hyb_parameter_get_name (parameters->pdata[i]));
  g_ptr_array_add (untouched, NULL);
  own.data = (const char *const *) untouched->pdata;

  trainer = hyb_trainer_new (model, &own, error);
  if (!trainer)
    return NULL;
  trainer->block = hyb_block_ref (block);
  trainer->shared = g_steal_pointer (&parameters);
  hyb_trainer_share (trainer, NULL);
  return trainer;
}
