/* optimizer.h — how a gradient changes a parameter.
 *
 * An optimizer is a row of the table in optimizer.c: name, options (MXNet's names
 * and defaults), how many arrays of state a parameter has, and one function over
 * the elements of a parameter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/param.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

#define HYB_MAX_OPTIMIZER_STATES 3

/* One parameter to update; all arrays float32 and equally long. */
typedef struct
{
  gint64       n;
  float       *weight;
  const float *gradient;
  float       *state[HYB_MAX_OPTIMIZER_STATES];
  double       learning_rate, decay; /* with the parameter's multipliers */
  double       rescale;              /* of the gradient */
  double       clip;                 /* of each element after that; NaN: none */
  guint64      t;                    /* number of this update, from 1 */
} HybUpdate;

typedef struct
{
  const char     *name;
  const char     *doc;
  const HybParam *options; /* its own, beyond those that all have */
  gsize           options_size;
  double          learning_rate; /* default */
  guint (*n_states) (gconstpointer options);
  void (*update) (gconstpointer options, const HybUpdate *update);
} HybOptimizerClass;

const HybOptimizerClass *const *hyb_optimizers (void); /* NULL-terminated */

typedef struct _HybOptimizer HybOptimizer;

/* settings: key, value, …, NULL ("learning_rate", "0.1", "momentum", "0.9").  A key that
 * nobody knows is an error that lists those that are. */
HybOptimizer *hyb_optimizer_new (const char *name, const char *const *settings, GError **error);
void          hyb_optimizer_free (HybOptimizer *optimizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybOptimizer, hyb_optimizer_free)

const char *hyb_optimizer_get_name (HybOptimizer *optimizer);
guint       hyb_optimizer_n_states (HybOptimizer *optimizer);
double      hyb_optimizer_get_learning_rate (HybOptimizer *optimizer);
void        hyb_optimizer_set_learning_rate (HybOptimizer *optimizer, double rate);
void        hyb_optimizer_set_rescale (HybOptimizer *optimizer, double rescale);
/* update: weight, gradient, state, n and t are given; the rest is filled in. */
void
hyb_optimizer_apply (HybOptimizer *optimizer, HybUpdate *update, double lr_mult, double wd_mult);

G_END_DECLS
