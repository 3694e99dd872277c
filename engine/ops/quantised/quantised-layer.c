/* quantised-layer.c — layers on quantised values: _contrib_quantized_conv, …_fully_connected,
 * …_pooling, …_act, …_flatten, …_concat, …_embedding and …_batch_norm.
 *
 * The first inputs are those of the float operator (HybOp.float_form), whose attributes and rule for
 * shapes they share; the limits of their ranges follow.  Convolution, FullyConnected and Pooling are
 * computed by the float operator on integers (wide-call.h).  Start at layer_infer_shape() and
 * product_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/quantised/scale.h"
#include "engine/ops/quantised/wide-call.h"

#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"

#include <math.h>
#include <string.h>

/* Hidden outputs of BatchNorm are the most that a float form has. */
#define MAX_FORM_OUTPUTS 3

static const HybOp *
form_of (const HybCall *call)
{
  return hyb_op_find (call->op->float_form);
}

/* The number of inputs of the float form, which come first. */
static guint
n_operands (const HybCall *call)
{
  guint n_inputs, n_outputs;

  hyb_op_arity (form_of (call), call->params, &n_inputs, &n_outputs);
  return n_inputs;
}

/* Every operand has two limits. */
static void
triple_arity (const char *form, gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  hyb_op_arity (hyb_op_find (form), params, n_inputs, n_outputs);
  *n_inputs *= 3;
  *n_outputs = 3;
}

static void
convolution_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  triple_arity ("Convolution", params, n_inputs, n_outputs);
}

static void
fully_connected_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  triple_arity ("FullyConnected", params, n_inputs, n_outputs);
}

static void
concat_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  triple_arity ("Concat", params, n_inputs, n_outputs);
}

/* --- Types --- */

/* The float form's rule relates the first inputs and output 0. */
static gboolean
layer_infer_shape (HybCall *call, GError **error)
{
  HybType  outputs[MAX_FORM_OUTPUTS] = { call->output[0], HYB_TYPE_UNKNOWN, HYB_TYPE_UNKNOWN };
  HybCall  inner = *call;
  gboolean is_done;

  inner.op = form_of (call);
  hyb_op_arity (inner.op, call->params, &inner.n_inputs, &inner.n_outputs);
  inner.output = outputs;
  is_done = inner.op->infer_shape (&inner, error);
  call->output[0].shape = outputs[0].shape;
  return is_done && hyb_range_infer_limits (call->input, inner.n_inputs, call->n_inputs, error) &&
         hyb_range_infer_limits (call->output, 1, call->n_outputs, error);
}

static gboolean
expect_8_bits (const HybType *type, const char *name, GError **error)
{
  return type->dtype == HYB_DTYPE_UNKNOWN || type->dtype == HYB_I8 || type->dtype == HYB_U8 ||
         hyb_refuse_types (error, NULL, "%s is %s, not int8 or uint8", name,
                           hyb_dtype_name (type->dtype));
}

/* Inputs [first, last) have this dtype. */
static gboolean
assign_inputs (HybCall *call, guint first, guint last, HybDType dtype, GError **error)
{
  for (guint i = first; i < last; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, dtype, error))
      return FALSE;
  return TRUE;
}

/* Data of 8 bits, everything else int8; the sums are int32. */
static gboolean
product_infer_dtype (HybCall *call, GError **error)
{
  return expect_8_bits (&call->input[0], "data", error) &&
         assign_inputs (call, 1, n_operands (call), HYB_I8, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_I32, error);
}

/* The result has the dtype of the data. */
static gboolean
same_infer_dtype (HybCall *call, GError **error)
{
  return expect_8_bits (&call->input[0], "data", error) &&
         hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error);
}

static gboolean
activation_infer_dtype (HybCall *call, GError **error)
{
  return expect_8_bits (&call->input[0], "data", error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_I8, error);
}

static gboolean
embedding_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->input[1].dtype, HYB_I8, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_I8, error);
}

