/* fused-layer.c — operators that MXNet's passes for oneDNN put in place of several: _sg_mkldnn_conv,
 * _sg_mkldnn_fully_connected, _sg_mkldnn_selfatt_qk and _sg_mkldnn_selfatt_valatt.
 *
 * The body holds the operators that were replaced; its variables are the first inputs of the node.  A
 * quantised layer takes the limits of ranges as further inputs, and computes on integers
 * (fused-quantised.c).  One that is not quantised runs its body.  Start at fused_infer_shape() and
 * fused_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/control/fused-body.h"
#include "engine/control/fused-quantised.h"

#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/quantised/scale.h"

/* --- Attributes --- */

#define FUSED_FIELD(member, text)                                            \
  {                                                                          \
    HYB_FIELD (HybFusedParams, member), HYB_PARAM_BOOL, "False", .doc = text \
  }

#define RANGE_FIELDS                                                                   \
  FUSED_FIELD (quantized, "compute on integers"),                                      \
      { HYB_FIELD (HybFusedParams, min_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None", \
        .doc = "lower limit of the result's range, from calibration" },                \
  {                                                                                    \
    HYB_FIELD (HybFusedParams, max_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None",     \
        .doc = "upper limit of the result's range, from calibration"                   \
  }

static const HybParam convolution_params[] = {
  FUSED_FIELD (with_bn, "the body normalises the result"),
  FUSED_FIELD (with_act, "a function follows the convolution"),
  FUSED_FIELD (with_relu, "older spelling of with_act"),
  FUSED_FIELD (with_sum, "another input is added"),
  FUSED_FIELD (with_postsum_act, "a function follows the sum"),
  FUSED_FIELD (with_postsum_relu, "older spelling of with_postsum_act"),
  RANGE_FIELDS,
  { 0 },
};

static const HybParam fully_connected_params[] = {
  FUSED_FIELD (with_eltwise, "a function follows the product"),
  FUSED_FIELD (with_relu, "older spelling of with_eltwise"),
  FUSED_FIELD (enable_float_output, "return floats, without a range"),
  { HYB_FIELD (HybFusedParams, channel_wise_quantize), HYB_PARAM_OPTIONAL_BOOL, "None",
    .doc = "the weights are floats, and each output has a scale of its own" },
  RANGE_FIELDS,
  { 0 },
};

static const HybParam attention_params[] = {
  { HYB_FIELD (HybFusedParams, heads), HYB_PARAM_INT, .low = 1, .high = 1 << 20,
    .doc = "number of heads" },
  FUSED_FIELD (enable_float_output, "return floats, without a range"),
  RANGE_FIELDS,
  { 0 },
};

/* --- Inputs, outputs and bodies --- */

static void
fused_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const HybFusedParams *params = values;

  *n_outputs = params->quantized && !params->enable_float_output ? 3 : 1;
}

/* Limits of the data, and of the input that is added. */
static void
convolution_arity (gconstpointer values, HybGraph *const *bodies, guint *n_inputs, guint *n_outputs)
{
  const HybFusedParams *params = values;

  *n_inputs = hyb_subgraph_n_variables (bodies[0]);
  if (params->quantized)
    *n_inputs += params->with_sum ? 4 : 2;
}

/* Limits of each input; weights that are floats have none. */
static void
product_arity (gconstpointer values, HybGraph *const *bodies, guint *n_inputs, guint *n_outputs)
{
  const HybFusedParams *params = values;
  guint                 n = hyb_subgraph_n_variables (bodies[0]);

  *n_inputs = n;
  if (params->quantized)
    *n_inputs += params->channel_wise_quantize == 1 ? 2 : 2 * n;
}

static guint
fused_body_variable (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  return variable < n_inputs ? variable : G_MAXUINT;
}

static HybPortKind
fused_body_port (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  return HYB_PORT_VALUE;
}

static guint
fused_body_next (gconstpointer params, guint body, guint head)
{
  return G_MAXUINT;
}

static guint
fused_body_result (gconstpointer params, guint body, guint head)
{
  return head == 0 ? 0 : G_MAXUINT;
}

static const char *const body_names[] = { "body" };

/* --- Types --- */

/* The body relates the shapes of the first inputs and of output 0.  In a quantised layer it
 * keeps its former types, all float32. */
static gboolean
fused_infer_shape (HybCall *call, GError **error)
{
  const HybFusedParams *params = call->params;
  guint                 n = hyb_subgraph_n_variables (call->body[0]);
  g_autofree HybType   *variables = g_new (HybType, MAX (n, 1));
  HybType               head = call->output[0];

  if (n == 0 || n > call->n_inputs || !hyb_subgraph_check (call->body[0], n, 1, "subgraph", error))
    return n > 0 && n <= call->n_inputs
               ? FALSE
               : hyb_refuse_types (error, NULL, "its subgraph has no inputs");
  for (guint i = 0; i < n; i++)
    variables[i] = call->input[i];
  for (guint i = 0; params->quantized && i < n; i++)
    variables[i].dtype = HYB_F32;
  if (params->quantized)
    head.dtype = HYB_F32;
  if (!hyb_subgraph_infer (call->body[0],
                           &(HybSubgraphTypes){ .variables = variables, .heads = &head }, error))
    {
      g_prefix_error (error, "in its subgraph: ");
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      call->input[i].shape = variables[i].shape;
      if (!params->quantized)
        call->input[i].dtype = variables[i].dtype;
    }
  call->output[0].shape = head.shape;
  if (!params->quantized)
    call->output[0].dtype = head.dtype;
  return hyb_range_infer_limits (call->input, n, call->n_inputs, error) &&
         hyb_range_infer_limits (call->output, 1, call->n_outputs, error);
}

static gboolean
expect_8_bits (const HybType *type, GError **error)
{
  return type->dtype == HYB_DTYPE_UNKNOWN || type->dtype == HYB_I8 || type->dtype == HYB_U8 ||
         hyb_refuse_types (error, NULL, "an input is %s, not int8 or uint8",
                           hyb_dtype_name (type->dtype));
}

/* float32, or the dtype that calibration decides, or the sums as they are. */
static gboolean
infer_result_dtype (HybCall *call, HybDType calibrated, GError **error)
{
  const HybFusedParams *params = call->params;
  HybDType              dtype = params->enable_float_output        ? HYB_F32
                                : hyb_fused_is_calibrated (params) ? calibrated
                                                                   : HYB_I32;

  return hyb_dtype_assign (&call->output[0].dtype, dtype, error);
}

/* int8 where the body cannot be read; then prepare() refuses the call. */
static HybDType
calibrated_dtype (const HybCall *call)
{
  HybFusedBody body;

  return hyb_fused_body_read (&body, call->body[0], NULL) ? hyb_fused_body_result (&body) : HYB_I8;
}

/* Data and the input that is added have 8 bits; weights are floats. */
static gboolean
convolution_infer_dtype (HybCall *call, GError **error)
{
  const HybFusedParams *params = call->params;
  guint                 n = hyb_subgraph_n_variables (call->body[0]);

  if (!params->quantized)
    return TRUE;
  for (guint i = 0; i < MIN (n, call->n_inputs); i++)
    if (i == 0 || (params->with_sum && i == n - 1))
      {
        if (!expect_8_bits (&call->input[i], error))
          return FALSE;
      }
    else if (!hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error))
      return FALSE;
  return infer_result_dtype (call, calibrated_dtype (call), error);
}

