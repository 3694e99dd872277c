/* normalisation.c — BatchNormalization, InstanceNormalization, LayerNormalization and their kin.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

static const char *
epsilon (HybLowering *lowering, double fallback)
{
  return hyb_lowering_text (lowering, "%.9g", hyb_onnx_float (lowering, "epsilon", fallback));
}

/* --- BatchNormalization --- */

/* From version 15 on, statistics may be of another type than scale and bias. */
static gboolean
has_mixed_parameters (HybLowering *lowering)
{
  HybDType first = hyb_onnx_type (lowering, 1)->dtype;

  for (guint i = 2; i < 5; i++)
    if (hyb_onnx_type (lowering, i)->dtype != first)
      return TRUE;
  return FALSE;
}

/* Before version 14, outputs beyond the first are statistics of a training run; only their types are known. */
static void
normalise_by_running (HybLowering *lowering)
{
  HybValueId inputs[5], y;

  for (guint i = 0; i < 5; i++)
    {
      inputs[i] = hyb_onnx_input (lowering, i);
      if (i > 0 && has_mixed_parameters (lowering))
        inputs[i] = hyb_onnx_cast (lowering, inputs[i], HYB_F32);
    }
  y = hyb_lowering_emit (lowering, "BatchNorm", 5, inputs, "eps", epsilon (lowering, 1e-5),
                         "fix_gamma", "False", "use_global_stats", "True", "axis", "1", NULL);
  hyb_lowering_set_output (lowering, 0, y);
  for (guint i = 1; i < hyb_lowering_get_node (lowering)->n_outputs; i++)
    {
      HybType type = *hyb_onnx_type (lowering, 3 + (i - 1) % 2);

      hyb_lowering_set_type (lowering, i, &type);
    }
}

/* --- InstanceNormalization --- */

static void
lower_instance_normalisation (HybLowering *lowering)
{
  HybValueId inputs[3];

  for (guint i = 0; i < 3; i++)
    inputs[i] = hyb_onnx_input (lowering, i);
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "InstanceNorm", 3, inputs, "eps",
                                              epsilon (lowering, 1e-5), NULL));
}

/* --- Normalisation over axes --- */

static HybValueId
mean_over (HybLowering *lowering, HybValueId x, guint n, const gint64 *axes)
{
  return hyb_lowering_emit (lowering, "_npi_mean", 1, &x, "axis",
                            hyb_lowering_text_ints (lowering, n, axes), "keepdims", "True", NULL);
}

/* (x + epsilon) to the power −½. */
static HybValueId
inverse_root (HybLowering *lowering, HybValueId x, const char *added)
{
  x = hyb_lowering_emit (lowering, "_plus_scalar", 1, &x, "scalar", added, NULL);
  return hyb_onnx_unary (lowering, "rsqrt", x);
}

/* The last axes of an input from `axis` on.  Returns how many; 0 after a failure. */
static guint
last_axes (HybLowering *lowering, int rank, gint64 axis, gint64 *axes)
{
  int first = hyb_onnx_axis (lowering, axis, rank);

  for (int i = first; first >= 0 && i < rank; i++)
    axes[i - first] = i;
  return first < 0 ? 0 : (guint) (rank - first);
}

/* FALSE for a scale or bias that is not a number for each element of the last axis: it is broadcast. */
static gboolean
is_for_last_axis (HybLowering *lowering, guint input)
{
  const HybShape *shape = &hyb_onnx_type (lowering, input)->shape;
  const HybShape *x = &hyb_onnx_type (lowering, 0)->shape;

  return shape->rank == 1 && shape->dim[0] == x->dim[x->rank - 1];
}

