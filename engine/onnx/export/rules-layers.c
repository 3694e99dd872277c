/* rules-layers.c — layers of networks: convolutions, pooling, normalisation, activations.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include <math.h>
#include <string.h>

/* --- Windows --- */

/* Attributes that convolutions and pooling share. */
typedef struct
{
  guint  n; /* spatial axes */
  gint64 kernel[HYB_MAX_RANK], strides[HYB_MAX_RANK], dilations[HYB_MAX_RANK];
  gint64 pads[2 * HYB_MAX_RANK];
} Window;

static void
fill (OnnxExport *export, const char *name, guint n, gint64 fallback, gint64 *values)
{
  guint         n_given;
  const gint64 *given = onnx_param_ints (export, name, &n_given);

  for (guint i = 0; i < n; i++)
    values[i] = i < n_given ? given[i] : fallback;
}

static Window
read_window (OnnxExport *export)
{
  Window      window = { 0 };
  const char *layout = onnx_param_text (export, "layout");

  if (layout[0] == 'N' && layout[1] != 'C' && layout[1] != 'o')
    onnx_fail (export, "ONNX has channels on the second axis only, and its layout is %s", layout);
  onnx_param_ints (export, "kernel", &window.n);
  fill (export, "kernel", window.n, 1, window.kernel);
  fill (export, "stride", window.n, 1, window.strides);
  fill (export, "dilate", window.n, 1, window.dilations);
  fill (export, "pad", window.n, 0, window.pads);
  memcpy (window.pads + window.n, window.pads, window.n * sizeof (gint64));
  return window;
}

/* The node on data, weight and perhaps a bias.  last: one more attribute, or one without a name. */
static void
write_windowed (OnnxExport *export, const char *op, const Window *window, OnnxAttribute last)
{
  guint     n = MIN (onnx_node (export)->n_inputs, 3);
  OnnxValue inputs[3];

  for (guint i = 0; i < n; i++)
    inputs[i] = onnx_input (export, i);
  onnx_set_output (export, 0,
                   onnx_emit (export, op, n, inputs,
                              ONNX_ATTRIBUTES (ONNX_INTS ("kernel_shape", window->n,
                                                          window->kernel),
                                               ONNX_INTS ("strides", window->n, window->strides),
                                               ONNX_INTS ("dilations", window->n,
                                                          window->dilations),
                                               ONNX_INTS ("pads", 2 * window->n, window->pads),
                                               ONNX_INT ("group",
                                                         onnx_param_int (export, "num_group", 1)),
                                               last)));
}

static void
write_convolution (OnnxExport *export)
{
  Window window = read_window (export);

  write_windowed (export, "Conv", &window, (OnnxAttribute){ .name = NULL });
}

static void
write_deconvolution (OnnxExport *export)
{
  Window        window = read_window (export);
  guint         n_target;
  const gint64 *target = onnx_param_ints (export, "target_shape", &n_target);
  gint64        adjust[HYB_MAX_RANK];

  for (guint i = 0; i < n_target; i++)
    if (target[i] > 0)
      onnx_fail (export, "its target_shape cannot be written as ONNX");
  fill (export, "adj", window.n, 0, adjust);
  write_windowed (export, "ConvTranspose", &window,
                  (OnnxAttribute) ONNX_INTS ("output_padding", window.n, adjust));
}