static gboolean
fully_connected_infer_dtype (HybCall *call, GError **error)
{
  const HybFusedParams *params = call->params;
  guint                 n = hyb_subgraph_n_variables (call->body[0]);

  if (!params->quantized)
    return TRUE;
  for (guint i = 1; i < MIN (n, call->n_inputs); i++)
    if (!hyb_dtype_assign (&call->input[i].dtype,
                           params->channel_wise_quantize == 1 ? HYB_F32 : HYB_I8, error))
      return FALSE;
  return expect_8_bits (&call->input[0], error) &&
         infer_result_dtype (call, calibrated_dtype (call), error);
}

/* int8 projections; attention that is an input is not negative. */
static gboolean
attention_infer_dtype (HybCall *call, GError **error)
{
  const HybFusedParams *params = call->params;
  guint                 n = hyb_subgraph_n_variables (call->body[0]);

  if (!params->quantized)
    return TRUE;
  for (guint i = 0; i < MIN (n, call->n_inputs); i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, i == 0 ? HYB_I8 : HYB_U8, error))
      return FALSE;
  return infer_result_dtype (call, HYB_I8, error);
}

/* --- Planning and running --- */

typedef struct
{
  HybSubgraph body;
  gsize       workspace;
} FloatPlan;

static gboolean
is_quantised (const HybCall *call)
{
  return ((const HybFusedParams *) call->params)->quantized;
}

static void
fused_release (HybCall *call)
{
  FloatPlan *plan;

  if (is_quantised (call))
    {
      hyb_fused_quantised_release (call);
      return;
    }
  plan = g_steal_pointer (&call->prepared);
  if (plan)
    hyb_subgraph_clear (&plan->body);
  g_free (plan);
}

