/* trainer-private.h — the inside of a trainer, shared by trainer*.c.
 *
 * trainer.c runs steps; it uses trainer-graph.c (the training graph), trainer-carry.c (inputs and
 * losses of a run), trainer-share.c (parameters of blocks) and
 * trainer-device.c (GPUs).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/train/trainer.h"

/* The name of the variable of numbers that change from step to step (trainer-updates.c). */
#define HYB_TRAINER_NUMBERS "update:numbers"

typedef struct
{
  char      *name;
  HybTensor *weight;                          /* the model's array, changed in place */
  HybTensor *state[HYB_MAX_OPTIMIZER_STATES]; /* float32 */
  double     lr_mult, wd_mult;
} TrainedParameter;

/* One HybCarry and its current states. */
typedef struct
{
  char      *input;
  guint      output;
  HybTensor *state;     /* of training; NULL: zeros, once the shape is known */
  HybTensor *evaluated; /* of evaluation, likewise */
} CarriedState;

/* Which of the two states of a CarriedState. */
typedef enum
{
  HYB_CARRY_TRAINING,
  HYB_CARRY_EVALUATION,
} HybCarryKind;

struct _HybTrainer
{
  HybModel     *model;
  GPtrArray    *shared; /* of HybParameter, sharing the model's arrays; NULL: no block */
  HybBlock     *block;  /* owns those parameters; NULL: no block */
  HybGraph     *graph;
  HybExecutor  *executor;
  HybOptimizer *optimizer;
  GArray       *parameters;   /* of TrainedParameter, in the order of the gradients */
  GArray       *carried;      /* of CarriedState */
  gboolean      has_own_loss; /* the model ends in a loss operator */
  char         *label;        /* the input for the labels of that operator; NULL if it has none */
  double        clip_global_norm;
  guint64       seed, n_steps;
  guint         n_model_heads;
  guint         first_output; /* of the model, among those of the executor */
  gboolean      is_static;    /* outputs of a plan keep their addresses */
  char         *loss;
  const char
          *head_gradient; /* the variable of the graph for the gradient of the loss, which is 1 */
  gboolean has_loss_type; /* it is bound with the type of the loss */
  HybExecutor *evaluator; /* of the inference graph; NULL before the first evaluation */

  HybGpu    *gpu;     /* NULL: the processor trains */
  HybTensor *numbers; /* with a GPU: rows of changing values, by parameter */
  gboolean is_behind; /* the GPU has newer parameters and states than the model and this trainer */
};

/* FALSE and an error about memory if an array that training allocates is NULL; name: what it is for. */
static inline gboolean
hyb_trainer_check_array (const HybTensor *array, const char *name, GError **error)
{
  return array || hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                                "not enough memory to train “%s”", name);
}
/* Returns the model with its loss; the heads are the loss, then those of the model.  (transfer
 * full) */
HybGraph *hyb_trainer_loss_graph (HybGraph *model, const char *loss, GError **error);
/* Returns the model with its loss and the gradients of these parameters (NULL-terminated); the
 * heads are the loss, one gradient for each parameter, then those of the model.  (transfer full) */
HybGraph *hyb_trainer_graph (HybGraph          *model,
                             const char        *loss,
                             const char *const *parameters,
                             GError           **error);

/* A builder with the nodes of a graph; values keep their ids.  (transfer full) */
HybBuilder *hyb_trainer_copy_nodes (HybGraph *graph);
/* Adds the updates of all parameters and carried states to the result of hyb_trainer_graph(); the heads are the
 * loss, the norm of all gradients with the factor that limits it, those of the model, then empty ones.  (transfer
 * full) */
HybGraph *hyb_trainer_add_updates (HybTrainer *trainer, HybGraph *graph, GError **error);
/* The name of a state of a parameter in checkpoints and in that graph.  (transfer full) */
char *hyb_trainer_name_state (const TrainedParameter *parameter, guint index);

/* Binds the arrays that stay on the GPU to the executor of that graph. */
gboolean hyb_trainer_device_bind (HybTrainer *trainer, GError **error);
/* Hands a step over to the GPU. */
gboolean hyb_trainer_device_run (HybTrainer *trainer, GCancellable *cancellable, GError **error);
/* Waits for it, and reads its results. */
gboolean hyb_trainer_device_read_step (HybTrainer *trainer, HybTrainStep *result, GError **error);

/* Gives the block's parameter of this name, or all if NULL, the model's array.  No-op without a
 * block. */
void hyb_trainer_share_parameters (HybTrainer *trainer, const char *name);
/* Binds the tensors of a batch to the executor's variables with the same names. */
gboolean hyb_trainer_bind_batch (HybTrainer  *trainer,
                                 HybExecutor *executor,
                                 GHashTable  *batch,
                                 GError     **error);
/* Binds the carried states; states that do not exist yet become zeros of inferred shape. */
gboolean hyb_trainer_bind_carried (HybTrainer  *trainer,
                                   HybExecutor *executor,
                                   HybCarryKind kind,
                                   GError     **error);
/* Binds a 1 of the type of the loss, which is inferred from what is bound, as the gradient of the loss. */
gboolean hyb_trainer_bind_head_gradient (HybTrainer *trainer, GError **error);
/* Stores copies of the outputs that are carried to the next run.  first_head: the index of the
 * model's first output among the executor's.  FALSE and an error if memory is short. */
gboolean hyb_trainer_store_carried (HybTrainer  *trainer,
                                    HybExecutor *executor,
                                    guint        first_head,
                                    HybCarryKind kind,
                                    GError     **error);
/* Returns the loss of the last run; for a model with a loss operator, an estimate from its
 * output. */
double hyb_trainer_compute_loss (HybTrainer *trainer, HybExecutor *executor, guint first_head);
