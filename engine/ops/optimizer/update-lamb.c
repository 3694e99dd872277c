/* update-lamb.c — the second phase of LAMB, its first phase in mixed precision, and AdaGrad with one
 * history for each row of a weight.
 *
 * Their operands differ from those of update.c: norms are single numbers, directions are float32, and a
 * history has the shape (rows, 1).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/optimizer/update-parts.h"

#include <math.h>

static double
limit (double value)
{
  return value >= 0 ? value : NAN;
}

/* --- LAMB --- */

static const HybParam phase1_params[] = {
  { HYB_FIELD (HybUpdateParams, beta1), HYB_PARAM_FLOAT, "0.9",
    .doc = "decay rate of the mean gradient" },
  { HYB_FIELD (HybUpdateParams, beta2), HYB_PARAM_FLOAT, "0.999",
    .doc = "decay rate of the mean squared gradient" },
  { HYB_FIELD (HybUpdateParams, epsilon), HYB_PARAM_FLOAT, "1e-06",
    .doc = "added to the square root" },
  { HYB_FIELD (HybUpdateParams, t), HYB_PARAM_INT, NULL, .doc = "number of this update, from 1" },
  { HYB_FIELD (HybUpdateParams, bias_correction), HYB_PARAM_BOOL, "True",
    .doc = "divide the means by 1 − beta to the power of t" },
  { HYB_FIELD (HybUpdateParams, wd), HYB_PARAM_FLOAT, NULL, .doc = "weight decay" },
  { HYB_FIELD (HybUpdateParams, rescale_grad), HYB_PARAM_FLOAT, "1.0",
    .doc = "factor of the gradient" },
  { HYB_FIELD (HybUpdateParams, clip_gradient), HYB_PARAM_FLOAT, "-1.0",
    .doc = "limit of the gradient's elements; below 0: none" },
  { 0 },
};

static const HybParam phase2_params[] = {
  { HYB_FIELD (HybUpdateParams, lr), HYB_PARAM_FLOAT, NULL, .doc = "learning rate" },
  { HYB_FIELD (HybUpdateParams, lower_bound), HYB_PARAM_FLOAT, "-1.0",
    .doc = "least norm of the weight; below 0: none" },
  { HYB_FIELD (HybUpdateParams, upper_bound), HYB_PARAM_FLOAT, "-1.0",
    .doc = "largest norm of the weight; below 0: none" },
  { 0 },
};

/* All operands have the dtype of the first, except those in mask, which are float32. */
static gboolean
infer_mixed (HybCall *call, guint32 mask, gboolean output_is_f32, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  for (guint i = 0; i < call->n_inputs; i++)
    if (mask >> i & 1 ? !hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error)
                      : !hyb_dtype_unify (&dtype, &call->input[i].dtype, error))
      return FALSE;
  if (output_is_f32 ? !hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error)
                    : !hyb_dtype_unify (&dtype, &call->output[0].dtype, error))
    return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    if (!(mask >> i & 1))
      call->input[i].dtype = dtype;
  return TRUE;
}

/* Inputs: weight, gradient, mean, var, weight32.  The output is a float32 direction. */
static gboolean
phase1_infer_dtype (HybCall *call, GError **error)
{
  return infer_mixed (call, 1u << 2 | 1u << 3 | 1u << 4, TRUE, error);
}

static void
phase1_forward (const HybCall *call, const HybRun *run)
{
  static const HybUpdateLayout layout = { hyb_step_lamb_direction, 2, TRUE, HYB_UPDATE_NOTHING };
  HybOptimizerStep             step = hyb_update_step (&layout, call, run, 0);

  step.to = run->output[0];
  hyb_step_lamb_direction (&step);
}

/* Inputs: weight, direction, its norms r1 and r2 (one number each), weight32 in mixed precision. */
static gboolean
phase2_infer_shape (HybCall *call, GError **error)
{
  HybShape *weight = &call->input[0].shape;

  for (int turn = 0; turn < 2; turn++)
    if (!hyb_shape_unify (weight, &call->input[1].shape, error) ||
        !hyb_shape_unify (weight, &call->output[0].shape, error) ||
        (call->n_inputs > 4 && !hyb_shape_unify (weight, &call->input[4].shape, error)))
      return FALSE;
  for (guint i = 2; i < 4; i++)
    {
      const HybShape *norm = &call->input[i].shape;

      if (norm->rank != HYB_UNKNOWN && hyb_shape_size (norm) != 1 &&
          hyb_shape_size (norm) != HYB_UNKNOWN)
        return hyb_refuse_types (error, NULL,
                                 "%s has %" G_GINT64_FORMAT " elements, but is one number",
                                 call->op->inputs[i], hyb_shape_size (norm));
    }
  return TRUE;
}

static gboolean
phase2_infer_dtype (HybCall *call, GError **error)
{
  return infer_mixed (call, call->n_inputs > 4 ? 0x1eu : 0, FALSE, error);
}

/* MXNet 1.9.1 documents that weight32 is written, and lists it as a state, but leaves it as it is. */
static void
phase2_forward (const HybCall *call, const HybRun *run)
{
  const HybUpdateParams *params = call->params;
  HybDType               dtype = call->output[0].dtype;
  gboolean               has_master = call->n_inputs > 4;
  HybOptimizerStep       step = { .dtype = dtype,
                                  .n = hyb_shape_size (&call->output[0].shape),
                                  .weight = run->input[has_master ? 4 : 0],
                                  .gradient = run->input[1],
                                  .to = run->output[0] };

  step.rate =
      params->lr * hyb_lamb_ratio (hyb_dtype_get_double (run->input[2], dtype, 0),
                                   hyb_dtype_get_double (run->input[3], dtype, 0),
                                   limit (params->lower_bound), limit (params->upper_bound));
  hyb_step_along (&step);
}