static gboolean
batch_norm_infer_dtype (HybCall *call, GError **error)
{
  return expect_8_bits (&call->input[0], "data", error) &&
         assign_inputs (call, 1, n_operands (call), HYB_F32, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_I8, error);
}

/* int8 if one of the inputs is. */
static gboolean
concat_infer_dtype (HybCall *call, GError **error)
{
  HybDType result = HYB_U8;

  for (guint i = 0; i < n_operands (call); i++)
    {
      if (!expect_8_bits (&call->input[i], "an input", error))
        return FALSE;
      if (call->input[i].dtype == HYB_DTYPE_UNKNOWN)
        return TRUE;
      if (call->input[i].dtype == HYB_I8)
        result = HYB_I8;
    }
  return hyb_dtype_assign (&call->output[0].dtype, result, error);
}

/* --- Layers that the float operator computes --- */

typedef struct
{
  HybWideCall wide;
  gsize       workspace;
  gpointer    params;  /* of the float form, if they differ from the call's */
  double      divisor; /* of the result */
} Product;

static void
product_release (HybCall *call)
{
  Product *product = g_steal_pointer (&call->prepared);

  if (product)
    {
      hyb_wide_call_clear (&product->wide);
      hyb_params_unref (product->params);
    }
  g_free (product);
}

/* oneDNN divides the sum of a window by the cells of the kernel, unless the average leaves out
 * padding: also where the window reaches beyond the padding, which the float operator does not count.
 * Sums are computed then.  Sets the divisor; NULL if the float form's own average is right. */
static gpointer
sum_params (const HybCall *call, double *divisor)
{
  const HybOp *form = form_of (call);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  HybInts  kernel = { 0 };
  gboolean sums = TRUE;

  for (const HybParam *param = form->params; param->name; param++)
    {
      g_autofree char *text = hyb_param_to_string (param, call->params);
      gboolean         is_type = strcmp (param->name, "pool_type") == 0;

      if ((is_type && strcmp (text, "avg") != 0) ||
          (strcmp (param->name, "global_pool") == 0 && strcmp (text, "True") == 0) ||
          (strcmp (param->name, "count_include_pad") == 0 && strcmp (text, "False") == 0) ||
          (strcmp (param->name, "kernel") == 0 && !hyb_params_parse_ints (text, &kernel)))
        sums = FALSE;
      g_ptr_array_add (texts, g_strdup (param->name));
      g_ptr_array_add (texts, g_strdup (is_type ? "sum" : text));
    }
  g_ptr_array_add (texts, NULL);

  *divisor = 1;
  for (int i = 0; sums && i < kernel.n; i++)
    *divisor *= (double) kernel.value[i];
  g_free (kernel.value);
  if (!sums)
    return NULL;
  return hyb_params_parse (form->params, form->params_size, (gpointer) texts->pdata, NULL, NULL);
}

static gboolean
prepare (HybCall *call, Product *product, GError **error)
{
  HybWideSpec spec = { form_of (call), product->params ? product->params : call->params,
                       n_operands (call), call->input };

  call->prepared = product;
  if (hyb_wide_call_init (&product->wide, &spec, &product->workspace, error))
    return TRUE;
  product_release (call);
  return FALSE;
}

static gboolean
product_prepare (HybCall *call, GError **error)
{
  Product *product = g_new0 (Product, 1);

  product->divisor = 1;
  return prepare (call, product, error);
}

static gboolean
pooling_prepare (HybCall *call, GError **error)
{
  Product *product = g_new0 (Product, 1);

  product->params = sum_params (call, &product->divisor);
  return prepare (call, product, error);
}

static gsize
product_workspace (const HybCall *call)
{
  return ((const Product *) call->prepared)->workspace;
}

static void
load_operands (const HybCall *call, const HybRun *run)
{
  const Product *product = call->prepared;

  for (guint i = 0; i < product->wide.call.n_inputs; i++)
    hyb_wide_call_load (&product->wide, run, i, run->input[i], call->input[i].dtype);
}

