/* update.c — updates of one weight: sgd_update, adam_update and all other optimizers of MXNet, with
 * their forms for mixed precision.
 *
 * Output 0 is the new weight; states are changed in place.  An operator is a row of FOR_EACH_UPDATE, which
 * names the formula in kernels/optimizer-step.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/optimizer/update-parts.h"

#include <math.h>

/* --- Attributes --- */

#define NUMBER(member, default_text, sentence)                                          \
  {                                                                                     \
    HYB_FIELD (HybUpdateParams, member), HYB_PARAM_FLOAT, default_text, .doc = sentence \
  }
/* An attribute whose name differs from the member's. */
#define RENAMED(text, member, default_text, sentence)                                           \
  {                                                                                             \
    .name = text, .offset = G_STRUCT_OFFSET (HybUpdateParams, member), .kind = HYB_PARAM_FLOAT, \
    .fallback = default_text, .doc = sentence                                                   \
  }
#define RATE     NUMBER (lr, NULL, "learning rate")
#define DECAY    NUMBER (wd, "0.0", "weight decay")
#define RESCALE  NUMBER (rescale_grad, "1.0", "factor of the gradient")
#define CLIP     NUMBER (clip_gradient, "-1.0", "limit of the gradient's elements; below 0: none")
#define MOMENTUM NUMBER (momentum, "0.0", "the kept share of the velocity")
#define BETA1    NUMBER (beta1, "0.9", "decay rate of the mean gradient")
#define BETA2    NUMBER (beta2, "0.999", "decay rate of the mean squared gradient")
#define LAZY                                                          \
  {                                                                   \
    HYB_FIELD (HybUpdateParams, lazy_update), HYB_PARAM_BOOL, "True", \
        .doc = "has no effect: arrays are dense"                      \
  }
#define STEP_NUMBER                                                                             \
  {                                                                                             \
    HYB_FIELD (HybUpdateParams, t), HYB_PARAM_INT, NULL, .doc = "number of this update, from 1" \
  }

static const HybParam sgd_params[] = { RATE, DECAY, RESCALE, CLIP, LAZY, { 0 } };
static const HybParam sgd_mom_params[] = { RATE, MOMENTUM, DECAY, RESCALE, CLIP, LAZY, { 0 } };
static const HybParam nag_params[] = { RATE, MOMENTUM, DECAY, RESCALE, CLIP, { 0 } };
static const HybParam sign_params[] = { RATE, DECAY, RESCALE, CLIP, { 0 } };
static const HybParam signum_params[] = {
  RATE,    MOMENTUM, DECAY,
  RESCALE, CLIP,     RENAMED ("wd_lh", eta, "0.0", "decay outside of the velocity"),
  { 0 },
};
static const HybParam adam_params[] = {
  RATE, BETA1, BETA2, NUMBER (epsilon, "1e-08", "added to the denominator"), DECAY, RESCALE,
  CLIP, LAZY,  { 0 },
};
static const HybParam adamw_params[] = {
  RATE,  BETA1,
  BETA2, NUMBER (epsilon, "1e-08", "added to the denominator"),
  DECAY, NUMBER (eta, NULL, "factor of the step"),
  CLIP,  { 0 },
};
static const HybParam adagrad_params[] = {
  RATE, NUMBER (epsilon, "1e-07", "added to the square root"), DECAY, RESCALE, CLIP, { 0 },
};
static const HybParam rmsprop_params[] = {
  RATE,
  RENAMED ("gamma1", beta1, "0.95", "decay rate of the mean squared gradient"),
  NUMBER (epsilon, "1e-08", "added under the square root"),
  DECAY,
  RESCALE,
  CLIP,
  NUMBER (clip_weights, "-1.0", "limit of the weights; below 0: none"),
  { 0 },
};
static const HybParam rmspropalex_params[] = {
  RATE,
  RENAMED ("gamma1", beta1, "0.95", "decay rate of the means"),
  RENAMED ("gamma2", momentum, "0.9", "momentum"),
  NUMBER (epsilon, "1e-08", "added under the square root"),
  DECAY,
  RESCALE,
  CLIP,
  NUMBER (clip_weights, "-1.0", "limit of the weights; below 0: none"),
  { 0 },
};
static const HybParam ftml_params[] = {
  RATE,
  NUMBER (beta1, "0.6", "decay rate of z"),
  BETA2,
  NUMBER (epsilon, "1e-08", "added to the square root"),
  STEP_NUMBER,
  DECAY,
  RESCALE,
  RENAMED ("clip_grad", clip_gradient, "-1.0", "limit of the gradient's elements; below 0: none"),
  { 0 },
};
static const HybParam ftrl_params[] = {
  RATE,
  RENAMED ("lamda1", lambda, "0.01", "weight of the sum of absolute values"),
  NUMBER (beta, "1.0", "added to the square root"),
  DECAY,
  RESCALE,
  CLIP,
  { 0 },
};
static const HybParam lamb1_params[] = {
  BETA1,
  BETA2,
  NUMBER (epsilon, "1e-06", "added to the square root"),
  STEP_NUMBER,
  { HYB_FIELD (HybUpdateParams, bias_correction), HYB_PARAM_BOOL, "True",
    .doc = "divide the means by 1 − beta to the power of t" },
  NUMBER (wd, NULL, "weight decay"),
  RESCALE,
  CLIP,
  { 0 },
};
#undef RATE
#undef DECAY
#undef RESCALE
#undef CLIP
#undef MOMENTUM
#undef BETA1
#undef BETA2
#undef LAZY
#undef STEP_NUMBER
#undef NUMBER
#undef RENAMED

