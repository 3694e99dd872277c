/* optimizer.h — optimizers: how a gradient changes a parameter.
 *
 * An optimizer is a row of the table in optimizer.c: name, options (with MXNet's names and defaults),
 * the number of state arrays for each parameter, and one function over the elements of a parameter.
 * Threads: one thread at a time uses an optimizer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/op/param.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS
/* The most arrays that an update keeps for a parameter. */
#define HYB_MAX_OPTIMIZER_STATES 3

/* The update of one parameter; all arrays are float32 with n elements. */
typedef struct
{
  gint64       n;
  float       *weight;
  const float *gradient;
  float       *state[HYB_MAX_OPTIMIZER_STATES];
  guint64      t; /* number of this update, from 1 */
} HybUpdate;
typedef struct _HybOptimizerFormula HybOptimizerFormula; /* optimizer-private.h */
/* A kind of optimizer, as the list of kinds holds it. */
typedef struct
{
  const char     *name;
  const char     *doc;
  const HybParam *options; /* beyond those that all optimizers have */
  gsize           options_size;
  double          learning_rate;             /* the default */
  guint (*n_states) (gconstpointer options); /* arrays of state for each parameter */
  const HybOptimizerFormula *formula;
} HybOptimizerClass;

/* All optimizers, NULL-terminated. */
HYB_API const HybOptimizerClass *const *hyb_optimizers (void);
/* An optimizer with its settings and states. */
typedef struct _HybOptimizer HybOptimizer;

/* settings: key, value, …, NULL ("learning_rate", "0.1", "momentum", "0.9").  Returns NULL and
 * an error for an unknown name or key (it lists the known ones) or an invalid value. */
HYB_API HybOptimizer *
hyb_optimizer_new (const char *name, const char *const *settings, GError **error);
/* Frees an optimizer. */
HYB_API void hyb_optimizer_free (HybOptimizer *optimizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybOptimizer, hyb_optimizer_free)

/* The name of its class, such as "sgd".  Static. */
HYB_API const char *hyb_optimizer_get_name (HybOptimizer *optimizer);
/* The number of state arrays that it keeps for each parameter. */
HYB_API guint hyb_optimizer_n_states (HybOptimizer *optimizer);
/* The learning rate before the multipliers of parameters. */
HYB_API double hyb_optimizer_get_learning_rate (HybOptimizer *optimizer);
/* Sets the learning rate before the multipliers of parameters. */
HYB_API void hyb_optimizer_set_learning_rate (HybOptimizer *optimizer, double rate);
/* Sets the factor by which gradients are multiplied first. */
HYB_API void hyb_optimizer_set_rescale (HybOptimizer *optimizer, double rescale);
/* Updates one parameter. */
HYB_API void
hyb_optimizer_apply (HybOptimizer *optimizer, HybUpdate *update, double lr_mult, double wd_mult);

G_END_DECLS