static void
write_pooling (OnnxExport *export)
{
  const char *type = onnx_param_text (export, "pool_type");
  const char *convention = onnx_param_text (export, "pooling_convention");
  gboolean    is_max = strcmp (type, "max") == 0, is_full = strcmp (convention, "full") == 0;
  gboolean    counts_padding = onnx_param_int (export, "count_include_pad", -1) != 0;
  Window      window = read_window (export);
  OnnxValue   x = onnx_input (export, 0);
  guint       n_size;

  onnx_param_ints (export, "output_size", &n_size);
  if ((!is_max && strcmp (type, "avg") != 0) || n_size > 0 || strcmp (convention, "same") == 0)
    {
      onnx_fail (export, "pooling of type %s with convention %s cannot be written as ONNX", type,
                 convention);
      return;
    }
  if (onnx_param_bool (export, "global_pool"))
    x = onnx_unary (export, is_max ? "GlobalMaxPool" : "GlobalAveragePool", x);
  else if (is_max)
    x = onnx_emit (export, "MaxPool", 1, &x,
                   ONNX_ATTRIBUTES (ONNX_INTS ("kernel_shape", window.n, window.kernel),
                                    ONNX_INTS ("strides", window.n, window.strides),
                                    ONNX_INTS ("pads", 2 * window.n, window.pads),
                                    ONNX_INT ("ceil_mode", is_full)));
  else
    x = onnx_emit (export, "AveragePool", 1, &x,
                   ONNX_ATTRIBUTES (ONNX_INTS ("kernel_shape", window.n, window.kernel),
                                    ONNX_INTS ("strides", window.n, window.strides),
                                    ONNX_INTS ("pads", 2 * window.n, window.pads),
                                    ONNX_INT ("ceil_mode", is_full),
                                    ONNX_INT ("count_include_pad", counts_padding)));
  onnx_set_output (export, 0, x);
}

static void
write_upsampling (OnnxExport *export)
{
  HybType    from = onnx_input_type (export, 0);
  HybType    type = { hyb_shape_1d (from.shape.rank), HYB_F32 };
  HybTensor *scales = hyb_tensor_new (&type, NULL);

  if (strcmp (onnx_param_text (export, "sample_type"), "nearest") != 0 ||
      onnx_node (export)->n_inputs != 1 || onnx_opset (export) < 11)
    {
      hyb_tensor_unref (scales);
      onnx_fail (export, "only nearest samples of one input can be written as ONNX");
      return;
    }
  for (int i = 0; scales && i < from.shape.rank; i++)
    ((float *) hyb_tensor_get_data (scales))[i] =
        i < 2 ? 1 : (float) onnx_param_int (export, "scale", 1);
  onnx_set_output (export, 0,
                   onnx_emit (export, "Resize", 3,
                              (OnnxValue[]){ onnx_input (export, 0), ONNX_NONE,
                                             onnx_tensor (export, "scales", scales) },
                              ONNX_ATTRIBUTES (ONNX_STRING ("mode", "nearest"),
                                               ONNX_STRING ("coordinate_transformation_mode",
                                                            "asymmetric"),
                                               ONNX_STRING ("nearest_mode", "floor"))));
}

/* --- Normalisation --- */

static OnnxValue
filled (OnnxExport *export, gint64 n, double number)
{
  HybType    type = { hyb_shape_1d (n), onnx_input_type (export, 1).dtype };
  HybTensor *tensor = NULL;

  if (n < 0)
    {
      onnx_fail (export, "the number of its channels is open");
      return ONNX_NONE;
    }
  tensor = hyb_tensor_new_zeros (&type, NULL);
  for (gint64 i = 0; tensor && number != 0 && i < n; i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) i, number);
  return onnx_tensor (export, "filled", tensor);
}

static void
write_batch_norm (OnnxExport *export)
{
  gint64    channels = onnx_input_type (export, 1).shape.dim[0];
  OnnxValue inputs[5];

  if (onnx_param_axis (export, "axis", 1, 0) != 1)
    onnx_fail (export, "ONNX normalises the second axis only");
  if (onnx_input_type (export, 1).shape.rank != 1)
    onnx_fail (export, "the number of its channels is not known");
  for (guint i = 0; i < 5; i++)
    inputs[i] = onnx_input (export, i);
  if (onnx_param_bool (export, "fix_gamma"))
    inputs[1] = filled (export, channels, 1);
  onnx_set_output (export, 0,
                   onnx_emit (export, "BatchNormalization", 5, inputs,
                              ONNX_ATTRIBUTES (ONNX_FLOAT ("epsilon",
                                                           onnx_param_double (export, "eps", 1e-3)),
                                               ONNX_FLOAT ("momentum",
                                                           onnx_param_double (export, "momentum",
                                                                              0.9)))));
}

