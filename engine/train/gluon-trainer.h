/* gluon-trainer.h — updates the parameters of a block by the gradients on a tape, like gluon.Trainer.
 *
 *   HybGluonTrainer *trainer = hyb_gluon_trainer_new (net, tape, "sgd", NULL, &error);
 *   // for each batch of 32: record the loss on the tape, then
 *   hyb_tape_backward (tape, &pass, &error);
 *   hyb_gluon_trainer_step (trainer, 32, &error);
 * It runs operator by operator, so that the forward pass may be any C code.  HybTrainer (trainer.h)
 * plans the whole step as one graph and is faster.
 * Threads: one thread at a time uses a trainer; a step needs the block for itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/autograd/tape.h"
#include "engine/base/api.h"
#include "engine/block/block.h"
#include "engine/train/optimizer.h"

G_BEGIN_DECLS
/* Updates the parameters of a block by gradients on a tape. */
typedef struct _HybGluonTrainer HybGluonTrainer;

/* A trainer of all parameters below block whose request is not HYB_GRAD_NULL.  Attaches them to tape,
 * which must outlive it; all of them must have contents, so a block that takes shapes from its input
 * must have run once.  settings: as for hyb_optimizer_new().  (transfer full) */
HYB_API HybGluonTrainer *hyb_gluon_trainer_new (HybBlock          *block,
                                                HybTape           *tape,
                                                const char        *optimizer,
                                                const char *const *settings,
                                                GError           **error);
/* Frees a trainer.  NULL is allowed. */
HYB_API void hyb_gluon_trainer_free (HybGluonTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGluonTrainer, hyb_gluon_trainer_free)

/* Divides the gradients of the last backward pass by batch_size and updates all parameters.  Fails,
 * and changes nothing, if a parameter has no gradient or is not float32. */
HYB_API gboolean hyb_gluon_trainer_step (HybGluonTrainer *trainer,
                                         gint64           batch_size,
                                         GError         **error);
/* The optimizer, owned by the trainer. */
HYB_API HybOptimizer *hyb_gluon_trainer_get_optimizer (HybGluonTrainer *trainer);

G_END_DECLS