static void
run_product (const HybCall *call, const HybRun *run)
{
  const Product     *product = call->prepared;
  const HybWideCall *wide = &product->wide;
  const double      *result;

  hyb_wide_call_run (wide, run);
  result = hyb_wide_call_output (wide, run);
  for (gint64 i = 0; i < hyb_wide_call_output_size (wide); i++)
    hyb_quantise_to (run->output[0], call->output[0].dtype, i, result[i] / product->divisor);
}

/* As in MXNet the levels of the bias are added as they are, whatever their range is, and the range of
 * the result is that of int8 data for uint8 data, too. */
static void
convolution_forward (const HybCall *call, const HybRun *run)
{
  guint n = n_operands (call);

  load_operands (call, run);
  run_product (call, run);
  hyb_range_write (run, hyb_range_of_product (hyb_range_read (run, n), hyb_range_read (run, n + 2),
                                              TRUE));
}

/* The bias is converted to the scale of the sums, truncated toward 0. */
static void
fully_connected_forward (const HybCall *call, const HybRun *run)
{
  const Product *product = call->prepared;
  guint          n = n_operands (call);
  HybRange       data = hyb_range_read (run, n), weight = hyb_range_read (run, n + 2);

  load_operands (call, run);
  if (n == 3)
    {
      double *bias = hyb_wide_call_input (&product->wide, run, 2);
      float   scale = hyb_range_scale (data, call->input[0].dtype) *
                    hyb_range_scale (weight, HYB_I8) *
                    hyb_range_extent (hyb_range_read (run, n + 4)) / HYB_INT8_LEVELS;

      for (gint64 i = 0; i < hyb_wide_call_input_size (&product->wide, 2); i++)
        bias[i] = CLAMP ((double) truncf ((float) bias[i] * scale), G_MININT32, G_MAXINT32);
    }
  run_product (call, run);
  hyb_range_write (run, hyb_range_of_product (data, weight, call->input[0].dtype == HYB_I8));
}

static void
pooling_forward (const HybCall *call, const HybRun *run)
{
  load_operands (call, run);
  run_product (call, run);
  hyb_range_write (run, hyb_range_read (run, 1));
}

/* --- Layers that need no sums --- */

static void
activation_forward (const HybCall *call, const HybRun *run)
{
  for (gint64 i = 0; i < hyb_shape_size (&call->input[0].shape); i++)
    hyb_quantise_to (run->output[0], HYB_I8, i,
                     MAX (hyb_quantised_get (run->input[0], call->input[0].dtype, i), 0));
  hyb_range_write (run, hyb_range_read (run, 1));
}

static void
flatten_forward (const HybCall *call, const HybRun *run)
{
  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  hyb_range_write (run, hyb_range_read (run, 1));
}

static void
embedding_forward (const HybCall *call, const HybRun *run)
{
  HybCall inner = *call;

  inner.op = form_of (call);
  inner.n_inputs = 2;
  inner.n_outputs = 1;
  inner.op->forward (&inner, run);
  hyb_range_write (run, hyb_range_read (run, 2));
}

/* The axis along which inputs are joined. */
static int
joined_axis (const HybCall *call)
{
  return hyb_shape_axis (&call->output[0].shape,
                         hyb_params_get_int (call->op->params, call->params, "dim", 1), NULL);
}

/* Copies one input to its place along the joined axis, in the scale of the output. */
static void
concat_piece (const HybCall *call, const HybRun *run, guint input, gint64 start, float factor)
{
  int         dim = joined_axis (call);
  HybAxisView from = hyb_axis_view (&call->input[input].shape, dim);
  HybAxisView to = hyb_axis_view (&call->output[0].shape, dim);
  gint64      row = from.length * from.inner;

  for (gint64 i = 0; i < from.outer * row; i++)
    hyb_quantise_to (run->output[0], call->output[0].dtype,
                     (i / row * to.length + start) * to.inner + i % row,
                     (float) hyb_quantised_get (run->input[input], call->input[input].dtype, i) *
                         factor);
}