static void
lower_layer_normalisation (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), mean, centred, inverse, y;
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  gint64     axes[HYB_MAX_RANK];
  guint      n = last_axes (lowering, rank, hyb_onnx_int (lowering, "axis", -1), axes);

  if (n == 0)
    return;
  if (n == 1 && is_for_last_axis (lowering, 1) && is_for_last_axis (lowering, 2) &&
      hyb_lowering_get_node (lowering)->n_outputs == 1)
    {
      HybValueId inputs[] = { x, hyb_onnx_input (lowering, 1), hyb_onnx_input (lowering, 2) };

      y = hyb_lowering_emit (lowering, "LayerNorm", 3, inputs, "eps", epsilon (lowering, 1e-5),
                             NULL);
      hyb_lowering_set_output (lowering, 0, y);
      return;
    }
  mean = mean_over (lowering, x, n, axes);
  centred = hyb_onnx_binary (lowering, "broadcast_sub", x, mean);
  inverse =
      inverse_root (lowering,
                    mean_over (lowering, hyb_onnx_unary (lowering, "square", centred), n, axes),
                    epsilon (lowering, 1e-5));
  y = hyb_onnx_binary (lowering, "broadcast_mul", centred, inverse);
  y = hyb_onnx_binary (lowering, "broadcast_mul", y, hyb_onnx_input (lowering, 1));
  if (hyb_onnx_has_input (lowering, 2))
    y = hyb_onnx_binary (lowering, "broadcast_add", y, hyb_onnx_input (lowering, 2));
  hyb_lowering_set_output (lowering, 0, y);
  hyb_lowering_set_output (lowering, 1, mean);
  hyb_lowering_set_output (lowering, 2, inverse);
}

static void
lower_rms_normalisation (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), inverse, y;
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  gint64     axes[HYB_MAX_RANK];
  guint      n = last_axes (lowering, rank, hyb_onnx_int (lowering, "axis", -1), axes);

  if (n == 0)
    return;
  inverse =
      inverse_root (lowering, mean_over (lowering, hyb_onnx_unary (lowering, "square", x), n, axes),
                    epsilon (lowering, 1e-5));
  y = hyb_onnx_binary (lowering, "broadcast_mul", x, inverse);
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_binary (lowering, "broadcast_mul", y,
                                            hyb_onnx_input (lowering, 1)));
  hyb_lowering_set_output (lowering, 1, inverse);
}

/* --- BatchNormalization with training_mode --- */

/* An input with one value per channel, in a shape that broadcasts. */
static HybValueId
by_channel (HybLowering *lowering, HybValueId x, int rank)
{
  gint64 dims[HYB_MAX_RANK];

  for (int i = 0; i < rank; i++)
    dims[i] = i == 1 ? -1 : 1;
  return hyb_onnx_reshape (lowering, x, (guint) rank, dims);
}

/* The running statistic of an input, to which the one of this batch is added. */
static HybValueId
blend (HybLowering *lowering, guint input, HybValueId batch)
{
  double     momentum = hyb_onnx_float (lowering, "momentum", 0.9);
  HybValueId running = onnx_scale (lowering, hyb_onnx_input (lowering, input), momentum);

  batch = onnx_scale (lowering, onnx_flatten (lowering, batch), 1 - momentum);
  return onnx_add (lowering, running,
                   hyb_onnx_cast (lowering, batch, hyb_onnx_type (lowering, input)->dtype));
}

/* With the mean and variance of the batch, in a run of any kind. */
static void
normalise_by_batch (HybLowering *lowering)
{
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  gint64     axes[HYB_MAX_RANK];
  guint      n = 0;
  HybValueId x = hyb_onnx_input (lowering, 0), mean, centred, variance, y;

  if (rank < 2)
    {
      hyb_lowering_fail (lowering, NULL, "its input has %d dimensions instead of 2 or more", rank);
      return;
    }
  for (int i = 0; i < rank; i++)
    if (i != 1)
      axes[n++] = i;
  mean = mean_over (lowering, x, n, axes);
  centred = onnx_subtract (lowering, x, mean);
  variance = mean_over (lowering, hyb_onnx_unary (lowering, "square", centred), n, axes);
  y = onnx_multiply (lowering, centred,
                     inverse_root (lowering, variance, epsilon (lowering, 1e-5)));
  y = onnx_multiply (lowering, y, by_channel (lowering, hyb_onnx_input (lowering, 1), rank));
  y = onnx_add (lowering, y, by_channel (lowering, hyb_onnx_input (lowering, 2), rank));
  hyb_lowering_set_output (lowering, 0, y);
  hyb_lowering_set_output (lowering, 1, blend (lowering, 3, mean));
  hyb_lowering_set_output (lowering, 2, blend (lowering, 4, variance));
}

static void
lower_batch_normalisation (HybLowering *lowering)
{
  if (hyb_onnx_int (lowering, "training_mode", 0))
    normalise_by_batch (lowering);
  else
    normalise_by_running (lowering);
}

/* --- GroupNormalization --- */

