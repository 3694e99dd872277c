/* swish.c — an operator of a plug-in: swish, x / (1 + exp (−beta x)), with its gradient.
 *
 * docs/custom-operators.md explains each part.  In a file of MXNet it is a node “swish”, or a node
 * “Custom” with op_type=swish.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <math.h>

/* --- Attributes --- */

typedef struct
{
  double beta;
} SwishParams;

static const HybParam swish_params[] = {
  { HYB_FIELD (SwishParams, beta), HYB_PARAM_FLOAT, "1", .doc = "factor of x in the sigmoid" },
  { 0 },
};

/* --- Computation --- */

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

/* One input and one output of the same shape, in any of the types of .dtypes. */
static void
swish_forward (const HybCall *call, const HybRun *run)
{
  const SwishParams *params = call->params;
  HybDType           dtype = call->output[0].dtype;
  gsize              n = (gsize) hyb_shape_size (&call->output[0].shape);

  for (gsize i = 0; i < n; i++)
    {
      double x = hyb_dtype_get_double (run->input[0], dtype, i);

      hyb_dtype_set_double (run->output[0], dtype, i, x * sigmoid (params->beta * x));
    }
}

/* Inputs: the gradient of the output, and x.  Output: the gradient of x. */
static void
swish_backward (const HybCall *call, const HybRun *run)
{
  const SwishParams *params = call->params;
  HybDType           dtype = call->output[0].dtype;
  gsize              n = (gsize) hyb_shape_size (&call->output[0].shape);

  for (gsize i = 0; i < n; i++)
    {
      double g = hyb_dtype_get_double (run->input[0], dtype, i);
      double x = hyb_dtype_get_double (run->input[1], dtype, i);
      double s = sigmoid (params->beta * x);

      hyb_dtype_set_double (run->output[0], dtype, i, g * (s + params->beta * x * s * (1 - s)));
    }
}

/* Adds a node of the second operator, which has the same attributes. */
static void
swish_gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "swish_gradient", 2, inputs));
}

/* --- The operators --- */

static const char *const swish_inputs[] = { "data", NULL };
static const char *const gradient_inputs[] = { "gradient", "data", NULL };

static const HybOp swish = {
  .name = "swish",
  .doc = "x / (1 + exp (−beta x)).",
  .category = HYB_CATEGORY_ELEMENTWISE,
  .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
  .inputs = swish_inputs,
  .params = swish_params,
  .params_size = sizeof (SwishParams),
  .infer_shape = hyb_rule_same_shape,
  .dtypes = HYB_DTYPES_FLOAT,
  .forward = swish_forward,
  .gradient = swish_gradient,
};

static const HybOp swish_gradient_op = {
  .name = "swish_gradient",
  .doc = "Gradient of swish.",
  .category = HYB_CATEGORY_ELEMENTWISE,
  .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
  .inputs = gradient_inputs,
  .params = swish_params,
  .params_size = sizeof (SwishParams),
  .infer_shape = hyb_rule_same_shape,
  .dtypes = HYB_DTYPES_FLOAT,
  .forward = swish_backward,
};

HYB_OPERATORS (&swish, &swish_gradient_op);