static void
concat_forward (const HybCall *call, const HybRun *run)
{
  guint    n = n_operands (call);
  HybRange whole = { 0, 0 };
  gint64   start = 0;
  int      dim = joined_axis (call);

  for (guint i = 0; i < n; i++)
    {
      HybRange range = hyb_range_read (run, n + 2 * i);

      whole.low = MIN (whole.low, range.low);
      whole.high = MAX (whole.high, range.high);
    }
  for (guint i = 0; i < n; i++)
    {
      float scale = hyb_range_scale (hyb_range_read (run, n + 2 * i), call->input[i].dtype);

      concat_piece (call, run, i, start, hyb_range_scale (whole, call->output[0].dtype) / scale);
      start += call->input[i].shape.dim[dim];
    }
  hyb_range_write (run, whole);
}

/* --- _contrib_quantized_batch_norm --- */

static HybRange
calibrated_range (const HybCall *call)
{
  const HybParam *table = call->op->params;

  return (HybRange){
    (float) hyb_params_get_double (table, call->params, "min_calib_range", NAN),
    (float) hyb_params_get_double (table, call->params, "max_calib_range", NAN),
  };
}

static gboolean
batch_norm_prepare (HybCall *call, GError **error)
{
  HybRange range = calibrated_range (call);

  if (!isnan (range.low) && !isnan (range.high))
    return TRUE;
  return hyb_refuse_attribute (error,
                               "Quantise the model with calibration: MXNet refuses to run this, "
                               "too",
                               "min_calib_range and max_calib_range are not set");
}

/* data, gamma, beta, moving_mean, moving_var, limits.  uint8 data is first rounded to int8. */
static void
batch_norm_forward (const HybCall *call, const HybRun *run)
{
  const HybParam *table = call->op->params;
  const float    *gamma = run->input[1], *beta = run->input[2];
  const float    *mean = run->input[3], *variance = run->input[4];
  int             axis = hyb_shape_axis (&call->input[0].shape,
                                         hyb_params_get_int (table, call->params, "axis", 1), NULL);
  HybAxisView     view = hyb_axis_view (&call->input[0].shape, axis);
  double          eps = hyb_params_get_double (table, call->params, "eps", 1e-3);
  HybRange        range = calibrated_range (call);
  float           data = hyb_range_extent (hyb_range_read (run, 5));
  float           result = hyb_range_extent (range);
  gboolean        is_unsigned = call->input[0].dtype == HYB_U8;

  for (gint64 i = 0; i < view.outer * view.length * view.inner; i++)
    {
      gint64 c = i / view.inner % view.length;
      float  deviation = (float) (1.0 / sqrt (variance[c] + eps));
      float  weight = gamma[c] * deviation * data / result;
      float  shift = (beta[c] - mean[c] * gamma[c] * deviation) * HYB_INT8_LEVELS / result;
      double x = hyb_quantised_get (run->input[0], call->input[0].dtype, i);

      if (is_unsigned)
        x = hyb_quantise ((float) x * (HYB_INT8_LEVELS / HYB_UINT8_LEVELS), HYB_I8);
      hyb_quantise_to (run->output[0], HYB_I8, i, (float) x * weight + shift);
    }
  hyb_range_write (run, range);
}

/* --- Costs --- */

