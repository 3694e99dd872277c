/* custom.c — an operator of one's own, x / (1 + exp (−beta x)): registered, its gradient checked, used in a model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <math.h>
#include <stdio.h>

/* --- The operator and the operator of its gradient --- */

typedef struct
{
  double beta;
} SwishParams;

static const HybParam params[] = {
  { HYB_FIELD (SwishParams, beta), HYB_PARAM_FLOAT, "1", .doc = "factor of x in the sigmoid" },
  { 0 },
};

static void
forward (const HybCall *call, const HybRun *run)
{
  double   beta = ((const SwishParams *) call->params)->beta;
  HybDType type = call->output[0].dtype;

  for (gsize i = 0; i < (gsize) hyb_shape_size (&call->output[0].shape); i++)
    {
      double x = hyb_dtype_get_double (run->input[0], type, i);

      hyb_dtype_set_double (run->output[0], type, i, x / (1 + exp (-beta * x)));
    }
}

/* Inputs: the gradient of the output, and x. */
static void
backward (const HybCall *call, const HybRun *run)
{
  double   beta = ((const SwishParams *) call->params)->beta;
  HybDType type = call->output[0].dtype;

  for (gsize i = 0; i < (gsize) hyb_shape_size (&call->output[0].shape); i++)
    {
      double x = hyb_dtype_get_double (run->input[1], type, i), s = 1 / (1 + exp (-beta * x));

      hyb_dtype_set_double (run->output[0], type, i,
                            hyb_dtype_get_double (run->input[0], type, i) *
                                (s + beta * x * s * (1 - s)));
    }
}

static void
gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "swish_gradient", 2, inputs));
}

static const char *const inputs[] = { "data", NULL };
static const char *const gradient_inputs[] = { "gradient", "data", NULL };

static const HybOp swish = {
  .name = "swish",
  .doc = "x / (1 + exp (−beta x)).",
  .inputs = inputs,
  .params = params,
  .params_size = sizeof (SwishParams),
  .infer_shape = hyb_rule_same_shape,
  .dtypes = HYB_DTYPES_FLOAT,
  .forward = forward,
  .gradient = gradient,
};
static const HybOp swish_gradient = {
  .name = "swish_gradient",
  .doc = "Gradient of swish.",
  .inputs = gradient_inputs,
  .params = params,
  .params_size = sizeof (SwishParams),
  .infer_shape = hyb_rule_same_shape,
  .dtypes = HYB_DTYPES_FLOAT,
  .forward = backward,
};

/* --- The program --- */

static HybValue *
model (HybF *F, HybValue *x)
{
  return HYB_OP (F, "swish", .in = { x }, .attributes = HYB_WITH ("beta", "1.5"));
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybBlock) net = hyb_lambda_new (model, NULL);
  g_autoptr (HybTensor) x = hyb_tensor_new_float (1, (gint64[]){ 3 }, (float[]){ -1, 0.5F, 2 });
  g_autoptr (HybTensor) y = NULL;

  if (hyb_op_register (&swish, &error) && hyb_op_register (&swish_gradient, &error) &&
      hyb_check_gradient ("swish", HYB_STRINGS ("beta", "1.5"), 1, &x, &error))
    y = hyb_block_predict (net, x, &error);
  if (!y)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  printf ("the gradient is right; %.4f %.4f %.4f\n", hyb_tensor_get_value (y, 0),
          hyb_tensor_get_value (y, 1), hyb_tensor_get_value (y, 2));
  return 0;
}
