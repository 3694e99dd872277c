/* trainer.h — one training step after the other on a model's graph.
 *
 * The graph, its loss and all gradients are one graph with one plan; a step runs it,
 * clips, and lets the optimizer change the model's parameters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"
#include "engine/exec/executor.h"
#include "engine/graph/model.h"
#include "engine/train/optimizer.h"

G_BEGIN_DECLS

typedef struct _HybTrainer HybTrainer;

/* State that the next step takes from an output of this one: truncated back-propagation. */
typedef struct
{
  const char *input;  /* name of a variable */
  guint       output; /* index of a head */
} HybCarry;

typedef struct
{
  const char        *loss;             /* "softmax-cross-entropy", "l2", "l1", "none" */
  const char        *optimizer;        /* "sgd" … */
  const char *const *settings;         /* key, value, …, NULL */
  double             clip_global_norm; /* 0: none */
  guint              n_carry;
  const HybCarry    *carry;
  guint64            seed;
  const char *const
      *data; /* names of inputs that batches give, NULL-terminated; the rest are parameters */
  const char *const *without;    /* passes left out */
  const char        *dump_after; /* a pass */
  const HybMode     *mode;       /* NULL: static */
} HybTrainerOptions;

typedef struct
{
  double loss;
  double gradient_norm; /* before clipping */
} HybTrainStep;

/* Takes the model's parameters as the start and changes them there. */
HybTrainer *hyb_trainer_new (HybModel *model, const HybTrainerOptions *options, GError **error);
/* The same for a block that is hybridized and has run once: its parameters change with each
 * step (but those that want no gradient), running statistics too. */
HybTrainer      *
hyb_trainer_new_for_block (HybBlock *block, const HybTrainerOptions *options, GError **error);
void hyb_trainer_free (HybTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTrainer, hyb_trainer_free)

/* batch: name → HybTensor; "label" is what the loss compares with. */
gboolean      hyb_trainer_step (HybTrainer   *trainer,
                                GHashTable   *batch,
                                HybTrainStep *result,
                                GCancellable *cancellable,
                                GError      **error);
guint64       hyb_trainer_n_steps (HybTrainer *trainer);
HybOptimizer *hyb_trainer_get_optimizer (HybTrainer *trainer);
HybExecutor  *hyb_trainer_get_executor (HybTrainer *trainer);
/* Head number index of the model in the last step. */
HybTensor *hyb_trainer_get_output (HybTrainer *trainer, guint index);
void hyb_trainer_set_multipliers (HybTrainer *trainer, const char *parameter, double lr, double wd);
/* Carried states begin at zero again. */
void hyb_trainer_reset_carry (HybTrainer *trainer);

/* The same forward without learning; states are carried apart from those of training, from
 * zeros on if is_fresh.  Dropout is off. */
gboolean hyb_trainer_evaluate (HybTrainer *trainer,
                               GHashTable *batch,
                               gboolean    is_fresh,
                               double     *loss,
                               GError    **error);
/* Head number index of the model in the last evaluation. */
HybTensor *hyb_trainer_get_evaluated (HybTrainer *trainer, guint index);

/* Optimizer states, carried states and the count of steps; a checkpoint that resumes to
 * the same bytes is the model's pair and this. */
gboolean hyb_trainer_save_states (HybTrainer *trainer, const char *file, GError **error);
gboolean hyb_trainer_load_states (HybTrainer *trainer, const char *file, GError **error);

G_END_DECLS