/* From its pieces, for files whose operators have no layer normalisation. */
static OnnxValue
normalise (OnnxExport *export, gint64 axis)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  OnnxValue x = onnx_input (export, 0), mean, variance;

  mean = onnx_with_axes (export, x,
                         &(OnnxAxes){ "ReduceMean", 18, 1, &axis,
                                      ONNX_ATTRIBUTES (ONNX_INT ("keepdims", 1)) });
  x = onnx_binary (export, "Sub", x, mean);
  variance = onnx_with_axes (export, onnx_binary (export, "Mul", x, x),
                             &(OnnxAxes){ "ReduceMean", 18, 1, &axis,
                                          ONNX_ATTRIBUTES (ONNX_INT ("keepdims", 1)) });
  variance = onnx_binary (export, "Add", variance,
                          onnx_number (export, onnx_param_double (export, "eps", 1e-5), dtype));
  return onnx_binary (export, "Div", x, onnx_unary (export, "Sqrt", variance));
}

/* A vector over one axis of an array, so that it can be multiplied with it. */
static OnnxValue
along (OnnxExport *export, OnnxValue vector, gint64 axis, int rank)
{
  gint64 dims[HYB_MAX_RANK];

  if (axis >= rank - 1)
    return vector;
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis ? -1 : 1;
  return onnx_reshape (export, vector, (guint) rank, dims);
}

static void
write_layer_norm (OnnxExport *export)
{
  int       rank = onnx_input_type (export, 0).shape.rank;
  gint64    axis = onnx_param_axis (export, "axis", -1, 0);
  OnnxValue gamma = onnx_input (export, 1), beta = onnx_input (export, 2), x;

  if (onnx_opset (export) >= 17 && axis == rank - 1)
    {
      onnx_set_output (export, 0,
                       onnx_emit (export, "LayerNormalization", 3,
                                  (OnnxValue[]){ onnx_input (export, 0), gamma, beta },
                                  ONNX_ATTRIBUTES (ONNX_INT ("axis", -1),
                                                   ONNX_FLOAT ("epsilon",
                                                               onnx_param_double (export, "eps",
                                                                                  1e-5)))));
      return;
    }
  x = onnx_binary (export, "Mul", normalise (export, axis), along (export, gamma, axis, rank));
  onnx_set_output (export, 0, onnx_binary (export, "Add", x, along (export, beta, axis, rank)));
}

static OnnxValue
instance_norm (OnnxExport *export, OnnxValue x)
{
  return onnx_emit (export, "InstanceNormalization", 3,
                    (OnnxValue[]){ x, onnx_input (export, 1), onnx_input (export, 2) },
                    ONNX_ATTRIBUTES (
                        ONNX_FLOAT ("epsilon", onnx_param_double (export, "eps", 1e-5))));
}

static void
write_instance_norm (OnnxExport *export)
{
  onnx_set_output (export, 0, instance_norm (export, onnx_input (export, 0)));
}

/* Groups are the channels of an array in which each group is one channel. */
static void
write_group_norm (OnnxExport *export)
{
  gint64    groups = onnx_param_int (export, "num_groups", 1);
  OnnxValue x = onnx_input (export, 0), shape = onnx_output_shape (export, 0);

  if (onnx_input_type (export, 1).shape.dim[0] != groups)
    onnx_fail (export, "its gamma has not one number for each group");
  x = onnx_reshape (export, x, 3, (gint64[]){ 0, groups, -1 });
  onnx_set_output (export, 0, onnx_binary (export, "Reshape", instance_norm (export, x), shape));
}

static void
write_l2_normalization (OnnxExport *export)
{
  const char *mode = onnx_param_text (export, "mode");
  int         rank = onnx_input_type (export, 0).shape.rank;
  int         first = strcmp (mode, "spatial") == 0 ? 2 : 1;
  int         last = strcmp (mode, "channel") == 0 ? 2 : rank;
  gint64      axes[HYB_MAX_RANK];
  OnnxValue   x = onnx_input (export, 0), sum;

  if (first >= last)
    onnx_fail (export, "it normalises no axis");
  for (int i = first; i < last; i++)
    axes[i - first] = i;
  sum = onnx_with_axes (export, onnx_binary (export, "Mul", x, x),
                        &(OnnxAxes){ "ReduceSum", 13, (guint) (last - first), axes,
                                     ONNX_ATTRIBUTES (ONNX_INT ("keepdims", 1)) });
  sum = onnx_binary (export, "Add", sum,
                     onnx_number (export, onnx_param_double (export, "eps", 1e-10),
                                  onnx_output_type (export, 0).dtype));
  onnx_set_output (export, 0, onnx_binary (export, "Div", x, onnx_unary (export, "Sqrt", sum)));
}

