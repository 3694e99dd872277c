// custom.cpp — an operator of one's own, x / (1 + exp (−beta x)): registered, its gradient checked, used in a model.
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "own.hpp"

#include <cmath>

// --- The operator and the operator of its gradient ---

struct SwishParams
{
  double beta;
};

HYB_LEAVES_OUT_MEMBERS (static const HybParam params[] = {
                            { HYB_FIELD (SwishParams, beta), .kind = HYB_PARAM_FLOAT,
                              .fallback = "1", .doc = "factor of x in the sigmoid" },
                            { .name = nullptr },
                        };)

// Sets every element of the output to function (beta, element i of the inputs).
template <typename Function>
static void
each (const HybCall *call, const HybRun *run, Function function)
{
  double   beta = static_cast<const SwishParams *> (call->params)->beta;
  HybDType type = call->output[0].dtype;

  for (gsize i = 0; i < gsize (hyb_shape_size (&call->output[0].shape)); i++)
    hyb_dtype_set_double (run->output[0], type, i, function (beta, [=] (int input) {
                            return hyb_dtype_get_double (run->input[input], type, i);
                          }));
}

static void
forward (const HybCall *call, const HybRun *run)
{
  each (call, run,
        [] (double beta, auto input) { return input (0) / (1 + std::exp (-beta * input (0))); });
}

// Inputs: the gradient of the output, and x.
static void
backward (const HybCall *call, const HybRun *run)
{
  each (call, run, [] (double beta, auto input) {
    double x = input (1), s = 1 / (1 + std::exp (-beta * x));

    return input (0) * (s + beta * x * s * (1 - s));
  });
}

static void
gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "swish_gradient", 2, inputs));
}

static const char *const inputs[] = { "data", nullptr };
static const char *const gradient_inputs[] = { "gradient", "data", nullptr };

HYB_LEAVES_OUT_MEMBERS (static const HybOp swish = {
                            .name = "swish",
                            .doc = "x / (1 + exp (−beta x)).",
                            .inputs = inputs,
                            .params = params,
                            .params_size = sizeof (SwishParams),
                            .infer_shape = hyb_rule_same_shape,
                            .dtypes = HYB_DTYPES_FLOAT,
                            .forward = forward,
                            .gradient = gradient,
                        };)
HYB_LEAVES_OUT_MEMBERS (static const HybOp swish_gradient = {
                            .name = "swish_gradient",
                            .doc = "Gradient of swish.",
                            .inputs = gradient_inputs,
                            .params = params,
                            .params_size = sizeof (SwishParams),
                            .infer_shape = hyb_rule_same_shape,
                            .dtypes = HYB_DTYPES_FLOAT,
                            .forward = backward,
                        };)

// --- The program ---

int
main ()
{
  const gint64 dims[] = { 3 };
  const float  numbers[] = { -1, 0.5F, 2 };
  Error        error;
  Tensor       x (hyb_tensor_new_float (1, dims, numbers));
  Block        net (hyb_lambda_new (
      [] (HybF *F, HybValue *value) {
        return HYB_OP (F, "swish", .in = { value }, .attributes = HYB_WITH ("beta", "1.5"));
      },
      nullptr));
  HybTensor   *arrays[] = { x.get () };

  if (!hyb_op_register (&swish, error) || !hyb_op_register (&swish_gradient, error) ||
      !hyb_check_gradient ("swish", HYB_STRINGS ("beta", "1.5"), 1, arrays, error))
    return error.report ();
  Tensor y (hyb_block_predict (net.get (), x.get (), error));
  if (!y)
    return error.report ();
  std::printf ("the gradient is right; %.4f %.4f %.4f\n", hyb_tensor_get_value (y.get (), 0),
               hyb_tensor_get_value (y.get (), 1), hyb_tensor_get_value (y.get (), 2));
  return 0;
}
