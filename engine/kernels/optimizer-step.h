/* optimizer-step.h — the formulas of MXNet's optimizers: one update of one parameter.
 *
 * The trainers and the operators such as sgd_update compute with these functions.  Some optimizers
 * limit the gradient before they add weight decay, others after that, as in MXNet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* The most arrays of state that an optimizer keeps for a parameter. */
#define HYB_STEP_MAX_STATES 3

/* One update.  Each function names the members that it reads besides the arrays, rate, decay, rescale
 * and clip. */
typedef struct
{
  HybDType      dtype; /* of all arrays: HYB_F32 or HYB_F64 */
  gint64        n;     /* elements of each array */
  gconstpointer weight, gradient;
  gpointer      to;                         /* the new weight; may be the same memory as weight */
  gpointer      state[HYB_STEP_MAX_STATES]; /* changed in place */

  double   rate;    /* learning rate */
  double   decay;   /* weight decay */
  double   rescale; /* factor of the gradient */
  double   clip;    /* limit of each element after that; NaN: no limit */
  double   momentum, beta1, beta2, epsilon;
  double   clip_weights; /* limit of the new weight; NaN: no limit */
  double   eta;          /* factor of the whole step of AdamW; decay of signum's weights */
  double   lambda, beta; /* of FTRL */
  double   t;            /* number of this update, from 1 */
  gboolean corrects_bias;
} HybOptimizerStep;

typedef void (*HybStepFunc) (const HybOptimizerStep *step);

/* Gradient descent; state 0, unless it is NULL, is the velocity.  Reads momentum. */
void hyb_step_sgd (const HybOptimizerStep *step);
/* Nesterov's momentum; state 0, unless it is NULL, is the velocity.  Reads momentum. */
void hyb_step_nag (const HybOptimizerStep *step);
/* States: mean, mean square.  Reads beta1, beta2 and epsilon; rate includes the correction of bias. */
void hyb_step_adam (const HybOptimizerStep *step);
/* States: mean square, and mean and velocity unless they are NULL.  Reads beta1 (kept share of the
 * means), momentum, epsilon and clip_weights. */
void hyb_step_rmsprop (const HybOptimizerStep *step);
/* States: mean square of gradients and of steps.  Reads beta1 (kept share of the means) and epsilon; no
 * rate. */
void hyb_step_adadelta (const HybOptimizerStep *step);
/* State: sum of squares.  Reads epsilon, which is added under the square root. */
void hyb_step_adagrad (const HybOptimizerStep *step);
/* The same with epsilon added to the square root, and no decay: _sparse_adagrad_update. */
void hyb_step_adagrad_outside (const HybOptimizerStep *step);
/* States: d, v, z.  Reads beta1, beta2, epsilon and t. */
void hyb_step_ftml (const HybOptimizerStep *step);
/* States: z, n.  Reads lambda and beta. */
void hyb_step_ftrl (const HybOptimizerStep *step);
/* The sign of the gradient. */
void hyb_step_sign (const HybOptimizerStep *step);
/* The sign of the velocity, which is state 0.  Reads momentum and eta. */
void hyb_step_signum (const HybOptimizerStep *step);
/* Adam with the decay outside of the means.  Reads beta1, beta2, epsilon and eta. */
void hyb_step_adamw (const HybOptimizerStep *step);
/* The direction of LAMB, written to `to`.  States: mean, mean square.  Reads beta1, beta2, epsilon, t and
 * corrects_bias. */
void hyb_step_lamb_direction (const HybOptimizerStep *step);
/* The weight minus rate times the gradient, which is used as it is. */
void hyb_step_along (const HybOptimizerStep *step);

/* LAMB's factor of the rate for norms of weight and direction; limits that are NaN do not apply. */
double hyb_lamb_ratio (double weight_norm, double direction_norm, double lower, double upper);
/* The sum of squares of an array. */
double hyb_sum_of_squares (HybDType dtype, gconstpointer x, gint64 n);
