/* update-trained.c — the updates of a trainer as operators, for training on a device: _update_sgd and its
 * relatives for each optimizer, _update_norm for the norm of all gradients, and _update_state.
 *
 * They write their inputs and return empty arrays.  What changes from step to step is an input: row number
 * `row` of the numbers holds learning rate, weight decay, factor of the gradient and limit of its elements,
 * and the norm brings the factor by which all gradients are limited.  Weights and gradients may have any float
 * type and are computed as float32, as the trainer does on the processor.  An operator is a row of
 * FOR_EACH_OPTIMIZER.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/optimizer-step.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

/* Inputs of an update. */
enum
{
  WEIGHT,
  GRADIENT,
  NUMBERS,
  NORM,
  FIRST_STATE
};
/* Numbers of a row. */
#define N_NUMBERS 4
/* Elements that are converted at a time. */
#define CHUNK 512

typedef struct
{
  gint64 row, states;
  double momentum, beta1, beta2, epsilon, clip_weights;
} UpdateParams;

typedef struct
{
  gint64 num_gradients;
  double limit;
} NormParams;

#define FLOAT(member, sentence)                                                 \
  {                                                                             \
    HYB_FIELD (UpdateParams, member), HYB_PARAM_FLOAT, "0.0", .doc = (sentence) \
  }
static const HybParam update_params[] = {
  { HYB_FIELD (UpdateParams, row), HYB_PARAM_INT, "0", 0, 1e9, .doc = "row of the numbers" },
  { HYB_FIELD (UpdateParams, states), HYB_PARAM_INT, "0", 0, HYB_STEP_MAX_STATES,
    .doc = "number of arrays of state" },
  FLOAT (momentum, "share of the last step"),
  FLOAT (beta1, "decay rate of the first mean"),
  FLOAT (beta2, "decay rate of the second mean"),
  FLOAT (epsilon, "added to a denominator or under its root"),
  { HYB_FIELD (UpdateParams, clip_weights), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "limit of the absolute weights" },
  { 0 },
};
#undef FLOAT

static const HybParam norm_params[] = {
  { HYB_FIELD (NormParams, num_gradients), HYB_PARAM_INT, NULL, 1, 65536,
    .doc = "number of inputs" },
  { HYB_FIELD (NormParams, limit), HYB_PARAM_FLOAT, "0.0",
    .doc = "limit of the norm of all gradients together; 0: none" },
  { 0 },
};

/* --- Rules --- */

static gboolean
is_float (HybDType dtype)
{
  return dtype == HYB_DTYPE_UNKNOWN || hyb_dtype_is_float (dtype);
}

static gboolean
infer_nothing (HybCall *call, GError **error)
{
  HybShape nothing = hyb_shape_1d (0);

  return hyb_shape_assign (&call->output[0].shape, &nothing, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

static void
update_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = FIRST_STATE + (guint) ((const UpdateParams *) params)->states;
  *n_outputs = 1;
}

static gboolean
update_infer_shape (HybCall *call, GError **error)
{
  const UpdateParams *params = call->params;
  HybShape            norm = hyb_shape_1d (2), *numbers = &call->input[NUMBERS].shape;

  for (guint i = GRADIENT; i < call->n_inputs; i++)
    if (i != NUMBERS && i != NORM &&
        (!hyb_shape_unify (&call->input[WEIGHT].shape, &call->input[i].shape, error)))
      return FALSE;
  if (hyb_shape_is_known (numbers) &&
      (numbers->rank != 2 || numbers->dim[0] <= params->row || numbers->dim[1] != N_NUMBERS))
    return hyb_refuse_types (error, NULL, "there is no row %" G_GINT64_FORMAT " of %d numbers",
                             params->row, N_NUMBERS);
  return hyb_shape_assign (&call->input[NORM].shape, &norm, error) && infer_nothing (call, error);
}

static gboolean
update_infer_dtype (HybCall *call, GError **error)
{
  if (!is_float (call->input[WEIGHT].dtype) || !is_float (call->input[GRADIENT].dtype))
    return hyb_refuse_types (error, NULL, "weights and gradients must be floats");
  if (!hyb_dtype_unify (&call->input[WEIGHT].dtype, &call->input[GRADIENT].dtype, error) ||
      !hyb_dtype_assign (&call->input[NUMBERS].dtype, HYB_F64, error) ||
      !hyb_dtype_assign (&call->input[NORM].dtype, HYB_F64, error))
    return FALSE;
  for (guint i = FIRST_STATE; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error))
      return FALSE;
  return hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

/* --- Updates --- */

/* The gradient, limited by the factor of the norm. */
static void
read_gradient (float *to, gconstpointer from, HybDType dtype, gsize n, double factor)
{
  hyb_dtype_convert (to, HYB_F32, from, dtype, n);
  for (gsize i = 0; i < n && factor != 1; i++)
    to[i] = (float) (to[i] * factor);
}

static void
run_update (const HybCall *call, const HybRun *run, HybStepFunc formula)
{
  const UpdateParams *params = call->params;
  const double       *numbers = (const double *) run->input[NUMBERS] + N_NUMBERS * params->row;
  HybDType            dtype = call->input[WEIGHT].dtype;
  gsize               size = hyb_dtype_size (dtype);
  gint64              n = hyb_shape_size (&call->input[WEIGHT].shape);
  float               weight[CHUNK], gradient[CHUNK];
  HybOptimizerStep    step = { .dtype = HYB_F32,
                               .weight = weight,
                               .gradient = gradient,
                               .to = weight,
                               .rate = numbers[0],
                               .decay = numbers[1],
                               .rescale = numbers[2],
                               .clip = numbers[3],
                               .momentum = params->momentum,
                               .beta1 = params->beta1,
                               .beta2 = params->beta2,
                               .epsilon = params->epsilon,
                               .clip_weights = params->clip_weights };

  for (gint64 i = 0; i < n; i += CHUNK)
    {
      char       *weights = (char *) run->input[WEIGHT] + (gsize) i * size;
      const char *gradients = (const char *) run->input[GRADIENT] + (gsize) i * size;

      step.n = MIN (CHUNK, n - i);
      hyb_dtype_convert (weight, HYB_F32, weights, dtype, (gsize) step.n);
      read_gradient (gradient, gradients, dtype, (gsize) step.n,
                     ((const double *) run->input[NORM])[1]);
      for (guint k = 0; k < (guint) params->states; k++)
        step.state[k] = (float *) run->input[FIRST_STATE + k] + i;
      formula (&step);
      hyb_dtype_convert (weights, dtype, weight, HYB_F32, (gsize) step.n);
    }
}

/* FOR_EACH_OPTIMIZER (X) expands X (formula, sentence) for every optimizer of a trainer. */
#define FOR_EACH_OPTIMIZER(X)                 \
  X (sgd, "gradient descent")                 \
  X (nag, "descent with Nesterov's momentum") \
  X (adam, "Adam")                            \
  X (rmsprop, "RMSProp")                      \
  X (adagrad, "AdaGrad")                      \
  X (adadelta, "AdaDelta")

#define FUNCTION(formula, sentence)                                      \
  static void formula##_forward (const HybCall *call, const HybRun *run) \
  {                                                                      \
    run_update (call, run, hyb_step_##formula);                          \
  }
FOR_EACH_OPTIMIZER (FUNCTION)
#undef FUNCTION

/* --- The norm --- */

static void
norm_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const NormParams *) params)->num_gradients;
  *n_outputs = 1;
}