static void
write_lrn (OnnxExport *export)
{
  OnnxValue x = onnx_input (export, 0);

  onnx_set_output (export, 0,
                   onnx_emit (export, "LRN", 1, &x,
                              ONNX_ATTRIBUTES (ONNX_FLOAT ("alpha",
                                                           onnx_param_double (export, "alpha",
                                                                              1e-4)),
                                               ONNX_FLOAT ("beta",
                                                           onnx_param_double (export, "beta",
                                                                              0.75)),
                                               ONNX_FLOAT ("bias",
                                                           onnx_param_double (export, "knorm", 2)),
                                               ONNX_INT ("size",
                                                         onnx_param_int (export, "nsize", 5)))));
}

/* --- Activations --- */

static void
write_activation (OnnxExport *export)
{
  static const struct
  {
    const char *type, *onnx;
  } names[] = { { "relu", "Relu" },
                { "sigmoid", "Sigmoid" },
                { "tanh", "Tanh" },
                { "softrelu", "Softplus" },
                { "softsign", "Softsign" } };
  const char *type = onnx_param_text (export, "act_type");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i].type, type) == 0)
      onnx_set_output (export, 0, onnx_unary (export, names[i].onnx, onnx_input (export, 0)));
}

static OnnxValue
gelu (OnnxExport *export, OnnxValue x)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  OnnxValue y = onnx_binary (export, "Mul", x, onnx_number (export, M_SQRT1_2, dtype));

  y = onnx_binary (export, "Add", onnx_unary (export, "Erf", y), onnx_number (export, 1, dtype));
  y = onnx_binary (export, "Mul", y, x);
  return onnx_binary (export, "Mul", y, onnx_number (export, 0.5, dtype));
}

/* Slopes of several channels, or for each sample and channel. */
static OnnxValue
prelu (OnnxExport *export, OnnxValue x)
{
  int       rank = onnx_input_type (export, 0).shape.rank;
  HybType   slopes = onnx_input_type (export, 1);
  OnnxValue gamma = onnx_input (export, 1);

  if (slopes.shape.rank < 2)
    return onnx_binary (export, "PRelu", x, along (export, gamma, 1, rank));
  for (int i = slopes.shape.rank; i < rank; i++)
    gamma = onnx_unsqueeze (export, gamma, i);
  return onnx_binary (export, "PRelu", x, gamma);
}

static void
write_leaky_relu (OnnxExport *export)
{
  const char *type = onnx_param_text (export, "act_type");
  double      slope = onnx_param_double (export, "slope", 0.25);
  OnnxValue   x = onnx_input (export, 0);

  if (strcmp (type, "rrelu") == 0)
    slope = (onnx_param_double (export, "lower_bound", 0.125) +
             onnx_param_double (export, "upper_bound", 0.334)) /
            2;
  if (strcmp (type, "prelu") == 0)
    x = prelu (export, x);
  else if (strcmp (type, "gelu") == 0)
    x = gelu (export, x);
  else if (strcmp (type, "selu") == 0)
    x = onnx_unary (export, "Selu", x);
  else if (strcmp (type, "elu") == 0)
    x = onnx_emit (export, "Elu", 1, &x, ONNX_ATTRIBUTES (ONNX_FLOAT ("alpha", slope)));
  else
    x = onnx_emit (export, "LeakyRelu", 1, &x, ONNX_ATTRIBUTES (ONNX_FLOAT ("alpha", slope)));
  onnx_set_output (export, 0, x);
}

/* Before version 13, softmax flattened all axes from its axis on; along the last axis both are the
 * same. */
