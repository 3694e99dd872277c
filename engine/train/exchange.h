/* exchange.h — how a trainer averages its gradients with other processes that train the same model.
 *
 * The trainer says when each gradient has its value, while the backward pass goes on, and waits for all averages after
 * it.  How they travel is the caller's: the functions below.  app/command/train/train-parallel.c has them for MPI.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/probe.h"
#include "engine/train/trainer.h"

G_BEGIN_DECLS

/* A gradient that has its value. */
typedef struct
{
  guint        index; /* the number of its parameter */
  const float *from;  /* n values, which stay as they are until finish() */
  float       *to;    /* for their average */
  gint64       n;
  gboolean     is_early; /* the backward pass goes on */
} HybReadyGradient;

/* Called on the computing thread only. */
typedef struct
{
  gpointer data; /* passed to every function */
  /* Each gradient once a step, in an order that depends on the plan only.  Must not allocate. */
  void (*ready) (gpointer data, const HybReadyGradient *gradient);
  /* Called after every operator, which span names, so that what is under way proceeds.  Must not allocate. */
  void (*poll) (gpointer data, const HybSpan *span);
  /* After the run: waits until all averages are there, and makes *loss the average as well. */
  gboolean (*finish) (gpointer data, double *loss, GError **error);
  /* Averages values at once: running statistics. */
  gboolean (*average) (gpointer data, float *values, gint64 n, GError **error);
} HybExchange;

/* Averages all gradients, losses and running statistics of the next steps.  exchange stays the caller's.  FALSE and an error
 * if a parameter is not float32. */
gboolean
hyb_trainer_set_exchange (HybTrainer *trainer, const HybExchange *exchange, GError **error);
/* How many parameters are trained. */
guint hyb_trainer_n_trained (HybTrainer *trainer);
/* A parameter that is trained, and its name.  (transfer none) */
HybTensor *hyb_trainer_get_trained (HybTrainer *trainer, guint index, const char **name);
/* Whether each step passes states to the next. */
gboolean hyb_trainer_is_carrying (HybTrainer *trainer);

G_END_DECLS
