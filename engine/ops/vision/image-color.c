/* image-color.c — image operators that change colours: brightness, contrast, saturation, hue, the
 * four of them jittered, and lighting.
 *
 * Images are (height, width, channels) with 1 or 3 channels (red, green, blue) from 0 to 255.  All
 * are computed in float32; the results are cut off to whole numbers for integers, and clamped to
 * 0 … 255 for uint8.  As in MXNet, gradients pass unchanged.  Start at adjust().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/random.h"
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Parts of the colours in grey. */
static const float grey_parts[3] = { 0.299f, 0.587f, 0.114f };

/* Principal components of the colours of ImageNet, times their standard deviations. */
static const float components[3][3] = {
  { (float) (55.46 * -0.5675), (float) (4.794 * 0.7192), (float) (1.148 * 0.4009) },
  { (float) (55.46 * -0.5808), (float) (4.794 * -0.0045), (float) (1.148 * -0.8140) },
  { (float) (55.46 * -0.5836), (float) (4.794 * -0.6948), (float) (1.148 * 0.4203) },
};

static gboolean
color_infer_shape (HybCall *call, GError **error)
{
  const HybShape *data = &call->input[0].shape;
  HybShape        want = hyb_shape_make (3, NULL);

  if (!hyb_layer_expect (&call->input[0].shape, "data", &want, error) ||
      !hyb_rule_unary (call, error))
    return FALSE;
  if (data->dim[2] == HYB_UNKNOWN || data->dim[2] == 1 || data->dim[2] == 3)
    return TRUE;

  return hyb_refuse_types (error, NULL,
                           "an image has 1 or 3 channels but data has %" G_GINT64_FORMAT,
                           data->dim[2]);
}

/* --- Colour spaces --- */

/* Hue in degrees, lightness and saturation of a colour from 0 to 255. */
static void
to_hue (const float color[3], float *hue, float *lightness, float *saturation)
{
  float red = color[0] / 255, green = color[1] / 255, blue = color[2] / 255;
  float high = fmaxf (red, fmaxf (green, blue)), low = fminf (red, fminf (green, blue));
  float range = high - low;

  *hue = *saturation = 0;
  *lightness = (high + low) / 2;
  if (!(range > FLT_EPSILON))
    return;

  *saturation = *lightness < 0.5f ? range / (high + low) : range / (2 - high - low);
  if (high == red)
    *hue = (green - blue) * (60 / range);
  else if (high == green)
    *hue = (blue - red) * (60 / range) + 120;
  else
    *hue = (red - green) * (60 / range) + 240;
  if (*hue < 0)
    *hue += 360;
}

/* The reverse of to_hue(); hue may be any number of degrees.  In each sixth of the circle one colour
 * is high, one low, and one rises or falls. */
static void
from_hue (float hue, float lightness, float saturation, float color[3])
{
  float high = lightness <= 0.5f ? lightness * (1 + saturation)
                                 : lightness + saturation - lightness * saturation;
  float low = 2 * lightness - high, sixth = hue * (1.f / 60);

  sixth -= 6 * floorf (sixth / 6);
  if (!(sixth >= 0 && sixth < 6)) /* rounding, or no finite hue */
    sixth = 0;
  for (int k = 0; k < 3; k++)
    {
      int   part = ((int) sixth + 6 - 2 * k) % 6; /* 0 and 5: this colour is high */
      float rise = sixth - floorf (sixth), level = part == 1 ? 1 - rise : rise;

      if (part == 0 || part == 5)
        level = 1;
      else if (part == 2 || part == 3)
        level = 0;
      color[k] = (saturation == 0 ? lightness
                  : level == 1    ? high
                                  : low + (high - low) * level) *
                 255;
    }
}

/* --- Adjusting --- */

typedef enum
{
  ADJUST_BRIGHTNESS,
  ADJUST_CONTRAST,
  ADJUST_SATURATION,
  ADJUST_HUE,
  N_ADJUSTMENTS,
  ADJUST_LIGHTING = N_ADJUSTMENTS,
} Adjustment;

