/* optimiser.c — Adagrad, Adam and Momentum: one step of a training, of ai.onnx.preview.training.
 *
 * Inputs are the rate, the number of the step, then all arrays, all gradients and all states of each kind; outputs are the new
 * arrays, then the new states.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <string.h>

/* The inputs of one array. */
typedef struct
{
  HybValueId rate, step; /* step as a float of the type of the rate */
  HybValueId x, gradient, state[2];
} Step;

/* New values of one array. */
typedef void (*Update) (HybLowering *lowering, const Step *step, HybValueId *x, HybValueId *states);

/* The gradient plus the gradient of the penalty for large weights. */
static HybValueId
regularise (HybLowering *lowering, const Step *step)
{
  double     factor = hyb_onnx_float (lowering, "norm_coefficient", 0);
  HybValueId x = onnx_scale (lowering, step->x, factor);

  return factor == 0 ? step->gradient : onnx_add (lowering, x, step->gradient);
}

static HybValueId
is_first (HybLowering *lowering, const Step *step)
{
  return hyb_onnx_with_scalar (lowering, "_npi_less_equal_scalar", step->step, 0);
}

/* a to the power of the step. */
static HybValueId
power_of_step (HybLowering *lowering, const Step *step, double a)
{
  return hyb_onnx_with_scalar (lowering, "_rpower_scalar", step->step, a);
}

static HybValueId
one_minus (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_with_scalar (lowering, "_rminus_scalar", x, 1);
}

/* old · factor + fresh · share */
static HybValueId
blend (HybLowering *lowering, HybValueId old, double factor, HybValueId fresh, double share)
{
  return onnx_add (lowering, onnx_scale (lowering, old, factor),
                   onnx_scale (lowering, fresh, share));
}

static HybValueId
root_plus (HybLowering *lowering, HybValueId x)
{
  return onnx_shift (lowering, hyb_onnx_unary (lowering, "sqrt", x),
                     hyb_onnx_float (lowering, "epsilon", 1e-6));
}

static void
update_adagrad (HybLowering *lowering, const Step *step, HybValueId *x, HybValueId *states)
{
  HybValueId gradient = regularise (lowering, step), rate;

  rate = onnx_scale (lowering, step->step, hyb_onnx_float (lowering, "decay_factor", 0));
  rate = onnx_divide (lowering, step->rate, onnx_shift (lowering, rate, 1));
  states[0] = onnx_add (lowering, step->state[0], hyb_onnx_unary (lowering, "square", gradient));
  gradient = onnx_divide (lowering, gradient, root_plus (lowering, states[0]));
  *x = onnx_subtract (lowering, step->x, onnx_multiply (lowering, rate, gradient));
}

static void
update_momentum (HybLowering *lowering, const Step *step, HybValueId *x, HybValueId *states)
{
  double alpha = hyb_onnx_float (lowering, "alpha", 0), beta = hyb_onnx_float (lowering, "beta", 1);
  gboolean   is_nesterov = strcmp (hyb_onnx_string (lowering, "mode", ""), "nesterov") == 0;
  HybDType   dtype = hyb_lowering_get_type (lowering, step->rate)->dtype;
  HybValueId gradient = regularise (lowering, step), share, move;

  share = onnx_where (lowering, is_first (lowering, step), hyb_onnx_scalar (lowering, 1, dtype),
                      hyb_onnx_scalar (lowering, beta, dtype));
  states[0] = onnx_add (lowering, onnx_scale (lowering, step->state[0], alpha),
                        onnx_multiply (lowering, share, gradient));
  move = is_nesterov ? blend (lowering, states[0], alpha, gradient, 1) : states[0];
  *x = onnx_subtract (lowering, step->x, onnx_multiply (lowering, step->rate, move));
}

static void
update_adam (HybLowering *lowering, const Step *step, HybValueId *x, HybValueId *states)
{
  double     alpha = hyb_onnx_float (lowering, "alpha", 0.9);
  double     beta = hyb_onnx_float (lowering, "beta", 0.999);
  double     post = hyb_onnx_float (lowering, "norm_coefficient_post", 0);
  HybValueId gradient = regularise (lowering, step), rate;

  states[0] = blend (lowering, step->state[0], alpha, gradient, 1 - alpha);
  states[1] = blend (lowering, step->state[1], beta, hyb_onnx_unary (lowering, "square", gradient),
                     1 - beta);
  rate =
      hyb_onnx_unary (lowering, "sqrt", one_minus (lowering, power_of_step (lowering, step, beta)));
  rate = onnx_divide (lowering, rate, one_minus (lowering, power_of_step (lowering, step, alpha)));
  rate = onnx_where (lowering, is_first (lowering, step), step->rate,
                     onnx_multiply (lowering, step->rate, rate));
  gradient = onnx_divide (lowering, states[0], root_plus (lowering, states[1]));
  *x = onnx_subtract (lowering, step->x, onnx_multiply (lowering, rate, gradient));
  *x = onnx_scale (lowering, *x, 1 - post);
}

/* All arrays of a node. */
static void
update_all (HybLowering *lowering, Update update, guint n_states)
{
  guint    n_inputs = hyb_onnx_n_inputs (lowering), n_each = 2 + n_states;
  guint    n = n_inputs > 2 ? (n_inputs - 2) / n_each : 0;
  HybDType dtype = hyb_onnx_type (lowering, 0)->dtype;
  Step     step = { .rate = hyb_onnx_input (lowering, 0) };

  if (n == 0 || n_inputs != 2 + n * n_each)
    {
      hyb_lowering_fail (lowering, NULL, "its inputs are not complete");
      return;
    }
  step.step = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 1), dtype);
  for (guint i = 0; i < n; i++)
    {
      HybValueId x, states[2] = { HYB_NO_ID, HYB_NO_ID };

      step.x = hyb_onnx_input (lowering, 2 + i);
      step.gradient = hyb_onnx_input (lowering, 2 + n + i);
      for (guint s = 0; s < n_states; s++)
        step.state[s] = hyb_onnx_input (lowering, 2 + (2 + s) * n + i);
      update (lowering, &step, &x, states);
      hyb_lowering_set_output (lowering, i, x);
      for (guint s = 0; s < n_states; s++)
        hyb_lowering_set_output (lowering, (1 + s) * n + i, states[s]);
    }
}

static void
lower_adagrad (HybLowering *lowering)
{
  update_all (lowering, update_adagrad, 1);
}

static void
lower_momentum (HybLowering *lowering)
{
  update_all (lowering, update_momentum, 1);
}

static void
lower_adam (HybLowering *lowering)
{
  update_all (lowering, update_adam, 2);
}

static const char *const inputs[] = { "R", "T", "inputs", NULL };
static const char *const outputs[] = { "outputs", NULL };

#define OPTIMISER(NAME, DOC, LOWER)                                 \
  {                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,                         \
            .doc = DOC,       .category = HYB_CATEGORY_ELEMENTWISE, \
            .inputs = inputs, .outputs = outputs,                   \
            .lower = LOWER },                                       \
    .domain = "ai.onnx.preview.training", .since = 1                \
  }

const HybOnnxOp hyb_onnx_ops_optimiser[] = {
  OPTIMISER ("Adagrad", "A step of Adagrad.", lower_adagrad),
  OPTIMISER ("Adam", "A step of Adam.", lower_adam),
  OPTIMISER ("Momentum", "A step along a running mean of gradients.", lower_momentum),
  { .since = 0 },
};