/* Scale and bias belong to a group in version 18, to a channel from version 21 on. */
static void
lower_group_normalisation (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0), scale_type = *hyb_onnx_type (lowering, 1);
  gint64     n_groups = hyb_onnx_int (lowering, "num_groups", 1);
  gint64     dims[HYB_MAX_RANK], shape[HYB_MAX_RANK];
  gint64     axes[] = { 2 };
  gboolean   by_group;
  HybValueId x = hyb_onnx_input (lowering, 0), y, mean;

  if (type.shape.rank < 2 || type.shape.dim[1] < 0 || n_groups < 1 ||
      type.shape.dim[1] % n_groups != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its channels cannot be divided into its groups");
      return;
    }
  by_group = scale_type.shape.rank == 1 && scale_type.shape.dim[0] == n_groups &&
             n_groups != type.shape.dim[1];
  for (int i = 0; i < type.shape.rank; i++)
    {
      dims[i] = type.shape.dim[i];
      shape[i] = i == 1 ? type.shape.dim[1] : 1;
    }
  /* x: [batch, groups, elements of a group]; mean and variance: [batch, groups, 1]. */
  x = hyb_onnx_reshape (lowering, x, 3, (gint64[]){ dims[0], n_groups, -1 });
  mean = mean_over (lowering, x, 1, axes);
  y = hyb_onnx_binary (lowering, "broadcast_sub", x, mean);
  y = hyb_onnx_binary (lowering, "broadcast_mul", y,
                       inverse_root (lowering,
                                     mean_over (lowering, hyb_onnx_unary (lowering, "square", y), 1,
                                                axes),
                                     epsilon (lowering, 1e-5)));
  /* Scale and bias of channels apply to the shape of the input, of groups to the shape above. */
  if (!by_group)
    y = hyb_onnx_reshape (lowering, y, (guint) type.shape.rank, dims);
  else
    {
      shape[0] = 1;
      shape[1] = n_groups;
      shape[2] = 1;
    }
  for (guint i = 1; i < 3; i++)
    y = hyb_onnx_binary (lowering, i == 1 ? "broadcast_mul" : "broadcast_add", y,
                         hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, i),
                                           by_group ? 3 : (guint) type.shape.rank, shape));
  if (by_group)
    y = hyb_onnx_reshape (lowering, y, (guint) type.shape.rank, dims);
  hyb_lowering_set_output (lowering, 0, y);
}

/* --- LRN, LpNormalization, MeanVarianceNormalization --- */

static void
lower_lrn (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "LRN", 1, &x, "alpha",
                                              hyb_lowering_text (lowering, "%.9g",
                                                                 hyb_onnx_float (lowering, "alpha",
                                                                                 1e-4)),
                                              "beta",
                                              hyb_lowering_text (lowering, "%.9g",
                                                                 hyb_onnx_float (lowering, "beta",
                                                                                 0.75)),
                                              "knorm",
                                              hyb_lowering_text (lowering, "%.9g",
                                                                 hyb_onnx_float (lowering, "bias",
                                                                                 1)),
                                              "nsize",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 hyb_onnx_int (lowering, "size",
                                                                               1)),
                                              NULL));
}

static void
lower_lp_normalisation (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), norm;
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", -1),
                                   hyb_onnx_type (lowering, 0)->shape.rank);

  norm = hyb_lowering_emit (lowering, "norm", 1, &x, "ord",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                               hyb_onnx_int (lowering, "p", 2)),
                            "axis", hyb_lowering_text (lowering, "%d", axis), "keepdims", "True",
                            NULL);
  /* A slice of zeros stays zero. */
  norm = hyb_onnx_binary (lowering, "broadcast_add", norm,
                          hyb_onnx_cast (lowering,
                                         hyb_lowering_emit (lowering, "_equal_scalar", 1, &norm,
                                                            "scalar", "0", NULL),
                                         hyb_onnx_type (lowering, 0)->dtype));
  hyb_lowering_set_output (lowering, 0, hyb_onnx_binary (lowering, "broadcast_div", x, norm));
}

static void
lower_mean_variance (HybLowering *lowering)
{
  static const gint64 usual[] = { 0, 2, 3 };
  HybValueId          x = hyb_onnx_input (lowering, 0), centred, deviation;
  guint               n;
  const gint64       *axes;

  if (!hyb_onnx_ints (lowering, "axes", &n, &axes))
    {
      n = 3;
      axes = usual;
    }
  centred = hyb_onnx_binary (lowering, "broadcast_sub", x, mean_over (lowering, x, n, axes));
  deviation =
      hyb_onnx_unary (lowering, "sqrt",
                      mean_over (lowering, hyb_onnx_unary (lowering, "square", centred), n, axes));
  deviation = hyb_lowering_emit (lowering, "_plus_scalar", 1, &deviation, "scalar", "1e-9", NULL);
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_binary (lowering, "broadcast_div", centred, deviation));
}