/* MXNet runs these operators for inference only. */
static gboolean
fused_prepare (HybCall *call, GError **error)
{
  HybCall    inference = *call;
  FloatPlan *plan;

  if (is_quantised (call))
    return hyb_fused_quantised_prepare (call, error);
  inference.training = FALSE;
  plan = call->prepared = g_new0 (FloatPlan, 1);
  if (hyb_subgraph_plan (&plan->body, &inference, call->input, &plan->workspace, error) &&
      hyb_control_check_head (hyb_plan_get_head_type (plan->body.plan, 0), &call->output[0],
                              "subgraph", 0, error))
    return TRUE;
  fused_release (call);
  return FALSE;
}

static gsize
fused_workspace (const HybCall *call)
{
  return is_quantised (call) ? hyb_fused_quantised_workspace (call)
                             : ((const FloatPlan *) call->prepared)->workspace;
}

static void
fused_forward (const HybCall *call, const HybRun *run)
{
  const FloatPlan *plan = call->prepared;
  HybRun           inference = *run;
  HybFrame        *frame;

  if (is_quantised (call))
    {
      hyb_fused_quantised_forward (call, run);
      return;
    }
  inference.training = FALSE;
  frame = hyb_subgraph_start (&plan->body, &inference);
  for (guint i = 0; i < call->n_inputs; i++)
    hyb_frame_bind_variable (frame, i, run->input[i]);
  hyb_frame_bind_head (frame, 0, run->output[0]);
  hyb_subgraph_run (&plan->body, frame, &inference, HYB_UNKNOWN);
}

static void
fused_cost (const HybCall *call, HybCost *cost)
{
  guint               n = hyb_subgraph_n_variables (call->body[0]);
  g_autofree HybType *variables = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    variables[i] =
        i < call->n_inputs ? (HybType){ call->input[i].shape, HYB_F32 } : HYB_TYPE_UNKNOWN;
  *cost = (HybCost){ 0 };
  hyb_subgraph_add_cost (call->body[0], variables, FALSE, 1, cost);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const data_inputs[] = { "data", NULL };
static const char *const convolution_outputs[] = { "output", "output_min", "output_max", NULL };
static const char *const range_outputs[] = { "output", "min_output", "max_output", NULL };

#define FUSED_OP                                                                              \
  .flags = HYB_OP_NO_GRADIENT, .inputs = data_inputs, .params_size = sizeof (HybFusedParams), \
  .arity = fused_arity, .n_bodies = 1, .body_names = body_names,                              \
  .body_variable = fused_body_variable, .body_port = fused_body_port,                         \
  .body_next = fused_body_next, .body_result = fused_body_result,                             \
  .infer_shape = fused_infer_shape, .dtypes = HYB_DTYPES_ALL, .forward = fused_forward,       \
  .workspace = fused_workspace, .prepare = fused_prepare, .release = fused_release,           \
  .cost = fused_cost

const HybOp hyb_ops_fused_layer[] = {
  {
      FUSED_OP,
      .name = "_sg_mkldnn_conv",
      .outputs = convolution_outputs,
      .doc = "A convolution and the operators after it as one, on floats or on integers.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .params = convolution_params,
      .body_arity = convolution_arity,
      .infer_dtype = convolution_infer_dtype,
  },
  {
      FUSED_OP,
      .name = "_sg_mkldnn_fully_connected",
      .outputs = range_outputs,
      .doc = "A product with weights and the operators after it as one, on floats or on integers.",
      .category = HYB_CATEGORY_LINEAR,
      .params = fully_connected_params,
      .body_arity = product_arity,
      .infer_dtype = fully_connected_infer_dtype,
  },
  {
      FUSED_OP,
      .name = "_sg_mkldnn_selfatt_qk",
      .outputs = range_outputs,
      .doc = "Scores of self attention, on floats or on integers.",
      .category = HYB_CATEGORY_LINEAR,
      .params = attention_params,
      .body_arity = product_arity,
      .infer_dtype = attention_infer_dtype,
  },
  {
      FUSED_OP,
      .name = "_sg_mkldnn_selfatt_valatt",
      .outputs = range_outputs,
      .doc = "Values weighted by self attention, on floats or on integers.",
      .category = HYB_CATEGORY_LINEAR,
      .params = attention_params,
      .body_arity = product_arity,
      .infer_dtype = attention_infer_dtype,
  },
  { 0 },
};