/* The operation on the pixels of an image. */
typedef struct
{
  Adjustment kind;
  float      amount;
  float      offset[3]; /* added to each channel: contrast and lighting */
} Change;

/* Pixels that are converted at a time. */
#define CHUNK 256

static void
load (const HybCall *call, gconstpointer from, gint64 at, float *values, gint64 n)
{
  HybDType dtype = call->output[0].dtype;

  hyb_dtype_convert (values, HYB_F32, (const char *) from + (gsize) at * hyb_dtype_size (dtype),
                     dtype, (gsize) n);
}

static void
store (const HybCall *call, gpointer to, gint64 at, float *values, gint64 n)
{
  HybDType dtype = call->output[0].dtype;

  if (dtype == HYB_U8)
    for (gint64 i = 0; i < n; i++)
      values[i] = fminf (fmaxf (values[i], 0), 255);
  hyb_dtype_convert ((char *) to + (gsize) at * hyb_dtype_size (dtype), dtype, values, HYB_F32,
                     (gsize) n);
}

/* The mean of the image in grey. */
static float
mean_grey (const HybCall *call, gconstpointer from)
{
  gint64 channels = call->input[0].shape.dim[2], size = hyb_shape_size (&call->input[0].shape);
  float  values[3 * CHUNK], sum = 0;

  for (gint64 at = 0, n; at < size; at += n)
    {
      n = MIN (CHUNK * channels, size - at);
      load (call, from, at, values, n);
      for (gint64 i = 0; i < n; i++)
        sum += channels == 1 ? values[i] : values[i] * grey_parts[i % 3];
    }
  return size > 0 ? sum / (float) (size / channels) : 0;
}

/* Changes one pixel of three channels.  MXNet's grey for the saturation is the blue part alone. */
static void
change_color (const Change *change, float color[3])
{
  float hue, lightness, saturation, grey = color[2] * grey_parts[2] * (1 - change->amount);

  switch (change->kind)
    {
    case ADJUST_SATURATION:
      for (int k = 0; k < 3; k++)
        color[k] = grey + color[k] * change->amount;
      break;
    case ADJUST_HUE:
      to_hue (color, &hue, &lightness, &saturation);
      from_hue (hue + change->amount * 360, lightness, saturation, color);
      break;
    case ADJUST_BRIGHTNESS:
    case ADJUST_CONTRAST:
    case ADJUST_LIGHTING:
    default:
      for (int k = 0; k < 3; k++)
        color[k] = color[k] * change->amount + change->offset[k];
      break;
    }
}

/* to = from with a change; both may be the same.  With one channel only brightness and contrast
 * have an effect. */
static void
adjust (const HybCall *call, Change change, gconstpointer from, gpointer to)
{
  gint64 channels = call->input[0].shape.dim[2], size = hyb_shape_size (&call->input[0].shape);
  float  values[3 * CHUNK];

  if (channels == 1 && change.kind != ADJUST_BRIGHTNESS && change.kind != ADJUST_CONTRAST)
    {
      if (to != from)
        memcpy (to, from, hyb_type_bytes (&call->output[0]));
      return;
    }

  if (change.kind == ADJUST_CONTRAST)
    change.offset[0] = change.offset[1] = change.offset[2] =
        (1 - change.amount) * mean_grey (call, from);
  for (gint64 at = 0, n; at < size; at += n)
    {
      n = MIN (CHUNK * channels, size - at);
      load (call, from, at, values, n);
      for (gint64 i = 0; i < n; i += channels)
        if (channels == 1)
          values[i] = values[i] * change.amount + change.offset[0];
        else
          change_color (&change, values + i);
      store (call, to, at, values, n);
    }
}

/* A number between two. */
static float
draw (const HybRun *run, guint index, double low, double high)
{
  return (float) (low + (high - low) * hyb_random_uniform (hyb_run_random_seed (run), index));
}

/* --- Brightness, contrast, saturation, hue --- */

