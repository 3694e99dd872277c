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
  HybTensor *state; /* NULL: zeros, once the shape is known */
} CarriedState;

struct _HybTrainer
{
  HybModel     *model;
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
};

/* The model with its loss and the gradients of these variables as one graph: heads are
 * the loss, a gradient for each, then the model's own heads. */
HybGraph *hyb_trainer_graph (HybGraph          *model,
                             const char        *loss,
                             const char *const *parameters,
                             GError           **error);
