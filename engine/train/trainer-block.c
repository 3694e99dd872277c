/* trainer-block.c — a trainer for a block: both share the same parameter arrays.
 *
 * hyb_trainer_new_for_block() makes a model of the block and a trainer of the model, then gives the
 * block's parameters the model's arrays (trainer-share.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/trainer-private.h"

HybTrainer *
hyb_trainer_new_for_block (HybBlock *block, const HybTrainerOptions *given, GError **error)
{
  g_return_val_if_fail (block, NULL);

  const HybTrainerOptions *options = given ? given : &(const HybTrainerOptions){ 0 };
  g_autoptr (HybModel) model = hyb_block_to_model (block, error);
  g_autoptr (GPtrArray) parameters = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  HybTrainerOptions block_options = *options;
  HybTrainer       *trainer;

  if (!model)
    return NULL;
  parameters = hyb_block_collect_parameters (block);
  for (gsize i = 0; options->data && options->data[i]; i++)
    g_ptr_array_add (inputs, (gpointer) options->data[i]);
  for (guint i = 0; i < parameters->len; i++)
    if (hyb_parameter_get_request (parameters->pdata[i]) == HYB_GRAD_NULL)
      g_ptr_array_add (inputs, (gpointer) hyb_parameter_get_name (parameters->pdata[i]));
  g_ptr_array_add (inputs, NULL);
  block_options.data = (const char *const *) inputs->pdata;

  trainer = hyb_trainer_new (model, &block_options, error);
  if (!trainer)
    return NULL;
  trainer->block = hyb_block_ref (block);
  trainer->shared = g_steal_pointer (&parameters);
  hyb_trainer_share_parameters (trainer, NULL);
  return trainer;
}