/* --- AdaGrad by rows --- */

static const HybParam group_params[] = {
  { HYB_FIELD (HybUpdateParams, lr), HYB_PARAM_FLOAT, NULL, .doc = "learning rate" },
  { HYB_FIELD (HybUpdateParams, rescale_grad), HYB_PARAM_FLOAT, "1.0",
    .doc = "factor of the gradient" },
  { HYB_FIELD (HybUpdateParams, clip_gradient), HYB_PARAM_FLOAT, "-1.0",
    .doc = "limit of the gradient's elements; below 0: none" },
  { HYB_FIELD (HybUpdateParams, epsilon), HYB_PARAM_FLOAT, "1e-05",
    .doc = "added to the square root" },
  { 0 },
};

/* The history (rows, 1, …) has as many rows as the weight. */
static gboolean
group_infer_shape (HybCall *call, GError **error)
{
  HybShape *weight = &call->input[0].shape;
  HybShape  history;

  if (!hyb_shape_unify (weight, &call->input[1].shape, error) ||
      !hyb_shape_unify (weight, &call->output[0].shape, error) ||
      !hyb_shape_unify (weight, &call->input[1].shape, error))
    return FALSE;
  if (weight->rank == HYB_UNKNOWN)
    return TRUE;
  if (weight->rank == 0)
    return hyb_refuse_types (error, NULL, "a 0-dimensional weight has no rows");
  history = *weight;
  for (int i = 1; i < history.rank; i++)
    history.dim[i] = 1;
  return hyb_shape_assign (&call->input[2].shape, &history, error);
}

/* Adds the mean square of every row to its history and updates the row with that. */
static void
group_forward (const HybCall *call, const HybRun *run)
{
  const HybUpdateParams *params = call->params;
  HybDType               dtype = call->output[0].dtype;
  gint64                 rows = call->output[0].shape.dim[0];
  gint64 size = hyb_shape_count (&call->output[0].shape, 1, call->output[0].shape.rank);
  double most = limit (params->clip_gradient);

  for (gint64 row = 0; row < rows; row++)
    {
      double sum = 0, history = hyb_dtype_get_double (run->input[2], dtype, (gsize) row);

      for (int turn = 0; turn < 2; turn++)
        {
          for (gint64 i = row * size; i < (row + 1) * size; i++)
            {
              double g =
                  params->rescale_grad * hyb_dtype_get_double (run->input[1], dtype, (gsize) i);

              if (!isnan (most))
                g = CLAMP (g, -most, most);
              if (turn == 0)
                sum += g * g;
              else
                hyb_dtype_set_double (run->output[0], dtype, (gsize) i,
                                      hyb_dtype_get_double (run->input[0], dtype, (gsize) i) -
                                          params->lr * g / (sqrt (history) + params->epsilon));
            }
          if (turn == 0 && size > 0)
            history += sum / (double) size;
        }
      hyb_dtype_set_double ((gpointer) run->input[2], dtype, (gsize) row, history);
    }
}

static const char *const phase1_inputs[] = { "weight", "grad", "mean", "var", "weight32", NULL };
static const char *const phase2_inputs[] = { "weight", "g", "r1", "r2", NULL };
static const char *const phase2_master_inputs[] = { "weight", "g", "r1", "r2", "weight32", NULL };
static const char *const group_inputs[] = { "weight", "grad", "history", NULL };

const HybOp hyb_ops_update_lamb[] = {
  {
      .name = "mp_lamb_update_phase1",
      .doc = "The direction of LAMB in mixed precision.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = phase1_inputs,
      .mutates = 1u << 2 | 1u << 3,
      HYB_PARAMS (phase1_params, HybUpdateParams),
      .infer_shape = hyb_rule_same_shape,
      .infer_dtype = phase1_infer_dtype,
      .dtypes = HYB_DTYPES_F32,
      .forward = phase1_forward,
  },
  {
      .name = "lamb_update_phase2",
      .doc = "A weight after a step of LAMB along a direction.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = phase2_inputs,
      HYB_PARAMS (phase2_params, HybUpdateParams),
      .infer_shape = phase2_infer_shape,
      .infer_dtype = phase2_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = phase2_forward,
  },
  {
      .name = "mp_lamb_update_phase2",
      .doc = "A weight after a step of LAMB along a direction, in mixed precision.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = phase2_master_inputs,
      .mutates = 1u << 4,
      HYB_PARAMS (phase2_params, HybUpdateParams),
      .infer_shape = phase2_infer_shape,
      .infer_dtype = phase2_infer_dtype,
      .dtypes = HYB_DTYPES_F32,
      .forward = phase2_forward,
  },
  {
      .name = "_contrib_group_adagrad_update",
      .doc = "A weight after one update by AdaGrad with one history for each row.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = group_inputs,
      .mutates = 1u << 2,
      HYB_PARAMS (group_params, HybUpdateParams),
      .infer_shape = group_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = group_forward,
  },
  { 0 },
};
