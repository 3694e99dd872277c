/* update-multi.c — updates of several weights by one operator: multi_sgd_update, _multi_adamw_update,
 * _multi_lamb_update and their forms for mixed precision.
 *
 * The inputs are groups of weight, gradient and states, one after the other; output k is the new weight of
 * group k.  An operator is a row of FOR_EACH_UPDATE.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/ops/optimizer/update-parts.h"

#include <math.h>
#include <string.h>

/* Far more than MXNet computes at once (60 at most). */
#define MAX_GROUPS 1000

/* --- Attributes --- */

#define NUMBER(member, default_text, sentence)                                          \
  {                                                                                     \
    HYB_FIELD (HybUpdateParams, member), HYB_PARAM_FLOAT, default_text, .doc = sentence \
  }
#define TUPLE(text, member, sentence)                                                            \
  {                                                                                              \
    .name = text, .offset = G_STRUCT_OFFSET (HybUpdateParams, member), .kind = HYB_PARAM_FLOATS, \
    .doc = sentence                                                                              \
  }
#define GROUPS(text)                                                                            \
  {                                                                                             \
    .name = text, .offset = G_STRUCT_OFFSET (HybUpdateParams, n_groups), .kind = HYB_PARAM_INT, \
    .fallback = "1", .low = 1, .high = MAX_GROUPS, .doc = "number of weights"                   \
  }
#define RATES    TUPLE ("lrs", rates, "learning rate of each weight")
#define DECAYS   TUPLE ("wds", decays, "weight decay of each weight")
#define RESCALE  NUMBER (rescale_grad, "1.0", "factor of the gradients")
#define CLIP     NUMBER (clip_gradient, "-1.0", "limit of the gradients' elements; below 0: none")
#define MOMENTUM NUMBER (momentum, "0.0", "the kept share of the velocity")
#define BETA1    NUMBER (beta1, "0.9", "decay rate of the mean gradient")
#define BETA2    NUMBER (beta2, "0.999", "decay rate of the mean squared gradient")

static const HybParam sgd_params[] = {
  RATES, DECAYS, RESCALE, CLIP, GROUPS ("num_weights"), { 0 },
};
static const HybParam sgd_mom_params[] = {
  RATES, DECAYS, MOMENTUM, RESCALE, CLIP, GROUPS ("num_weights"), { 0 },
};
static const HybParam preloaded_params[] = { RESCALE, CLIP, GROUPS ("num_weights"), { 0 } };
static const HybParam preloaded_mom_params[] = {
  MOMENTUM, RESCALE, CLIP, GROUPS ("num_weights"), { 0 },
};
static const HybParam adamw_params[] = {
  RATES,  BETA1,
  BETA2,  NUMBER (epsilon, "1e-08", "added to the denominator"),
  DECAYS, TUPLE ("etas", etas, "factor of the step of each weight"),
  CLIP,   GROUPS ("num_weights"),
  { 0 },
};
static const HybParam lamb_params[] = {
  TUPLE ("learning_rates", rates, "learning rate of each weight"),
  BETA1,
  BETA2,
  NUMBER (epsilon, "1e-06", "added to the square root"),
  DECAYS,
  RESCALE,
  NUMBER (lower_bound, "-1.0", "least norm of a weight; below 0: none"),
  NUMBER (upper_bound, "-1.0", "largest norm of a weight; below 0: none"),
  CLIP,
  { HYB_FIELD (HybUpdateParams, bias_correction), HYB_PARAM_BOOL, "True",
    .doc = "divide the means by 1 − beta to the power of the step's number" },
  { HYB_FIELD (HybUpdateParams, step_count), HYB_PARAM_INTS,
    .doc = "number of this update of each weight, from 1" },
  GROUPS ("num_tensors"),
  { 0 },
};

#undef NUMBER
#undef TUPLE
#undef GROUPS
#undef RATES
#undef DECAYS
#undef RESCALE
#undef CLIP
#undef MOMENTUM
#undef BETA1
#undef BETA2

static gboolean
check_length (const char *name, int n, gint64 n_groups, GError **error)
{
  return n == n_groups ||
         hyb_refuse_attribute (error, NULL,
                               "%s has %d elements, but there are %" G_GINT64_FORMAT " weights",
                               name, MAX (n, 0), n_groups);
}

static gboolean
check_rates (gconstpointer values, GError **error)
{
  const HybUpdateParams *params = values;

  return check_length ("the tuple of learning rates", params->rates.n, params->n_groups, error) &&
         check_length ("wds", params->decays.n, params->n_groups, error);
}

static gboolean
check_adamw (gconstpointer values, GError **error)
{
  const HybUpdateParams *params = values;

  return check_rates (values, error) &&
         check_length ("etas", params->etas.n, params->n_groups, error);
}

static gboolean
check_lamb (gconstpointer values, GError **error)
{
  const HybUpdateParams *params = values;

  return check_rates (values, error) &&
         check_length ("step_count", params->step_count.n, params->n_groups, error);
}

#define check_nothing NULL

/* --- LAMB: the formula needs space for the direction --- */

static gsize
no_workspace (const HybCall *call)
{
  return 0;
}

static gsize
lamb_workspace (const HybCall *call)
{
  gsize most = 0;

  for (guint i = 0; i < call->n_outputs; i++)
    most = MAX (most, hyb_type_bytes (&call->output[i]));
  return most;
}

static double
limit (double value)
{
  return value >= 0 ? value : NAN;
}

