/* trainer-share.c — gives the parameters of a block the arrays of the trainer's model.
 *
 * The trainer changes weights in place, but running statistics are new arrays after each step, so
 * trainer.c shares those again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/trainer-private.h"

#include <string.h>

void
hyb_trainer_share_parameters (HybTrainer *trainer, const char *name)
{
  for (guint i = 0; trainer->shared && i < trainer->shared->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (trainer->shared, i);
      const char   *own_name = hyb_parameter_get_name (parameter);
      HybTensor    *tensor = hyb_model_get_parameter (trainer->model, own_name);

      if (tensor && (!name || strcmp (own_name, name) == 0))
        hyb_parameter_set_data (parameter, tensor, NULL);
    }
}