typedef struct
{
  double min_factor, max_factor;
} FactorParams;

static const HybParam factor_params[] = {
  { HYB_FIELD (FactorParams, min_factor), HYB_PARAM_FLOAT, NULL, .low = 0, .high = FLT_MAX,
    .doc = "smallest factor, or for hue part of the circle" },
  { HYB_FIELD (FactorParams, max_factor), HYB_PARAM_FLOAT, NULL, .low = 0, .high = FLT_MAX,
    .doc = "largest factor, or for hue part of the circle" },
  { 0 },
};

static void
adjust_randomly (const HybCall *call, const HybRun *run, Adjustment kind)
{
  const FactorParams *params = call->params;
  Change change = { .kind = kind, .amount = draw (run, 0, params->min_factor, params->max_factor) };

  adjust (call, change, run->input[0], run->output[0]);
}

static void
brightness_forward (const HybCall *call, const HybRun *run)
{
  adjust_randomly (call, run, ADJUST_BRIGHTNESS);
}

static void
contrast_forward (const HybCall *call, const HybRun *run)
{
  adjust_randomly (call, run, ADJUST_CONTRAST);
}

static void
saturation_forward (const HybCall *call, const HybRun *run)
{
  adjust_randomly (call, run, ADJUST_SATURATION);
}

static void
hue_forward (const HybCall *call, const HybRun *run)
{
  adjust_randomly (call, run, ADJUST_HUE);
}

/* --- Jitter --- */

typedef struct
{
  double brightness, contrast, saturation, hue;
} JitterParams;

static const HybParam jitter_params[] = {
  { HYB_FIELD (JitterParams, brightness), HYB_PARAM_FLOAT, NULL, .doc = "largest change from 1" },
  { HYB_FIELD (JitterParams, contrast), HYB_PARAM_FLOAT, NULL, .doc = "largest change from 1" },
  { HYB_FIELD (JitterParams, saturation), HYB_PARAM_FLOAT, NULL, .doc = "largest change from 1" },
  { HYB_FIELD (JitterParams, hue), HYB_PARAM_FLOAT, NULL,
    .doc = "largest change, in parts of the circle" },
  { 0 },
};

