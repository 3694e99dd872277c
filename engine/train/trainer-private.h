/* trainer-private.h — the inside of a trainer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/train/trainer.h"

typedef struct
{
  char      *name;
  HybTensor *weight;                          /* the model's own, changed in place */
  HybTensor *state[HYB_MAX_OPTIMIZER_STATES]; /* float32 */
  double     lr_mult, wd_mult;
} TrainedParameter;

typedef struct
{
  char      *input;
  guint      output;
  HybTensor *state;     /* NULL: zeros, once the shape is known */
  HybTensor *evaluated; /* the same for evaluation */
} CarriedState;

typedef enum
{
  HYB_CARRY_TRAINING,
  HYB_CARRY_EVALUATION,
} HybCarryKind;

struct _HybTrainer
{
  HybModel     *model;
  GPtrArray    *shared; /* of HybParameter: a block's, which hold the model's arrays; NULL: none */
  HybBlock     *block;  /* keeps them alive; NULL: none */
  HybGraph     *graph;
  HybExecutor  *executor;
  HybOptimizer *optimizer;
  GArray       *parameters;   /* of TrainedParameter, in the order of the gradients */
  GArray       *carried;      /* of CarriedState */
  gboolean      has_own_loss; /* the model ends in a loss head */
  char         *label;        /* of that head; NULL: none found */
  double        clip_global_norm;
  guint64       seed, n_steps;
  guint         n_model_heads;
  char         *loss;
  HybExecutor  *evaluator; /* the forward alone; NULL: not asked yet */
};

/* The model with its loss: heads are the loss, then those of the model. */
HybGraph *hyb_trainer_loss_graph (HybGraph *model, const char *loss, GError **error);
/* The model with its loss and the gradients of these variables as one graph: heads are
 * the loss, a gradient for each, then the model's own heads. */
HybGraph *hyb_trainer_graph (HybGraph          *model,
                             const char        *loss,
                             const char *const *parameters,
                             GError           **error);

/* Gives a block's parameters the model's arrays, of this name or (NULL) all. */
void hyb_trainer_share (HybTrainer *trainer, const char *name);
/* Variables of executor by the names of a batch. */
gboolean hyb_trainer_bind_batch (HybTrainer  *trainer,
                                 HybExecutor *executor,
                                 GHashTable  *batch,
                                 GError     **error);
/* Carried states; what has none yet begins with zeros. */
gboolean hyb_trainer_bind_carried (HybTrainer  *trainer,
                                   HybExecutor *executor,
                                   HybCarryKind kind,
                                   GError     **error);
void     hyb_trainer_keep_carried (HybTrainer  *trainer,
                                   HybExecutor *executor,
                                   guint        first_head,
                                   HybCarryKind kind);
double   hyb_trainer_loss_of (HybTrainer *trainer, HybExecutor *executor, guint first_head);
