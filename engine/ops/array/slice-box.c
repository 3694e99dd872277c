/* slice-box.c — resolves begin:end:step as NumPy does, and lays the box over the memory of the array.
 * Start with slice_range().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/array/slice-box.h"

#include "engine/op/dimensions.h"

const HybParam hyb_slice_params[] = {
  { HYB_FIELD (HybSliceParams, begin), HYB_PARAM_INTS, .doc = "first index of each leading axis" },
  { HYB_FIELD (HybSliceParams, end), HYB_PARAM_INTS, .doc = "index after the last" },
  { HYB_FIELD (HybSliceParams, step), HYB_PARAM_INTS, "()",
    .doc = "distance between indices, may be negative" },
  { 0 },
};

gboolean
hyb_slice_check (gconstpointer values, GError **error)
{
  const HybSliceParams *params = values;

  if (MAX (0, params->begin.n) != MAX (0, params->end.n))
    return hyb_refuse_attribute (error, "Give both one number for each leading axis",
                                 "begin has %d elements but end has %d", MAX (0, params->begin.n),
                                 MAX (0, params->end.n));
  if (params->step.n > 0 && params->step.n != params->begin.n)
    return hyb_refuse_attribute (error, NULL, "step has %d elements but begin has %d",
                                 params->step.n, params->begin.n);
  for (int i = 0; i < params->step.n; i++)
    if (params->step.value[i] == 0)
      return hyb_refuse_attribute (error, NULL, "a step cannot be 0");
  if (params->begin.n > HYB_MAX_RANK)
    return hyb_refuse_attribute (error, NULL, "begin has more than %d elements", HYB_MAX_RANK);

  return TRUE;
}

/* Resolves begin:end:step on an axis of `size` elements as NumPy does: None is open, negative
 * numbers count from the end, and numbers outside are clamped.  Sets *first to the first index and
 * returns the number of elements. */
static gint64
resolve_slice (gint64 size, gint64 begin, gint64 end, gint64 step, gint64 *first)
{
  gint64 low = step > 0 ? 0 : -1;
  gint64 high = step > 0 ? size : size - 1;

  if (begin == HYB_NONE)
    begin = step > 0 ? low : high;
  else
    begin = CLAMP (begin < 0 ? begin + size : begin, low, high);
  if (end == HYB_NONE)
    end = step > 0 ? high : low;
  else
    end = CLAMP (end < 0 ? end + size : end, low, high);

  *first = begin;
  if (step > 0)
    return end > begin ? (end - begin - 1) / step + 1 : 0;
  /* −step overflows for G_MININT64, with which no axis has a second element anyway. */
  return begin > end ? (begin - end - 1) / (step == G_MININT64 ? G_MAXINT64 : -step) + 1 : 0;
}

/* The indices that axis number i, of `size` elements, keeps. */
static HybSliceRange
slice_range (const HybSliceParams *params, int i, gint64 size)
{
  HybSliceRange range = { .begin = 0, .step = 1, .count = size };

  if (i >= params->begin.n)
    return range;

  if (i < params->step.n && params->step.value[i] != HYB_NONE)
    range.step = params->step.value[i];
  range.count =
      resolve_slice (size, params->begin.value[i], params->end.value[i], range.step, &range.begin);
  /* The step of a single element does not matter, and a huge one would overflow strides. */
  if (range.count <= 1)
    range.step = 1;
  return range;
}

HybBox
hyb_slice_box (gconstpointer values, const HybShape *data)
{
  HybBox box;

  for (int i = 0; i < data->rank; i++)
    {
      HybSliceRange range = slice_range (values, i, data->dim[i]);

      box.begin[i] = range.begin;
      box.step[i] = range.step;
    }
  return box;
}

gboolean
hyb_slice_shape (const HybSliceParams *params, const HybShape *data, HybShape *out, GError **error)
{
  if (params->begin.n > data->rank)
    return hyb_refuse_types (error, NULL, "begin names %d axes but the input has %d",
                             params->begin.n, data->rank);

  out->rank = data->rank;
  for (int i = 0; i < data->rank; i++)
    out->dim[i] =
        data->dim[i] == HYB_UNKNOWN ? HYB_UNKNOWN : slice_range (params, i, data->dim[i]).count;
  return TRUE;
}

gint64
hyb_box_lay (const HybBox *box, const HybShape *data, gint64 *stride)
{
  gint64 start = 0;

  hyb_dims_strides (data, stride);
  for (int i = 0; i < data->rank; i++)
    {
      start += box->begin[i] * stride[i];
      stride[i] *= box->step[i];
    }
  return start;
}
