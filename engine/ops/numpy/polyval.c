/* polyval.c — _npi_polyval: the value of a polynomial at each element.
 *
 * Coefficients come with the highest power first.  Everything is computed by Horner's rule, which gives the
 * derivative at the same time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

static gboolean
polyval_infer_shape (HybCall *call, GError **error)
{
  return hyb_layer_expect_rank (&call->input[0].shape, "p", 1, 1, error) &&
         hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error);
}

/* The value at x; *slope is set to the derivative. */
static double
evaluate (gconstpointer p, const HybType *type, double x, double *slope)
{
  double value = 0;

  *slope = 0;
  for (gint64 i = 0; i < type->shape.dim[0]; i++)
    {
      *slope = *slope * x + value;
      value = value * x + hyb_dtype_get_double (p, type->dtype, (gsize) i);
    }
  return value;
}

static void
polyval_forward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  gsize    n = (gsize) hyb_shape_size (&call->output[0].shape);
  double   slope;

  for (gsize i = 0; i < n; i++)
    hyb_dtype_set_double (run->output[0], dtype, i,
                          evaluate (run->input[0], &call->input[0],
                                    hyb_dtype_get_double (run->input[1], dtype, i), &slope));
}

static gsize
backward_workspace (const HybCall *call)
{
  return (gsize) hyb_shape_size (&call->input[1].shape) * sizeof (double);
}

/* Inputs: gradient, p, x. */
static void
polyval_backward (const HybCall *call, const HybRun *run)
{
  const HybType *p = &call->input[1];
  gint64         n_coefficients = p->shape.dim[0];
  gsize          n = (gsize) hyb_shape_size (&call->input[2].shape);
  double        *sums = run->workspace;

  for (gint64 k = 0; k < n_coefficients; k++)
    sums[k] = 0;
  for (gsize i = 0; i < n; i++)
    {
      double x = hyb_dtype_get_double (run->input[2], p->dtype, i), power, slope;

      power = hyb_dtype_get_double (run->input[0], p->dtype, i);
      evaluate (run->input[1], p, x, &slope);
      hyb_dtype_set_double (run->output[1], p->dtype, i, power * slope);
      for (gint64 k = n_coefficients - 1; k >= 0; k--, power *= x)
        sums[k] += power;
    }
  for (gint64 k = 0; k < n_coefficients; k++)
    hyb_dtype_set_double (run->output[0], p->dtype, (gsize) k, sums[k]);
}

/* A multiplication and an addition for each coefficient. */
static void
polyval_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_elementwise (call, 2 * (double) MAX (0, call->input[0].shape.dim[0]), cost);
}

static const char *const inputs[] = { "p", "x", NULL };
static const char *const backward_inputs[] = { "gradient", "p", "x", NULL };
static const char *const backward_outputs[] = { "p", "x", NULL };

const HybOp hyb_ops_polyval[] = {
  {
      .name = "_npi_polyval",
      .doc = "The value of a polynomial at each element.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = inputs,
      .infer_shape = polyval_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = polyval_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = polyval_cost,
  },
  {
      .name = "_backward_np_polyval",
      .doc = "Gradients of _npi_polyval.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      .gradient_of = "_npi_polyval",
      .operands = "g0 i0 i1 > i0 i1",
      .dtypes = HYB_DTYPES_FLOAT,
      .workspace = backward_workspace,
      .forward = polyval_backward,
  },
  { 0 },
};
