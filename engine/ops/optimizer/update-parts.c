/* update-parts.c — attributes, rules and kernels that the update operators of optimizers share.
 *
 * Operands are float32 or float64 here; the executor converts half floats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/optimizer/update-parts.h"

#include <math.h>
#include <string.h>

/* The number of inputs of a group. */
static guint
group_size (const HybUpdateLayout *layout)
{
  return 2 + layout->n_states + (layout->has_master ? 1 : 0);
}

static guint
n_extra (const HybUpdateLayout *layout)
{
  return layout->extra == HYB_UPDATE_RATES ? 2 : layout->extra == HYB_UPDATE_RESCALE ? 1 : 0;
}

/* Operators for one weight have no attribute n_groups. */
static guint
n_groups (gconstpointer values)
{
  const HybUpdateParams *params = values;

  return params->n_groups > 0 ? (guint) params->n_groups : 1;
}

void
hyb_update_arity (const HybUpdateLayout *layout,
                  gconstpointer          params,
                  guint                 *n_inputs,
                  guint                 *n_outputs)
{
  *n_outputs = n_groups (params);
  *n_inputs = *n_outputs * group_size (layout) + n_extra (layout);
}

gboolean
hyb_update_infer_shape (const HybUpdateLayout *layout, HybCall *call, GError **error)
{
  guint    size = group_size (layout);
  HybShape rates = hyb_shape_1d (call->n_outputs);

  for (guint group = 0; group < call->n_outputs; group++)
    {
      HybShape *weight = &call->input[group * size].shape;

      for (guint turn = 0; turn < 2; turn++)
        for (guint i = 1; i <= size; i++)
          {
            HybType *other = i < size ? &call->input[group * size + i] : &call->output[group];

            if (!hyb_shape_unify (weight, &other->shape, error))
              return FALSE;
          }
    }
  for (guint i = call->n_outputs * size; i < call->n_inputs; i++)
    if (layout->extra == HYB_UPDATE_RATES &&
        !hyb_shape_assign (&call->input[i].shape, &rates, error))
      return FALSE;
  return TRUE;
}

gboolean
hyb_update_infer_dtype (const HybUpdateLayout *layout, HybCall *call, GError **error)
{
  guint    size = group_size (layout), n_grouped = call->n_outputs * size;
  HybDType weight = HYB_DTYPE_UNKNOWN;

  for (guint i = 0; i < call->n_inputs; i++)
    {
      gboolean is_weight = i < n_grouped && (!layout->has_master || i % size < 2);

      if (is_weight && !hyb_dtype_assign (&weight, call->input[i].dtype, error))
        return FALSE;
    }
  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_dtype_assign (&weight, call->output[i].dtype, error))
      return FALSE;

  for (guint i = 0; i < call->n_inputs; i++)
    {
      gboolean is_weight = i < n_grouped && (!layout->has_master || i % size < 2);

      if (is_weight)
        call->input[i].dtype = weight;
      else if (i < n_grouped && !hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error))
        return FALSE;
      else if (i >= n_grouped && call->input[i].dtype == HYB_DTYPE_UNKNOWN)
        call->input[i].dtype = HYB_F32;
    }
  for (guint i = 0; i < call->n_outputs; i++)
    call->output[i].dtype = weight;
  return TRUE;
}

/* --- Running --- */

static double
limit (double value)
{
  return value >= 0 ? value : NAN;
}

/* Element `group` of a tuple if the operator has one, else the single value. */
static double
choose (const HybFloats *tuple, guint group, double single)
{
  return tuple->n > (int) group ? tuple->value[group] : single;
}

HybOptimizerStep
hyb_update_step (const HybUpdateLayout *layout, const HybCall *call, const HybRun *run, guint group)
{
  const HybUpdateParams *params = call->params;
  guint                  size = group_size (layout), first = group * size;
  guint                  extra = call->n_outputs * size;
  HybOptimizerStep       step = {
          .dtype = call->output[group].dtype,
          .n = hyb_shape_size (&call->output[group].shape),
          .weight = run->input[layout->has_master ? first + size - 1 : first],
          .gradient = run->input[first + 1],
          .rate = choose (&params->rates, group, params->lr),
          .decay = choose (&params->decays, group, params->wd),
          .rescale = params->rescale_grad,
          .clip = limit (params->clip_gradient),
          .momentum = params->momentum,
          .beta1 = params->beta1,
          .beta2 = params->beta2,
          .epsilon = params->epsilon,
          .clip_weights = limit (params->clip_weights),
          .eta = choose (&params->etas, group, params->eta),
          .lambda = params->lambda,
          .beta = params->beta,
          .t = (double) params->t,
          .corrects_bias = params->bias_correction,
  };

  step.to = layout->has_master ? (gpointer) step.weight : run->output[group];
  for (guint i = 0; i < layout->n_states; i++)
    step.state[i] = (gpointer) run->input[first + 2 + i];
  if (params->step_count.n > (int) group)
    step.t = (double) params->step_count.value[group];
  if (layout->extra == HYB_UPDATE_RESCALE)
    step.rescale = hyb_dtype_get_double (run->input[extra], call->input[extra].dtype, 0);
  if (layout->extra == HYB_UPDATE_RATES)
    {
      step.rate = hyb_dtype_get_double (run->input[extra], call->input[extra].dtype, group);
      step.decay =
          hyb_dtype_get_double (run->input[extra + 1], call->input[extra + 1].dtype, group);
    }
  return step;
}

void
hyb_update_run (const HybUpdateLayout *layout, const HybCall *call, const HybRun *run)
{
  for (guint group = 0; group < call->n_outputs; group++)
    {
      HybOptimizerStep step = hyb_update_step (layout, call, run, group);

      if (layout->extra != HYB_UPDATE_RESCALE || (isfinite (step.rescale) && step.rescale != 0))
        layout->step (&step);
      else if (!layout->has_master)
        memcpy (step.to, step.weight, (gsize) step.n * hyb_dtype_size (step.dtype));
      if (layout->has_master)
        memcpy (run->output[group], step.to, (gsize) step.n * hyb_dtype_size (step.dtype));
    }
}
