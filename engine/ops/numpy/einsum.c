/* einsum.c — _npi_einsum: sums of products of tensors, with one letter for each axis.
 *
 * “ij,jk->ik” names the axes of each operand and those of the result; letters that the result does
 * not have are summed.  Both the result and each gradient are a contraction, which einsum-contract.c computes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/einsum-contract.h"

#include <string.h>

static const HybParam einsum_params[] = {
  { HYB_FIELD (EinsumParams, num_args), HYB_PARAM_INT, .low = 1, .high = EINSUM_MAX_OPERANDS,
    .doc = "number of operands" },
  { HYB_FIELD (EinsumParams, subscripts), HYB_PARAM_STRING, "",
    .doc = "the axes of the operands and of the result" },
  { HYB_FIELD (EinsumParams, optimize), HYB_PARAM_INT, "0",
    .doc = "whether MXNet looks for a faster order; not used" },
  { 0 },
};

static gboolean
einsum_check (gconstpointer params, GError **error)
{
  EinsumTerms terms;

  return hyb_einsum_read (params, &terms, error);
}

static gboolean
einsum_infer_shape (HybCall *call, GError **error)
{
  EinsumLabels labels;
  int          label[2 * HYB_MAX_RANK];
  HybShape     out;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_is_known (&call->input[i].shape))
      return TRUE;
  if (!hyb_einsum_labels (call->params, call->input, &labels, error))
    return FALSE;
  out.rank = hyb_einsum_result_rank (&labels);
  if (out.rank > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "the result has more than %d axes", HYB_MAX_RANK);
  hyb_einsum_axes (&labels, &labels.terms.result, out.rank, label);
  for (int i = 0; i < out.rank; i++)
    out.dim[i] = labels.dim[label[i]];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
einsum_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const EinsumParams *) values)->num_args;
  *n_outputs = 1;
}

/* --- Computation --- */

static void
einsum_forward (const HybCall *call, const HybRun *run)
{
  EinsumContraction contraction = { .dtype = call->output[0].dtype,
                                    .n_factors = (int) call->n_inputs,
                                    .y = run->output[0] };
  EinsumLabels      labels;

  hyb_einsum_labels (call->params, call->input, &labels, NULL);
  for (int k = 0; k < contraction.n_factors; k++)
    {
      contraction.x[k] = run->input[k];
      hyb_einsum_strides (&labels, &labels.terms.operand[k], &call->input[k].shape,
                          contraction.from[k]);
    }
  hyb_einsum_strides (&labels, &labels.terms.result, &call->output[0].shape, contraction.to);
  hyb_einsum_contract (&contraction, &labels);
}

/* Inputs: gradient, operands.  The gradient of an operand is the same sum, in which it and the result
 * have changed places; off a diagonal that it names twice it is zero. */
static void
einsum_backward (const HybCall *call, const HybRun *run)
{
  EinsumLabels labels;

  hyb_einsum_labels (call->params, call->input + 1, &labels, NULL);
  for (int target = 0; target < labels.terms.n; target++)
    {
      EinsumContraction contraction = { .dtype = call->output[0].dtype,
                                        .n_factors = labels.terms.n,
                                        .y = run->output[target] };

      for (int k = 0; k < labels.terms.n; k++)
        {
          gboolean is_target = k == target;

          contraction.x[k] = run->input[is_target ? 0 : k + 1];
          hyb_einsum_strides (&labels, is_target ? &labels.terms.result : &labels.terms.operand[k],
                              &call->input[is_target ? 0 : k + 1].shape, contraction.from[k]);
        }
      hyb_einsum_strides (&labels, &labels.terms.operand[target], &call->output[target].shape,
                          contraction.to);
      memset (run->output[target], 0, hyb_type_bytes (&call->output[target]));
      hyb_einsum_contract (&contraction, &labels);
    }
}

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_outputs = (guint) ((const EinsumParams *) values)->num_args;
  *n_inputs = *n_outputs + 1;
}

/* A multiplication for each factor and an addition for each combination of all labels. */
static void
einsum_cost (const HybCall *call, HybCost *cost)
{
  EinsumLabels labels;

  hyb_rule_cost_bytes (call, cost);
  cost->flops = (double) call->n_inputs;
  if (!hyb_einsum_labels (call->params, call->input, &labels, NULL))
    return;
  for (int i = 0; i < EINSUM_MAX_LABELS; i++)
    if (labels.dim[i] != HYB_UNKNOWN)
      cost->flops *= (double) labels.dim[i];
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };
static const char *const backward_outputs[] = { "data", NULL };

const HybOp hyb_ops_einsum[] = {
  {
      .name = "_npi_einsum",
      .doc = "Sums of products of tensors whose axes are named by letters.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = inputs,
      HYB_PARAMS (einsum_params, EinsumParams),
      .arity = einsum_arity,
      .check = einsum_check,
      .infer_shape = einsum_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = einsum_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = einsum_cost,
  },
  {
      .name = "_backward_np_einsum",
      .doc = "Gradients of _npi_einsum.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      HYB_PARAMS (einsum_params, EinsumParams),
      .arity = backward_arity,
      .gradient_of = "_npi_einsum",
      .operands = "g0 i* > i*",
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = einsum_backward,
  },
  { 0 },
};