/* --- Inputs --- */

#define NAMES(name, ...) \
  static const char *const name##_inputs[] = { "weight", "grad", __VA_ARGS__, NULL }

static const char *const plain_inputs[] = { "weight", "grad", NULL };
NAMES (master, "weight32");
NAMES (mom, "mom");
NAMES (mom_master, "mom", "weight32");
NAMES (moments, "mean", "var");
NAMES (moments_rescale, "mean", "var", "rescale_grad");
NAMES (moments_master_rescale, "mean", "var", "weight32", "rescale_grad");
NAMES (square, "n");
NAMES (alex, "n", "g", "delta");
NAMES (ftml, "d", "v", "z");
NAMES (ftrl, "z", "n");
NAMES (history, "history");

#undef NAMES

/* --- The operators --- */

/* FOR_EACH_UPDATE (X) expands X (operator, formula, attributes, inputs, number of states, master,
 * extra, sentence) for every update of one weight. */
#define FOR_EACH_UPDATE(X)                                                                     \
  X (sgd_update, sgd, sgd, plain, 0, FALSE, NOTHING, "gradient descent")                       \
  X (sgd_mom_update, sgd, sgd_mom, mom, 1, FALSE, NOTHING, "gradient descent with momentum")   \
  X (mp_sgd_update, sgd, sgd, master, 0, TRUE, NOTHING, "gradient descent in mixed precision") \
  X (mp_sgd_mom_update, sgd, sgd_mom, mom_master, 1, TRUE, NOTHING,                            \
     "gradient descent with momentum in mixed precision")                                      \
  X (nag_mom_update, nag, nag, mom, 1, FALSE, NOTHING, "Nesterov's momentum")                  \
  X (mp_nag_mom_update, nag, nag, mom_master, 1, TRUE, NOTHING,                                \
     "Nesterov's momentum in mixed precision")                                                 \
  X (signsgd_update, sign, sign, plain, 0, FALSE, NOTHING, "the sign of the gradient")         \
  X (signum_update, signum, signum, mom, 1, FALSE, NOTHING, "the sign of the velocity")        \
  X (adam_update, adam, adam, moments, 2, FALSE, NOTHING, "Adam")                              \
  X (_adamw_update, adamw, adamw, moments_rescale, 2, FALSE, RESCALE, "AdamW")                 \
  X (_mp_adamw_update, adamw, adamw, moments_master_rescale, 2, TRUE, RESCALE,                 \
     "AdamW in mixed precision")                                                               \
  X (_sparse_adagrad_update, adagrad_outside, adagrad, history, 1, FALSE, NOTHING, "AdaGrad")  \
  X (rmsprop_update, rmsprop, rmsprop, square, 1, FALSE, NOTHING, "RMSProp")                   \
  X (rmspropalex_update, rmsprop, rmspropalex, alex, 3, FALSE, NOTHING, "centred RMSProp")     \
  X (ftml_update, ftml, ftml, ftml, 3, FALSE, NOTHING, "FTML")                                 \
  X (ftrl_update, ftrl, ftrl, ftrl, 2, FALSE, NOTHING, "FTRL")                                 \
  X (lamb_update_phase1, lamb_direction, lamb1, moments, 2, FALSE, NOTHING, "LAMB's direction")

#define FUNCTIONS(op, formula, attributes, operands, states, master, after, sentence) \
  static const HybUpdateLayout op##_layout = { hyb_step_##formula, states, master,    \
                                               HYB_UPDATE_##after };                  \
                                                                                      \
  static gboolean op##_infer_shape (HybCall *call, GError **error)                    \
  {                                                                                   \
    return hyb_update_infer_shape (&op##_layout, call, error);                        \
  }                                                                                   \
                                                                                      \
  static gboolean op##_infer_dtype (HybCall *call, GError **error)                    \
  {                                                                                   \
    return hyb_update_infer_dtype (&op##_layout, call, error);                        \
  }                                                                                   \
                                                                                      \
  static void op##_forward (const HybCall *call, const HybRun *run)                   \
  {                                                                                   \
    hyb_update_run (&op##_layout, call, run);                                         \
  }

FOR_EACH_UPDATE (FUNCTIONS)

/* Bits of the states, from input 2 on, and of the float32 weight behind them. */
#define WRITTEN(states, master) (((1u << ((states) + ((master) ? 1 : 0))) - 1) << 2)

#define ROW(op, formula, attributes, operands, states, master, after, sentence) \
  { .name = #op,                                                                \
    .doc = "A weight after one update: " sentence ".",                          \
    .category = HYB_CATEGORY_ELEMENTWISE,                                       \
    .inputs = operands##_inputs,                                                \
    .mutates = WRITTEN (states, master),                                        \
    .params = attributes##_params,                                              \
    .params_size = sizeof (HybUpdateParams),                                    \
    .infer_shape = op##_infer_shape,                                            \
    .infer_dtype = op##_infer_dtype,                                            \
    .dtypes = (master) ? HYB_DTYPES_F32 : HYB_DTYPES_FLOAT,                     \
    .forward = op##_forward },

const HybOp hyb_ops_update[] = {
  FOR_EACH_UPDATE (ROW){ 0 },
};

#undef FOR_EACH_UPDATE
#undef FUNCTIONS
#undef WRITTEN
#undef ROW
