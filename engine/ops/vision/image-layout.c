/* image-layout.c — image operators that move or scale pixels: to_tensor, normalize, crop, and flips.
 *
 * Images are (height, width, channels) with 1 or 3 channels, or (N, height, width, channels);
 * normalize takes (channels, height, width).  All dtypes are moved as they are.  MXNet 1.9.1 flips
 * no gradients and leaves the middle column of odd widths unwritten; here both are right.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/random.h"
#include "engine/gradient/by-formula.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* FALSE if a known shape is not an image: 3 or, with batches, 4 dimensions, and 1 or 3 channels on
 * axis `channel` counted from the end. */
static gboolean
expect_image (const HybShape *shape, gboolean batches, int channel, GError **error)
{
  gint64 channels;

  if (!hyb_layer_expect_rank (shape, "data", 3, batches ? 4 : 3, error))
    return FALSE;
  if (shape->rank == HYB_UNKNOWN)
    return TRUE;

  channels = shape->dim[shape->rank - channel];
  return channels == HYB_UNKNOWN || channels == 1 || channels == 3 ||
         hyb_refuse_types (error, NULL,
                           "an image has 1 or 3 channels but data has %" G_GINT64_FORMAT, channels);
}

/* --- to_tensor --- */

/* data (…, H, W, channels), output (…, channels, H, W). */
static gboolean
tensor_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *output = &call->output[0].shape;
  HybShape  want;

  if (!hyb_layer_expect_rank (data, "data", 3, 4, error) ||
      !hyb_layer_expect_rank (output, "output", 3, 4, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN && output->rank == HYB_UNKNOWN)
    return TRUE;

  want = data->rank != HYB_UNKNOWN ? *data : *output;
  if (data->rank != HYB_UNKNOWN)
    for (int i = 0, first = data->rank - 3; i < 3; i++)
      want.dim[first + i] = data->dim[first + (i + 2) % 3];
  if (!hyb_layer_expect (output, "output", &want, error))
    return FALSE;

  want = *output;
  for (int i = 0, first = output->rank - 3; i < 3; i++)
    want.dim[first + (i + 2) % 3] = output->dim[first + i];
  return hyb_layer_expect (data, "data", &want, error);
}

/* The output is float32 whatever the data is. */
static gboolean
tensor_infer_dtype (HybCall *call, GError **error)
{
  if (call->output[0].dtype != HYB_DTYPE_UNKNOWN && call->output[0].dtype != HYB_F32)
    return hyb_refuse_types (error, NULL, "the output is float32, not %s",
                             hyb_dtype_name (call->output[0].dtype));
  call->output[0].dtype = HYB_F32;
  return TRUE;
}

static void
tensor_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->input[0].shape;
  gint64          channels = shape->dim[shape->rank - 1];
  gint64          plane = hyb_dims_product (shape, shape->rank - 3, shape->rank - 1);
  gint64          size = hyb_shape_size (shape);
  float          *out = run->output[0];

  for (gint64 at = 0; at < size; at++)
    {
      gint64 channel = at / plane % channels, image = at / plane / channels;
      gint64 from = (image * plane + at % plane) * channels + channel;

      out[at] =
          (float) hyb_dtype_get_double (run->input[0], call->input[0].dtype, (gsize) from) / 255.f;
    }
}

/* Inputs: gradient (…, channels, H, W) and data; the gradient has the layout of the data. */
static void
tensor_backward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->output[0].shape;
  const float    *dy = run->input[0];
  gint64          channels = shape->dim[shape->rank - 1];
  gint64          plane = hyb_dims_product (shape, shape->rank - 3, shape->rank - 1);
  gint64          size = hyb_shape_size (shape);

  for (gint64 at = 0; at < size; at++)
    {
      gint64 channel = at % channels, cell = at / channels % plane, image = at / channels / plane;
      gint64 from = (image * channels + channel) * plane + cell;

      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) at, dy[from] / 255.f);
    }
}

static gboolean
tensor_backward_infer_dtype (HybCall *call, GError **error)
{
  if (call->input[1].dtype != HYB_DTYPE_UNKNOWN)
    call->output[0].dtype = call->input[1].dtype;
  call->input[0].dtype = HYB_F32;
  return TRUE;
}