/* The four adjustments in random order; adjustments by 0 are left out. */
static void
jitter_forward (const HybCall *call, const HybRun *run)
{
  const JitterParams *params = call->params;
  double        most[N_ADJUSTMENTS] = { params->brightness, params->contrast, params->saturation,
                                        params->hue };
  Adjustment    order[N_ADJUSTMENTS] = { ADJUST_BRIGHTNESS, ADJUST_CONTRAST, ADJUST_SATURATION,
                                         ADJUST_HUE };
  gconstpointer from = run->input[0];

  for (guint i = N_ADJUSTMENTS - 1; i > 0; i--)
    {
      guint      other = (guint) draw (run, i, 0, i + 1) % (i + 1);
      Adjustment kind = order[i];

      order[i] = order[other];
      order[other] = kind;
    }

  for (guint i = 0; i < N_ADJUSTMENTS; i++)
    {
      Change change = { .kind = order[i] };

      if (!(most[order[i]] > 0))
        continue;

      change.amount = draw (run, N_ADJUSTMENTS + i, -most[order[i]], most[order[i]]);
      change.amount += order[i] == ADJUST_HUE ? 0 : 1;
      adjust (call, change, from, run->output[0]);
      from = run->output[0];
    }
  if (from == run->input[0] && run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

/* --- Lighting --- */

typedef struct
{
  HybFloats alpha;
} LightingParams;

typedef struct
{
  double alpha_std;
} RandomLightingParams;

static const HybParam lighting_params[] = {
  { HYB_FIELD (LightingParams, alpha), HYB_PARAM_FLOATS, NULL,
    .doc = "parts of the three principal components that are added" },
  { 0 },
};

static const HybParam random_lighting_params[] = {
  { HYB_FIELD (RandomLightingParams, alpha_std), HYB_PARAM_FLOAT, "0.05", .low = 0, .high = FLT_MAX,
    .doc = "standard deviation of the parts of the components" },
  { 0 },
};

static gboolean
lighting_check (gconstpointer values, GError **error)
{
  const LightingParams *params = values;

  return params->alpha.n == 3 ||
         hyb_refuse_attribute (error, NULL, "alpha has %d numbers but needs 3",
                               MAX (params->alpha.n, 0));
}

static void
add_components (const HybCall *call, const HybRun *run, const float alpha[3])
{
  Change change = { .kind = ADJUST_LIGHTING, .amount = 1 };

  for (int k = 0; k < 3; k++)
    change.offset[k] =
        components[k][0] * alpha[0] + components[k][1] * alpha[1] + components[k][2] * alpha[2];
  adjust (call, change, run->input[0], run->output[0]);
}

static void
lighting_forward (const HybCall *call, const HybRun *run)
{
  const LightingParams *params = call->params;
  float                 alpha[3];

  for (int k = 0; k < 3; k++)
    alpha[k] = (float) params->alpha.value[k];
  add_components (call, run, alpha);
}

static void
random_lighting_forward (const HybCall *call, const HybRun *run)
{
  const RandomLightingParams *params = call->params;
  float                       alpha[3];

  for (guint k = 0; k < 3; k++)
    alpha[k] = (float) (params->alpha_std * hyb_random_normal (hyb_run_random_seed (run), k));
  add_components (call, run, alpha);
}

static const char *const color_inputs[] = { "data", NULL };

#define COLOR_OP(op_name, table, type, forward_function, extra_flags, text)                  \
  {                                                                                          \
    .name = "_image_" op_name, .aliases = (const char *[]){ "_npx__image_" op_name, NULL },  \
    .doc = text, .category = HYB_CATEGORY_ELEMENTWISE,                                       \
    .flags = HYB_OP_IN_PLACE | HYB_OP_CUSTOM_GRADIENT | extra_flags, .inputs = color_inputs, \
    .params = table, .params_size = sizeof (type), .infer_shape = color_infer_shape,         \
    .dtypes = HYB_DTYPES_ALL, .forward = forward_function, HYB_GRADIENT ("g0 > i0")          \
  }

const HybOp hyb_ops_image_color[] = {
  COLOR_OP ("random_brightness",
            factor_params,
            FactorParams,
            brightness_forward,
            HYB_OP_RANDOM,
            "An image, multiplied by a random factor."),
  COLOR_OP ("random_contrast",
            factor_params,
            FactorParams,
            contrast_forward,
            HYB_OP_RANDOM,
            "An image, its distance from its mean multiplied by a random factor."),
  COLOR_OP ("random_saturation",
            factor_params,
            FactorParams,
            saturation_forward,
            HYB_OP_RANDOM,
            "An image, its distance from grey multiplied by a random factor."),
  COLOR_OP ("random_hue",
            factor_params,
            FactorParams,
            hue_forward,
            HYB_OP_RANDOM,
            "An image, its colours turned by a random angle."),
  COLOR_OP ("random_color_jitter",
            jitter_params,
            JitterParams,
            jitter_forward,
            HYB_OP_RANDOM,
            "An image with random brightness, contrast, saturation and hue, in random order."),
  COLOR_OP ("random_lighting",
            random_lighting_params,
            RandomLightingParams,
            random_lighting_forward,
            HYB_OP_RANDOM,
            "An image with random parts of the principal components of colours added."),
  {
      .name = "_image_adjust_lighting",
      .aliases = (const char *[]){ "_npx__image_adjust_lighting", NULL },
      .doc = "An image with parts of the principal components of colours added.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_IN_PLACE | HYB_OP_CUSTOM_GRADIENT,
      .inputs = color_inputs,
      HYB_PARAMS (lighting_params, LightingParams),
      .check = lighting_check,
      .infer_shape = color_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = lighting_forward,
      HYB_GRADIENT ("g0 > i0"),
  },
  { 0 },
};

#undef COLOR_OP