static OnnxValue
softmax (OnnxExport *export, const char *op, OnnxValue x, gint64 axis, int rank)
{
  gint64   axes[HYB_MAX_RANK];
  gboolean is_moved = onnx_opset (export) < 13 && axis != rank - 1;

  for (int i = 0; i < rank; i++)
    axes[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
  if (is_moved)
    x = onnx_transpose (export, x, (guint) rank, axes);
  x = onnx_emit (export, op, 1, &x,
                 ONNX_ATTRIBUTES (ONNX_INT ("axis", is_moved ? rank - 1 : axis)));
  return is_moved ? onnx_transpose (export, x, (guint) rank, axes) : x;
}

/* rule->number: −1 for softmin, which is softmax of −x. */
static void
write_softmax (OnnxExport *export)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype, from = onnx_input_type (export, 0).dtype;
  double    temperature = onnx_param_double (export, "temperature", NAN);
  gint64    axis = onnx_param_axis (export, "axis", -1, 0);
  OnnxValue x = onnx_cast (export, onnx_input (export, 0), from, dtype);

  if (onnx_param_bool (export, "use_length"))
    onnx_fail (export, "softmax over the first elements of each row cannot be written as ONNX");
  if (onnx_rule (export)->number < 0)
    x = onnx_unary (export, "Neg", x);
  if (!isnan (temperature) && temperature != 1)
    x = onnx_binary (export, "Div", x, onnx_number (export, temperature, dtype));
  onnx_set_output (export, 0,
                   softmax (export, onnx_rule (export)->onnx, x, axis,
                            onnx_input_type (export, 0).shape.rank));
}

static void
write_softmax_output (OnnxExport *export)
{
  int      rank = onnx_input_type (export, 0).shape.rank;
  gboolean is_last = onnx_param_bool (export, "preserve_shape") || rank == 2;

  if (!is_last && !onnx_param_bool (export, "multi_output"))
    onnx_fail (export, "it takes all axes but the first for one, which cannot be written as ONNX");
  onnx_set_output (export, 0,
                   softmax (export, "Softmax", onnx_input (export, 0), is_last ? rank - 1 : 1,
                            rank));
}

static void
write_softmax_activation (OnnxExport *export)
{
  int      rank = onnx_input_type (export, 0).shape.rank;
  gboolean is_channel = strcmp (onnx_param_text (export, "mode"), "channel") == 0;

  if (!is_channel && rank != 2)
    onnx_fail (export, "it takes all axes but the first for one, which cannot be written as ONNX");
  onnx_set_output (export, 0, softmax (export, "Softmax", onnx_input (export, 0), 1, rank));
}

static void
write_dropout (OnnxExport *export)
{
  double    ratio = onnx_param_double (export, "p", 0.5);
  OnnxValue x = onnx_input (export, 0);

  if (strcmp (onnx_param_text (export, "mode"), "always") == 0)
    onnx_fail (export, "it drops elements in prediction as well, which ONNX does not");
  if (ratio >= 1)
    x = onnx_unary (export, "Identity", x);
  else if (onnx_opset (export) >= 12)
    x = onnx_binary (export, "Dropout", x, onnx_number (export, ratio, HYB_F32));
  else
    x = onnx_emit (export, "Dropout", 1, &x, ONNX_ATTRIBUTES (ONNX_FLOAT ("ratio", ratio)));
  onnx_set_output (export, 0, x);
}

const HybOnnxRule hyb_onnx_rules_layers[] = {
  { .op = "Convolution", .write = write_convolution },
  { .op = "Deconvolution", .write = write_deconvolution },
  { .op = "Pooling", .write = write_pooling },
  { .op = "UpSampling", .write = write_upsampling },
  { .op = "BatchNorm", .write = write_batch_norm },
  { .op = "BatchNorm_v1", .write = write_batch_norm },
  { .op = "LayerNorm", .write = write_layer_norm },
  { .op = "InstanceNorm", .write = write_instance_norm },
  { .op = "GroupNorm", .write = write_group_norm },
  { .op = "L2Normalization", .write = write_l2_normalization },
  { .op = "LRN", .write = write_lrn },
  { .op = "Activation", .write = write_activation },
  { .op = "LeakyReLU", .write = write_leaky_relu },
  { .op = "softmax", .write = write_softmax, .onnx = "Softmax" },
  { .op = "softmin", .write = write_softmax, .onnx = "Softmax", .number = -1 },
  { .op = "log_softmax", .write = write_softmax, .onnx = "LogSoftmax" },
  { .op = "SoftmaxOutput", .write = write_softmax_output },
  { .op = "SoftmaxActivation", .write = write_softmax_activation },
  { .op = "Dropout", .write = write_dropout },
  { .op = NULL },
};