/* --- ImageScaler --- */

/* x times a number, plus a number for each channel. */
static void
lower_scaler (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x =
      onnx_scale (lowering, hyb_onnx_input (lowering, 0), hyb_onnx_float (lowering, "scale", 1));
  HybTensor    *bias;
  guint         n;
  const double *values;

  hyb_lowering_set_type (lowering, 0, &type);
  hyb_onnx_floats (lowering, "bias", &n, &values);
  if (type.shape.rank == 4 && type.shape.dim[1] < 0)
    return;
  if (type.shape.rank != 4 || type.shape.dim[1] != n)
    {
      hyb_lowering_fail (lowering, NULL, "its bias has %u numbers, which are not its channels", n);
      return;
    }
  bias = hyb_tensor_new (&(HybType){ hyb_shape_4d (1, n, 1, 1), HYB_F32 }, NULL);
  for (guint i = 0; bias && i < n; i++)
    ((float *) hyb_tensor_get_data (bias))[i] = (float) values[i];
  hyb_lowering_set_output (lowering, 0,
                           onnx_add (lowering, x,
                                     hyb_onnx_cast (lowering,
                                                    hyb_lowering_constant (lowering, bias),
                                                    type.dtype)));
}

static const char *const batch_inputs[] = { "X", "scale", "B", "input_mean", "input_var", NULL };
static const char *const inputs[] = { "X", "scale", "B", NULL };
static const char *const outputs[] = { "Y", "Mean", "InvStdDev", NULL };
static const char *const batch_outputs[] = { "Y",          "running_mean", "running_var",
                                             "saved_mean", "saved_var",    NULL };

#define NORMALISATION \
  HYB_ONNX_ROW, .category = HYB_CATEGORY_NORMALISATION, .inputs = inputs, .outputs = outputs

const HybOnnxOp hyb_onnx_ops_normalisation[] = {
  { .op = { HYB_ONNX_ROW, .name = "BatchNormalization",
            .doc = "Normalises every channel with its running mean and variance.",
            .category = HYB_CATEGORY_NORMALISATION, .inputs = batch_inputs,
            .outputs = batch_outputs, .lower = lower_batch_normalisation },
    .since = 1 },
  { .op = { NORMALISATION, .name = "InstanceNormalization",
            .doc = "Normalises every channel of each sample.",
            .lower = lower_instance_normalisation },
    .since = 1 },
  /* ONNX has it from version 17 on, ONNX Runtime's optimiser writes it into files of any version. */
  { .op = { NORMALISATION, .name = "LayerNormalization", .doc = "Normalises over the last axes.",
            .lower = lower_layer_normalisation },
    .since = 1 },
  { .op = { NORMALISATION, .name = "SimplifiedLayerNormalization",
            .doc = "ONNX Runtime's older name of RMSNormalization.",
            .lower = lower_rms_normalisation },
    .since = 1 },
  { .op = { NORMALISATION, .name = "RMSNormalization",
            .doc = "Divides by the root of the mean square over the last axes.",
            .lower = lower_rms_normalisation },
    .since = 23 },
  { .op = { NORMALISATION, .name = "GroupNormalization",
            .doc = "Normalises groups of channels of each sample.",
            .lower = lower_group_normalisation },
    .since = 18 },
  { .op = { NORMALISATION, .name = "LRN", .doc = "Local response normalisation across channels.",
            .lower = lower_lrn },
    .since = 1 },
  { .op = { NORMALISATION, .name = "LpNormalization", .doc = "Divides by the p-norm along an axis.",
            .lower = lower_lp_normalisation },
    .since = 1 },
  { .op = { NORMALISATION, .name = "MeanVarianceNormalization",
            .doc = "Normalises over axes to mean 0 and variance 1.", .lower = lower_mean_variance },
    .since = 9 },
  /* Withdrawn. */
  { .op = { NORMALISATION, .name = "ImageScaler",
            .doc = "Images times a number, plus a number for each channel.",
            .lower = lower_scaler },
    .since = 1,
    .until = 9 },
  { .since = 0 },
};
