/* trainer.h — trains a model: one step computes the loss and all gradients and updates the parameters.
 *
 * The model's graph, its loss and the gradients are one graph with one plan.  A step runs it, clips the
 * gradients, and lets the optimizer change the model's parameters.  Start with hyb_trainer_new() and
 * hyb_trainer_step().
 * Threads: one thread at a time uses a trainer; a step needs the model's parameters for itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/block/block.h"
#include "engine/exec/executor.h"
#include "engine/graph/model.h"
#include "engine/train/optimizer.h"

G_BEGIN_DECLS
/* Trains a graph, step by step. */
typedef struct _HybTrainer HybTrainer;

/* A state that each step passes to the next: an output of one becomes an input of the other,
 * without gradients (truncated back-propagation through time). */
typedef struct
{
  const char *input;  /* name of a variable */
  guint       output; /* index of a head */
} HybCarry;
/* Options of hyb_trainer_new(). */
typedef struct
{
  const char        *loss;          /* "softmax-cross-entropy", "l2", "l1", "none" */
  const char        *optimizer;     /* a name in hyb_optimizers() */
  const char *const *settings;      /* key, value, …, NULL */
  double          clip_global_norm; /* limit of the norm of all gradients together; 0: no limit */
  guint           n_carry;
  const HybCarry *carry;
  guint64         seed; /* of dropout and other random operators */
  const char *const
      *data; /* inputs that batches give, NULL-terminated; the others are parameters */
  const char *const *without;    /* passes to leave out; may be NULL */
  const char        *dump_after; /* prints the graph after this pass; may be NULL */
  const HybMode     *mode;       /* NULL: HYB_MODE_STATIC */
  HybGpu            *gpu;        /* trains; NULL: the processor (device/gpu.h) */
} HybTrainerOptions;
/* The report of a training step. */
typedef struct
{
  double loss;
  double gradient_norm; /* before clipping */
} HybTrainStep;

/* Starts from the model's parameters, copies them, and gives the copies to the model; steps
 * change them in place, on a GPU when hyb_trainer_read_back() is called.  Returns NULL and an error if an option is invalid
 * or there is nothing to train. */
HYB_API HybTrainer *
hyb_trainer_new (HybModel *model, const HybTrainerOptions *options, GError **error);
/* The same for a block, which must be hybridized and have run once.  Steps change the block's
 * parameters, except those whose gradient request is HYB_GRAD_NULL, and its running statistics. */
HYB_API HybTrainer *
hyb_trainer_new_for_block (HybBlock *block, const HybTrainerOptions *options, GError **error);
/* Frees a trainer, which must not be NULL. */
HYB_API void hyb_trainer_free (HybTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTrainer, hyb_trainer_free)

/* Runs one step.  batch maps input names, and "label" for the loss, to tensors. */
HYB_API gboolean hyb_trainer_step (HybTrainer   *trainer,
                                   GHashTable   *batch,
                                   HybTrainStep *result,
                                   GCancellable *cancellable,
                                   GError      **error);
/* The first half of a step: with a GPU it returns when the work is handed over, so that the next batch can be made
 * meanwhile.  hyb_trainer_end_step() must follow. */
HYB_API gboolean hyb_trainer_begin_step (HybTrainer   *trainer,
                                         GHashTable   *batch,
                                         GCancellable *cancellable,
                                         GError      **error);
/* Between the two halves, with a GPU: begins to send the batch of the next step, which must get the same tensors.  On
 * the processor there is nothing to do. */
HYB_API void hyb_trainer_send_ahead (HybTrainer *trainer, GHashTable *batch);
/* The second half: waits, and returns the results of the step. */
HYB_API gboolean hyb_trainer_end_step (HybTrainer *trainer, HybTrainStep *result, GError **error);
/* Waits for the GPU and brings parameters and states from there to the model; on the processor there is nothing to
 * do.  FALSE and an error if the GPU failed. */
HYB_API gboolean hyb_trainer_read_back (HybTrainer *trainer, GError **error);
/* The number of steps since training began. */
HYB_API guint64 hyb_trainer_n_steps (HybTrainer *trainer);
/* The optimizer, owned by the trainer. */
HYB_API HybOptimizer *hyb_trainer_get_optimizer (HybTrainer *trainer);
/* The executor of the training graph, owned by the trainer. */
HYB_API HybExecutor *hyb_trainer_get_executor (HybTrainer *trainer);
/* Returns output `index` of the model in the last step.  (transfer none) */
HYB_API HybTensor *hyb_trainer_get_output (HybTrainer *trainer, guint index);
/* Multiplies the learning rate and the weight decay of one parameter; unknown names are ignored. */
HYB_API void
hyb_trainer_set_multipliers (HybTrainer *trainer, const char *parameter, double lr, double wd);
/* Resets carried states to zero. */
HYB_API void hyb_trainer_reset_carry (HybTrainer *trainer);

/* Computes the loss of a batch in inference mode, without learning.  Carried states are separate
 * from those of training and are reset if is_fresh.  loss may be NULL. */
HYB_API gboolean hyb_trainer_evaluate (HybTrainer *trainer,
                                       GHashTable *batch,
                                       gboolean    is_fresh,
                                       double     *loss,
                                       GError    **error);
/* Returns output `index` of the model in the last evaluation.  (transfer none) */
HYB_API HybTensor *hyb_trainer_get_evaluated (HybTrainer *trainer, guint index);

/* Writes optimizer states, carried states and the number of steps.  With the model's own files
 * they are a checkpoint from which training resumes to the same bytes. */
HYB_API gboolean hyb_trainer_save_states (HybTrainer *trainer, const char *file, GError **error);
/* Reads a file of hyb_trainer_save_states() for the same model and optimizer. */
HYB_API gboolean hyb_trainer_load_states (HybTrainer *trainer, const char *file, GError **error);

G_END_DECLS
