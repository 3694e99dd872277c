/* update-parts.h — attributes, rules and kernels that the update operators of optimizers share.
 *
 * An update has one or several groups of inputs: weight, gradient, states, and for mixed precision the
 * weight in float32.  Output k is the new weight of group k; states and float32 weights are inputs that are
 * written.  Start with HybUpdateLayout and hyb_update_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/optimizer-step.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

/* The attributes of all these operators; each has a table of the ones that it takes.  Limits below 0 do not
 * apply. */
typedef struct
{
  double    lr, wd, rescale_grad, clip_gradient, clip_weights, momentum, beta1, beta2, epsilon;
  double    eta, lambda, beta, lower_bound, upper_bound;
  gint64    t, n_groups;
  gboolean  lazy_update, bias_correction;
  HybFloats rates, decays, etas;
  HybInts   step_count;
} HybUpdateParams;

/* Inputs after the groups. */
typedef enum
{
  HYB_UPDATE_NOTHING,
  HYB_UPDATE_RESCALE, /* the factor of the gradient; the update is left out unless it is finite, not 0 */
  HYB_UPDATE_RATES, /* two vectors with a learning rate and a decay for each group */
} HybUpdateExtra;

/* The inputs of an operator, and the formula. */
typedef struct
{
  HybStepFunc    step;
  guint          n_states;
  gboolean       has_master; /* the weight in float32 is the last of each group */
  HybUpdateExtra extra;
} HybUpdateLayout;

/* The numbers of inputs and outputs for n_groups groups. */
void hyb_update_arity (const HybUpdateLayout *layout,
                       gconstpointer          params,
                       guint                 *n_inputs,
                       guint                 *n_outputs);
/* All operands of a group have one shape. */
gboolean hyb_update_infer_shape (const HybUpdateLayout *layout, HybCall *call, GError **error);
/* Weights, gradients and outputs have one dtype, and so have the states; with has_master these are
 * float32. */
gboolean hyb_update_infer_dtype (const HybUpdateLayout *layout, HybCall *call, GError **error);
/* The update of group number `group`: everything but state 0 that comes from attributes and pointers. */
HybOptimizerStep hyb_update_step (const HybUpdateLayout *layout,
                                  const HybCall         *call,
                                  const HybRun          *run,
                                  guint                  group);
/* Applies the formula to every group. */
void hyb_update_run (const HybUpdateLayout *layout, const HybCall *call, const HybRun *run);