/* The cost of the float form, with the bytes of these operands. */
static void
layer_cost (const HybCall *call, HybCost *cost)
{
  HybType outputs[MAX_FORM_OUTPUTS] = { call->output[0], HYB_TYPE_UNKNOWN, HYB_TYPE_UNKNOWN };
  HybCall inner = *call;

  inner.op = form_of (call);
  hyb_op_arity (inner.op, call->params, &inner.n_inputs, &inner.n_outputs);
  inner.output = outputs;
  *cost = (HybCost){ 0 };
  if (inner.n_outputs == 1 && inner.op->cost)
    inner.op->cost (&inner, cost);
  else
    cost->flops = 2 * (double) hyb_shape_size (&call->output[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const data_inputs[] = { "data", "min_data", "max_data", NULL };
static const char *const product_inputs[] = { "data",     "weight",     "bias",       "min_data",
                                              "max_data", "min_weight", "max_weight", "min_bias",
                                              "max_bias", NULL };
static const char *const concat_inputs[] = { "arg", NULL };
static const char *const embedding_inputs[] = { "data", "weight", "min_weight", "max_weight",
                                                NULL };
static const char *const batch_norm_inputs[] = { "data",        "gamma",      "beta",
                                                 "moving_mean", "moving_var", "min_data",
                                                 "max_data",    NULL };
static const char *const range_outputs[] = { "output", "min_output", "max_output", NULL };

#define LAYER_OP                                                                           \
  .flags = HYB_OP_NO_GRADIENT, .outputs = range_outputs, .infer_shape = layer_infer_shape, \
  .dtypes = HYB_DTYPES_ALL, .cost = layer_cost

#define PRODUCT_OP \
  LAYER_OP, .prepare = product_prepare, .release = product_release, .workspace = product_workspace

const HybOp hyb_ops_quantised_layer[] = {
  {
      PRODUCT_OP,
      .name = "_contrib_quantized_conv",
      .float_form = "Convolution",
      .doc = "Convolution of int8 or uint8 data with int8 filters; the sums are int32.",
      .category = HYB_CATEGORY_CONVOLUTION,
      .inputs = product_inputs,
      .arity = convolution_arity,
      .infer_dtype = product_infer_dtype,
      .forward = convolution_forward,
  },
  {
      PRODUCT_OP,
      .name = "_contrib_quantized_fully_connected",
      .float_form = "FullyConnected",
      .doc = "Product of int8 or uint8 data with int8 weights; the sums are int32.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = product_inputs,
      .arity = fully_connected_arity,
      .infer_dtype = product_infer_dtype,
      .forward = fully_connected_forward,
  },
  {
      LAYER_OP,
      .name = "_contrib_quantized_pooling",
      .float_form = "Pooling",
      .doc = "Maximum or average of each window of int8 or uint8 values.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = data_inputs,
      .infer_dtype = same_infer_dtype,
      .prepare = pooling_prepare,
      .release = product_release,
      .workspace = product_workspace,
      .forward = pooling_forward,
  },
  {
      LAYER_OP,
      .name = "_contrib_quantized_act",
      .float_form = "Activation",
      .doc = "Rectifier on int8 values.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = data_inputs,
      .infer_dtype = activation_infer_dtype,
      .forward = activation_forward,
  },
  {
      LAYER_OP,
      .name = "_contrib_quantized_flatten",
      .float_form = "Flatten",
      .doc = "Merges all axes of quantised values except the first.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_inputs,
      .infer_dtype = same_infer_dtype,
      .forward = flatten_forward,
  },
  {
      LAYER_OP,
      .name = "_contrib_quantized_concat",
      .float_form = "Concat",
      .doc = "Joins quantised arrays in the widest of their ranges.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = concat_inputs,
      .arity = concat_arity,
      .infer_dtype = concat_infer_dtype,
      .forward = concat_forward,
  },
  {
      LAYER_OP,
      .name = "_contrib_quantized_embedding",
      .float_form = "Embedding",
      .doc = "Looks up rows of an int8 table.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = embedding_inputs,
      .infer_dtype = embedding_infer_dtype,
      .forward = embedding_forward,
  },
  {
      LAYER_OP,
      .name = "_contrib_quantized_batch_norm",
      .float_form = "BatchNorm",
      .doc = "Normalises int8 or uint8 values with the moving statistics.",
      .category = HYB_CATEGORY_NORMALISATION,
      .inputs = batch_norm_inputs,
      .mutates = 1 << 3 | 1 << 4,
      .infer_dtype = batch_norm_infer_dtype,
      .prepare = batch_norm_prepare,
      .forward = batch_norm_forward,
  },
  { 0 },
};