static gboolean
norm_infer_shape (HybCall *call, GError **error)
{
  HybShape pair = hyb_shape_1d (2);

  return hyb_shape_assign (&call->output[0].shape, &pair, error);
}

static gboolean
norm_infer_dtype (HybCall *call, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!is_float (call->input[i].dtype))
      return hyb_refuse_types (error, NULL, "gradient %u is not of a float type", i);
  return hyb_dtype_assign (&call->output[0].dtype, HYB_F64, error);
}

static void
norm_forward (const HybCall *call, const HybRun *run)
{
  double  limit = ((const NormParams *) call->params)->limit, squares = 0, norm;
  double *pair = run->output[0];
  float   chunk[CHUNK];

  for (guint k = 0; k < call->n_inputs; k++)
    {
      HybDType dtype = call->input[k].dtype;
      gint64   n = hyb_shape_size (&call->input[k].shape);

      for (gint64 i = 0; i < n; i += CHUNK)
        {
          const char *from = (const char *) run->input[k] + (gsize) i * hyb_dtype_size (dtype);
          gint64      m = MIN (CHUNK, n - i);

          hyb_dtype_convert (chunk, HYB_F32, from, dtype, (gsize) m);
          squares += hyb_sum_of_squares (HYB_F32, chunk, m);
        }
    }
  norm = sqrt (squares);
  pair[0] = norm;
  pair[1] = limit > 0 ? MIN (1, limit / (norm + 1e-8)) : 1;
}

/* --- States that one step leaves to the next --- */

static gboolean
state_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->input[0].shape, &call->input[1].shape, error) &&
         infer_nothing (call, error);
}

static gboolean
state_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[0].dtype, &call->input[1].dtype, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

static void
state_forward (const HybCall *call, const HybRun *run)
{
  memmove ((gpointer) run->input[0], run->input[1], hyb_type_bytes (&call->input[0]));
}

static const char *const update_inputs[] = {
  "weight", "gradient", "numbers", "norm", "state", NULL
};
static const char *const norm_inputs[] = { "gradient", NULL };
static const char *const state_inputs[] = { "state", "value", NULL };

#define FLOATS                                                                   \
  (HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64) | HYB_DTYPE_BIT (HYB_F16) | \
   HYB_DTYPE_BIT (HYB_BF16))
#define ROW(formula, sentence)                                                \
  { .name = "_update_" #formula,                                              \
    .doc = "Updates a weight and its states in a trainer by " sentence ".",   \
    .category = HYB_CATEGORY_ELEMENTWISE,                                     \
    .flags = HYB_OP_INTERNAL | HYB_OP_NO_GRADIENT,                            \
    .inputs = update_inputs,                                                  \
    .mutates = 1 << WEIGHT | ((1 << HYB_STEP_MAX_STATES) - 1) << FIRST_STATE, \
    .params = update_params,                                                  \
    .params_size = sizeof (UpdateParams),                                     \
    .arity = update_arity,                                                    \
    .infer_shape = update_infer_shape,                                        \
    .infer_dtype = update_infer_dtype,                                        \
    .dtypes = FLOATS,                                                         \
    .forward = formula##_forward },

const HybOp hyb_ops_update_trained[] = {
  FOR_EACH_OPTIMIZER (ROW){
      .name = "_update_norm",
      .doc = "The norm of all gradients together, and the factor that limits it.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL | HYB_OP_NO_GRADIENT,
      .inputs = norm_inputs,
      HYB_PARAMS (norm_params, NormParams),
      .arity = norm_arity,
      .infer_shape = norm_infer_shape,
      .infer_dtype = norm_infer_dtype,
      .dtypes = FLOATS,
      .forward = norm_forward,
  },
  {
      .name = "_update_state",
      .doc = "Replaces a state by the value that the next step of training begins with.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL | HYB_OP_NO_GRADIENT,
      .inputs = state_inputs,
      .mutates = 1,
      .infer_shape = state_infer_shape,
      .infer_dtype = state_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = state_forward,
  },
  { 0 },
};