static void
run_lamb (const HybUpdateLayout *layout, const HybCall *call, const HybRun *run)
{
  const HybUpdateParams *params = call->params;

  for (guint group = 0; group < call->n_outputs; group++)
    {
      HybOptimizerStep step = hyb_update_step (layout, call, run, group);
      gpointer         to = step.to;
      double           weight_norm = sqrt (hyb_sum_of_squares (step.dtype, step.weight, step.n));

      step.to = run->workspace;
      hyb_step_lamb_direction (&step);
      step.rate *=
          hyb_lamb_ratio (weight_norm, sqrt (hyb_sum_of_squares (step.dtype, step.to, step.n)),
                          limit (params->lower_bound), limit (params->upper_bound));
      step.gradient = step.to;
      step.to = to;
      hyb_step_along (&step);
      if (layout->has_master)
        memcpy (run->output[group], to, (gsize) step.n * hyb_dtype_size (step.dtype));
    }
}

/* --- Inputs --- */

#define NAMES(name, ...) \
  static const char *const name##_inputs[] = { "weight", "grad", __VA_ARGS__, NULL }

static const char *const plain_inputs[] = { "weight", "grad", NULL };
NAMES (master, "weight32");
NAMES (mom, "mom");
NAMES (mom_master, "mom", "weight32");
NAMES (moments, "mean", "var");
NAMES (moments_master, "mean", "var", "weight32");

#undef NAMES

/* --- The operators --- */

#define run_update hyb_update_run

/* FOR_EACH_UPDATE (X) expands X (operator, formula, attributes, check, inputs, number of states,
 * master, extra, function that runs it, workspace) for every operator. */
#define FOR_EACH_UPDATE(X)                                                                       \
  X (multi_sgd_update, sgd, sgd, rates, plain, 0, FALSE, NOTHING, update, no)                    \
  X (multi_sgd_mom_update, sgd, sgd_mom, rates, mom, 1, FALSE, NOTHING, update, no)              \
  X (multi_mp_sgd_update, sgd, sgd, rates, master, 0, TRUE, NOTHING, update, no)                 \
  X (multi_mp_sgd_mom_update, sgd, sgd_mom, rates, mom_master, 1, TRUE, NOTHING, update, no)     \
  X (preloaded_multi_sgd_update, sgd, preloaded, nothing, plain, 0, FALSE, RATES, update, no)    \
  X (preloaded_multi_sgd_mom_update, sgd, preloaded_mom, nothing, mom, 1, FALSE, RATES, update,  \
     no)                                                                                         \
  X (preloaded_multi_mp_sgd_update, sgd, preloaded, nothing, master, 0, TRUE, RATES, update, no) \
  X (preloaded_multi_mp_sgd_mom_update, sgd, preloaded_mom, nothing, mom_master, 1, TRUE, RATES, \
     update, no)                                                                                 \
  X (_multi_adamw_update, adamw, adamw, adamw, moments, 2, FALSE, RESCALE, update, no)           \
  X (_multi_mp_adamw_update, adamw, adamw, adamw, moments_master, 2, TRUE, RESCALE, update, no)  \
  X (_multi_lamb_update, lamb_direction, lamb, lamb, moments, 2, FALSE, NOTHING, lamb, lamb)     \
  X (_multi_mp_lamb_update, lamb_direction, lamb, lamb, moments_master, 2, TRUE, NOTHING, lamb,  \
     lamb)

#define FUNCTIONS(op, formula, attributes, checks, operands, states, master, after, run_it, space) \
  static const HybUpdateLayout op##_layout = { hyb_step_##formula, states, master,                 \
                                               HYB_UPDATE_##after };                               \
                                                                                                   \
  static void op##_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)                 \
  {                                                                                                \
    hyb_update_arity (&op##_layout, params, n_inputs, n_outputs);                                  \
  }                                                                                                \
                                                                                                   \
  static gboolean op##_infer_shape (HybCall *call, GError **error)                                 \
  {                                                                                                \
    return hyb_update_infer_shape (&op##_layout, call, error);                                     \
  }                                                                                                \
                                                                                                   \
  static gboolean op##_infer_dtype (HybCall *call, GError **error)                                 \
  {                                                                                                \
    return hyb_update_infer_dtype (&op##_layout, call, error);                                     \
  }                                                                                                \
                                                                                                   \
  static void op##_forward (const HybCall *call, const HybRun *run)                                \
  {                                                                                                \
    run_##run_it (&op##_layout, call, run);                                                        \
  }

FOR_EACH_UPDATE (FUNCTIONS)

#define ROW(op, formula, attributes, checks, operands, states, master, after, run_it, space) \
  { .name = #op,                                                                             \
    .doc = "Several weights after one update, as by the operator for one weight.",           \
    .category = HYB_CATEGORY_ELEMENTWISE,                                                    \
    .inputs = operands##_inputs,                                                             \
    .mutates = ((1u << ((states) + ((master) ? 1 : 0))) - 1) << 2,                           \
    .group_inputs = 2 + (states) + ((master) ? 1 : 0),                                       \
    .params = attributes##_params,                                                           \
    .params_size = sizeof (HybUpdateParams),                                                 \
    .arity = op##_arity,                                                                     \
    .check = check_##checks,                                                                 \
    .infer_shape = op##_infer_shape,                                                         \
    .infer_dtype = op##_infer_dtype,                                                         \
    .dtypes = (master) ? HYB_DTYPES_F32 : HYB_DTYPES_FLOAT,                                  \
    .forward = op##_forward,                                                                 \
    .workspace = space##_workspace },

const HybOp hyb_ops_update_multi[] = {
  FOR_EACH_UPDATE (ROW){ 0 },
};

#undef check_nothing
#undef run_update
#undef FOR_EACH_UPDATE
#undef FUNCTIONS
#undef ROW
