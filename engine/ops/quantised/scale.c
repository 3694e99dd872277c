/* scale.c — scales, rounding and ranges of quantised values.  Start at hyb_range_scale().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/quantised/scale.h"

#include "engine/op/layer-rules.h"

#include <math.h>

float
hyb_range_extent (HybRange range)
{
  return MAX (fabsf (range.low), fabsf (range.high));
}

float
hyb_range_scale (HybRange range, HybDType dtype)
{
  float extent = hyb_range_extent (range);
  float levels = dtype == HYB_I8   ? HYB_INT8_LEVELS
                 : dtype == HYB_U8 ? HYB_UINT8_LEVELS
                                   : HYB_INT32_LEVELS;

  return extent != 0 ? levels / extent : (float) G_MAXINT32;
}

HybRange
hyb_range_of_product (HybRange a, HybRange b, gboolean is_signed)
{
  float step_a = hyb_range_extent (a) / 127.0f;
  float step_b = hyb_range_extent (b) / (is_signed ? 127.0f : 255.0f);
  float high = step_a * step_b * HYB_INT32_LEVELS;

  return (HybRange){ -high, high };
}

gboolean
hyb_range_infer_limits (HybType *types, guint first, guint n, GError **error)
{
  for (guint i = first; i < n; i++)
    if (!hyb_layer_expect_vector (&types[i].shape, "a limit of a range", 1, error) ||
        !hyb_dtype_assign (&types[i].dtype, HYB_F32, error))
      return FALSE;
  return TRUE;
}

HybRange
hyb_range_read (const HybRun *run, guint input)
{
  return (HybRange){ *(const float *) run->input[input], *(const float *) run->input[input + 1] };
}

void
hyb_range_write (const HybRun *run, HybRange range)
{
  *(float *) run->output[1] = range.low;
  *(float *) run->output[2] = range.high;
}

gint32
hyb_quantise (double value, HybDType dtype)
{
  double low = dtype == HYB_I8 ? G_MININT8 : dtype == HYB_U8 ? 0 : G_MININT32;
  double high = dtype == HYB_I8 ? G_MAXINT8 : dtype == HYB_U8 ? G_MAXUINT8 : G_MAXINT32;

  return isnan (value) ? 0 : (gint32) CLAMP (nearbyint (value), low, high);
}

void
hyb_quantise_to (gpointer to, HybDType dtype, gint64 index, double value)
{
  switch ((int) dtype)
    {
    case HYB_I8:
      ((gint8 *) to)[index] = (gint8) hyb_quantise (value, dtype);
      break;
    case HYB_U8:
      ((guint8 *) to)[index] = (guint8) hyb_quantise (value, dtype);
      break;
    case HYB_I32:
      ((gint32 *) to)[index] = hyb_quantise (value, dtype);
      break;
    default:
      ((float *) to)[index] = (float) value;
      break;
    }
}

double
hyb_quantised_get (gconstpointer from, HybDType dtype, gint64 index)
{
  switch ((int) dtype)
    {
    case HYB_I8:
      return ((const gint8 *) from)[index];
    case HYB_U8:
      return ((const guint8 *) from)[index];
    case HYB_I32:
      return ((const gint32 *) from)[index];
    default:
      return ((const float *) from)[index];
    }
}