/* --- normalize --- */

typedef struct
{
  HybFloats mean, std;
} NormalizeParams;

static const HybParam normalize_params[] = {
  { HYB_FIELD (NormalizeParams, mean), HYB_PARAM_FLOATS, "(0, 0, 0, 0)",
    .doc = "subtracted from each channel; one number for all, or one for each" },
  { HYB_FIELD (NormalizeParams, std), HYB_PARAM_FLOATS, "(1, 1, 1, 1)",
    .doc = "divides each channel; one number for all, or one for each" },
  { 0 },
};

static gboolean
normalize_infer_shape (HybCall *call, GError **error)
{
  const NormalizeParams *params = call->params;
  const HybFloats       *lists[] = { &params->mean, &params->std };
  const HybShape        *data = &call->input[0].shape;
  gint64                 channels;

  if (!hyb_rule_unary (call, error) || !expect_image (data, TRUE, 3, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN || data->dim[data->rank - 3] == HYB_UNKNOWN)
    return TRUE;

  channels = data->dim[data->rank - 3];
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (lists[i]->n != 1 && lists[i]->n != channels)
      return hyb_refuse_types (error, NULL,
                               "%s has %d numbers but must have 1 or %" G_GINT64_FORMAT,
                               i == 0 ? "mean" : "std", MAX (lists[i]->n, 0), channels);
  return TRUE;
}

/* The number for a channel. */
static float
pick (const HybFloats *list, gint64 channel)
{
  return (float) list->value[list->n == 1 ? 0 : channel];
}

/* Elements that are converted at a time. */
#define CHUNK 1024

/* out = (data − mean) / std, or for gradients data / std.  Doubles are computed as such, others as
 * floats. */
static void
scale_channels (const HybCall *call, const HybRun *run, gboolean is_gradient)
{
  const NormalizeParams *params = call->params;
  const HybShape        *shape = &call->input[0].shape;
  HybDType               dtype = call->output[0].dtype;
  gint64                 plane = hyb_dims_product (shape, shape->rank - 2, shape->rank);
  gint64                 channels = shape->dim[shape->rank - 3], size = hyb_shape_size (shape);

  for (gint64 at = 0, n; at < size; at += n)
    {
      gint64      channel = at / plane % channels;
      gsize       offset = (gsize) at * hyb_dtype_size (dtype);
      const char *from = (const char *) run->input[0] + offset;
      float       mean = is_gradient ? 0 : pick (&params->mean, channel);
      float       std = pick (&params->std, channel), values[CHUNK];

      n = MIN (CHUNK, plane - at % plane);
      if (dtype == HYB_F64)
        {
          for (gint64 i = 0; i < n; i++)
            ((double *) run->output[0])[at + i] =
                (((const double *) (gconstpointer) from)[i] - mean) / std;
          continue;
        }
      hyb_dtype_convert (values, HYB_F32, from, dtype, (gsize) n);
      for (gint64 i = 0; i < n; i++)
        values[i] = (values[i] - mean) / std;
      hyb_dtype_convert ((char *) run->output[0] + offset, dtype, values, HYB_F32, (gsize) n);
    }
}

static void
normalize_forward (const HybCall *call, const HybRun *run)
{
  scale_channels (call, run, FALSE);
}

static void
normalize_backward (const HybCall *call, const HybRun *run)
{
  scale_channels (call, run, TRUE);
}

/* --- crop --- */

typedef struct
{
  gint64 x, y, width, height;
} CropParams;

static const HybParam crop_params[] = {
  { HYB_FIELD (CropParams, x), HYB_PARAM_INT, NULL, .high = G_MAXINT32, .doc = "first column" },
  { HYB_FIELD (CropParams, y), HYB_PARAM_INT, NULL, .high = G_MAXINT32, .doc = "first row" },
  { HYB_FIELD (CropParams, width), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of columns" },
  { HYB_FIELD (CropParams, height), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of rows" },
  { 0 },
};

/* FALSE if the part does not lie within an axis of `size` elements. */
static gboolean
expect_within (gint64 size, gint64 first, gint64 length, const char *axis, GError **error)
{
  return size == HYB_UNKNOWN || first + length <= size ||
         hyb_refuse_types (error, NULL,
                           "the part ends at %s %" G_GINT64_FORMAT
                           " but the image has %" G_GINT64_FORMAT,
                           axis, first + length, size);
}

static gboolean
crop_infer_shape (HybCall *call, GError **error)
{
  const CropParams *params = call->params;
  HybShape         *data = &call->input[0].shape;
  HybShape          want;

  if (!expect_image (data, TRUE, 1, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  want = *data;
  if (!expect_within (want.dim[want.rank - 3], params->y, params->height, "row", error) ||
      !expect_within (want.dim[want.rank - 2], params->x, params->width, "column", error))
    return FALSE;
  want.dim[want.rank - 3] = params->height;
  want.dim[want.rank - 2] = params->width;
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* Describes the copy of the part of an image; element 0 of the part is at *first of the image. */
static HybMove
describe_crop (const HybCall *call, const HybShape *image, HybDType dtype, gint64 *first)
{
  const CropParams *params = call->params;
  gint64  channels = image->dim[image->rank - 1], row = image->dim[image->rank - 2] * channels;
  HybMove move = { .item = hyb_dtype_size (dtype) };

  hyb_move_axis (&move, image->rank == 4 ? image->dim[0] : 1, image->dim[image->rank - 3] * row,
                 params->height * params->width * channels);
  hyb_move_axis (&move, params->height, row, params->width * channels);
  hyb_move_axis (&move, params->width * channels, 1, 1);
  *first = params->y * row + params->x * channels;
  return move;
}

static void
crop_forward (const HybCall *call, const HybRun *run)
{
  gint64  first;
  HybMove move = describe_crop (call, &call->input[0].shape, call->input[0].dtype, &first);

  hyb_move (&move, (const char *) run->input[0] + (gsize) first * move.item, run->output[0]);
}

/* Inputs: gradient, data (for its shape). */
static void
crop_backward (const HybCall *call, const HybRun *run)
{
  gint64  first;
  HybMove move = describe_crop (call, &call->output[0].shape, call->output[0].dtype, &first);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (int i = 0; i < move.rank; i++)
    {
      gint64 stride = move.from[i];

      move.from[i] = move.to[i];
      move.to[i] = stride;
    }
  hyb_move (&move, run->input[0], (char *) run->output[0] + (gsize) first * move.item);
}

/* --- Flips --- */

static gboolean
flip_infer_shape (HybCall *call, GError **error)
{
  return hyb_rule_unary (call, error) && expect_image (&call->input[0].shape, FALSE, 1, error);
}

/* Reverses one axis. */
static void
flip (const HybCall *call, const HybRun *run, int axis)
{
  const HybShape *shape = &call->input[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64          stride[HYB_MAX_RANK];

  hyb_dims_strides (shape, stride);
  for (int i = 0; i < shape->rank; i++)
    hyb_move_axis (&move, shape->dim[i], i == axis ? -stride[i] : stride[i], stride[i]);
  if (hyb_shape_size (shape) > 0)
    hyb_move (&move,
              (const char *) run->input[0] +
                  (gsize) ((shape->dim[axis] - 1) * stride[axis]) * move.item,
              run->output[0]);
}

static void
flip_left_right (const HybCall *call, const HybRun *run)
{
  flip (call, run, 1);
}

static void
flip_top_bottom (const HybCall *call, const HybRun *run)
{
  flip (call, run, 0);
}

static void
flip_or_copy (const HybCall *call, const HybRun *run, int axis)
{
  if (hyb_random_uniform (hyb_run_random_seed (run), 0) < 0.5)
    flip (call, run, axis);
  else
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

static void
random_flip_left_right (const HybCall *call, const HybRun *run)
{
  flip_or_copy (call, run, 1);
}

static void
random_flip_top_bottom (const HybCall *call, const HybRun *run)
{
  flip_or_copy (call, run, 0);
}

static const char *const data_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };
static const char *const tensor_aliases[] = { "_npx__image_to_tensor", NULL };
static const char *const normalize_aliases[] = { "_npx__image_normalize", NULL };
static const char *const crop_aliases[] = { "_npx__image_crop", NULL };
static const char *const left_right_aliases[] = { "_npx__image_flip_left_right", NULL };
static const char *const top_bottom_aliases[] = { "_npx__image_flip_top_bottom", NULL };
static const char *const random_left_right_aliases[] = {
  "_npx__image_random_flip_left_right",
  NULL,
};
static const char *const random_top_bottom_aliases[] = {
  "_npx__image_random_flip_top_bottom",
  NULL,
};

#define FLIP_MEMBERS                                                                         \
  .category = HYB_CATEGORY_MOVEMENT, .inputs = data_inputs, .infer_shape = flip_infer_shape, \
  .dtypes = HYB_DTYPES_ALL, .cost = hyb_rule_cost_move

const HybOp hyb_ops_image_layout[] = {
  {
      .name = "_image_to_tensor",
      .aliases = tensor_aliases,
      .doc = "Channels first, and values divided by 255.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_inputs,
      .infer_shape = tensor_infer_shape,
      .infer_dtype = tensor_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = tensor_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_image_normalize",
      .aliases = normalize_aliases,
      .doc = "Subtracts a mean from every channel and divides it by a standard deviation.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_IN_PLACE,
      .inputs = data_inputs,
      HYB_PARAMS (normalize_params, NormalizeParams),
      .infer_shape = normalize_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = normalize_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_image_crop",
      .aliases = crop_aliases,
      .doc = "A rectangle of an image.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_inputs,
      HYB_PARAMS (crop_params, CropParams),
      .infer_shape = crop_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = crop_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_image_flip_left_right",
      .aliases = left_right_aliases,
      .doc = "An image with its columns in reverse.",
      FLIP_MEMBERS,
      .forward = flip_left_right,
      HYB_GRADIENT ("_image_flip_left_right (g0) > i0"),
  },
  {
      .name = "_image_flip_top_bottom",
      .aliases = top_bottom_aliases,
      .doc = "An image with its rows in reverse.",
      FLIP_MEMBERS,
      .forward = flip_top_bottom,
      HYB_GRADIENT ("_image_flip_top_bottom (g0) > i0"),
  },
  {
      .name = "_image_random_flip_left_right",
      .aliases = random_left_right_aliases,
      .doc = "An image, every second time with its columns in reverse.",
      .flags = HYB_OP_RANDOM | HYB_OP_CUSTOM_GRADIENT,
      FLIP_MEMBERS,
      .forward = random_flip_left_right,
      /* As in MXNet, the gradient of a random flip is not flipped. */
      HYB_GRADIENT ("g0 > i0"),
  },
  {
      .name = "_image_random_flip_top_bottom",
      .aliases = random_top_bottom_aliases,
      .doc = "An image, every second time with its rows in reverse.",
      .flags = HYB_OP_RANDOM | HYB_OP_CUSTOM_GRADIENT,
      FLIP_MEMBERS,
      .forward = random_flip_top_bottom,
      HYB_GRADIENT ("g0 > i0"),
  },
  {
      .name = "_backward_image_to_tensor",
      .doc = "Gradient of image_to_tensor: channels last, and divided by 255.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_image_to_tensor",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      .infer_dtype = tensor_backward_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = tensor_backward,
  },
  {
      .name = "_backward_image_normalize",
      .doc = "Gradient of image_normalize: divided by the standard deviation.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
      .gradient_of = "_image_normalize",
      .operands = "g0 > i0",
      .inputs = backward_inputs + 1,
      HYB_PARAMS (normalize_params, NormalizeParams),
      .dtypes = HYB_DTYPES_ALL,
      .forward = normalize_backward,
  },
  {
      .name = "_backward_image_crop",
      .doc = "Gradient of image_crop: zeros around the rectangle.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_image_crop",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (crop_params, CropParams),
      .dtypes = HYB_DTYPES_ALL,
      .forward = crop_backward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};

#undef FLIP_MEMBERS
