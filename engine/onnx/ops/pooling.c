/* pooling.c — MaxPool, AveragePool, LpPool and their global forms.
 *
 * Windows that the engine's Pooling cannot express (padding that differs at the two ends, dilations, some of ceil_mode)
 * work on an input that was padded before; an average then divides by the number of elements that count.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/window.h"

#include <math.h>
#include <string.h>

#define MAX_TAPS 8192 /* elements of a window that are written out one by one */

/* How many windows there are: all within the padding, or the last one beyond it. */
static const char *const conventions[] = { "valid", "full" };

static HybValueId
emit_pool (HybLowering      *lowering,
           const OnnxWindow *window,
           const char       *kind,
           gboolean          is_full,
           HybValueId        x)
{
  return hyb_lowering_emit (lowering, "Pooling", 1, &x, "pool_type", kind, "kernel",
                            onnx_window_text (lowering, window, window->kernel), "stride",
                            onnx_window_text (lowering, window, window->stride), "pad",
                            onnx_window_text (lowering, window, window->before),
                            "pooling_convention", conventions[is_full], "p_value",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                               hyb_onnx_int (lowering, "p", 2)),
                            NULL);
}

static gint64
extent_of (const OnnxWindow *window, guint i)
{
  return (window->kernel[i] - 1) * window->dilation[i] + 1;
}

/* With ceil_mode the last window may reach beyond the padding, unless it begins there: more padding at the end.  TRUE
 * if anything was added. */
static gboolean
extend_to_ceiling (HybLowering *lowering, OnnxWindow *window, const HybType *x)
{
  gboolean has_changed = FALSE;

  for (guint i = 0; hyb_onnx_int (lowering, "ceil_mode", 0) && i < window->n; i++)
    {
      gint64 size = x->shape.dim[i + 2] + window->before[i];
      gint64 span = size + window->after[i] - extent_of (window, i);
      gint64 n = span < 0 ? 1 : (span + window->stride[i] - 1) / window->stride[i] + 1;
      gint64 needed;

      if (x->shape.dim[i + 2] < 0)
        continue;
      while (n > 1 && (n - 1) * window->stride[i] >= size)
        n--;
      needed = (n - 1) * window->stride[i] + extent_of (window, i) - size;
      if (needed > window->after[i])
        {
          window->after[i] = needed;
          has_changed = TRUE;
        }
    }
  return has_changed;
}

static gboolean
has_dilation (const OnnxWindow *window)
{
  for (guint i = 0; i < window->n; i++)
    if (window->dilation[i] != 1)
      return TRUE;
  return FALSE;
}

/* Whether an extended window has as many positions as the convention "full" gives to the one that was read. */
static gboolean
is_full_convention (const OnnxWindow *window, const OnnxWindow *extended, const HybType *x)
{
  for (guint i = 0; i < window->n; i++)
    {
      gint64 padded = x->shape.dim[i + 2] + window->before[i] + window->after[i];
      gint64 span = padded - window->kernel[i], stride = window->stride[i];
      gint64 added = extended->after[i] - window->after[i];

      if (x->shape.dim[i + 2] < 0 || span < 0 ||
          (span + added) / stride != (span + stride - 1) / stride)
        return FALSE;
    }
  return onnx_window_is_symmetric (window) && !has_dilation (window);
}

/* Whether the engine's Pooling has these windows, with the convention that *is_full says.  If it has not, they are extended
 * as ceil_mode says.  whole: becomes the extended windows in any case. */
static gboolean
fits_pooling (HybLowering   *lowering,
              const HybType *x,
              OnnxWindow    *window,
              OnnxWindow    *whole,
              gboolean      *is_full)
{
  gboolean is_extended;

  *whole = *window;
  is_extended = extend_to_ceiling (lowering, whole, x);
  *is_full = is_extended && is_full_convention (window, whole, x);
  if (!*is_full)
    *window = *whole;
  return *is_full || (!is_extended && onnx_window_is_symmetric (window) && !has_dilation (window));
}

/* The elements of x [images, channels, …] under one tap of the kernel in all windows. */
static HybValueId
slice_tap (HybLowering *lowering, const OnnxWindow *window, HybValueId x, const gint64 *tap)
{
  HybType type = *hyb_lowering_get_type (lowering, x);
  gint64  begin[HYB_MAX_RANK] = { 0 }, end[HYB_MAX_RANK], step[HYB_MAX_RANK];

  for (guint i = 0; i < window->n + 2; i++)
    {
      gint64 size = type.shape.dim[i];

      step[i] = i < 2 ? 1 : window->stride[i - 2];
      begin[i] = i < 2 ? 0 : tap[i - 2] * window->dilation[i - 2];
      end[i] = i < 2 ? size : begin[i] + size - extent_of (window, i - 2) + 1;
    }
  return hyb_lowering_emit (lowering, "slice", 1, &x, "begin",
                            hyb_lowering_text_ints (lowering, window->n + 2, begin), "end",
                            hyb_lowering_text_ints (lowering, window->n + 2, end), "step",
                            hyb_lowering_text_ints (lowering, window->n + 2, step), NULL);
}

/* The next tap; FALSE behind the last. */
static gboolean
next_tap (const OnnxWindow *window, gint64 *tap)
{
  for (guint i = window->n; i-- > 0;)
    {
      if (++tap[i] < window->kernel[i])
        return TRUE;
      tap[i] = 0;
    }
  return FALSE;
}

/* The windows of a padded input with dilations: the elements under each tap of the kernel, combined by an operator of
 * two operands. */
static HybValueId
join_taps (HybLowering *lowering, const OnnxWindow *window, HybValueId x, const char *op)
{
  HybValueId joined = HYB_NO_ID;
  gint64     tap[HYB_MAX_RANK] = { 0 };

  do
    {
      HybValueId slice = slice_tap (lowering, window, x, tap);

      if (slice == HYB_NO_ID)
        return HYB_NO_ID;
      joined = joined == HYB_NO_ID ? slice : hyb_onnx_binary (lowering, op, joined, slice);
    }
  while (next_tap (window, tap));
  return joined;
}

/* FALSE after a failure: a kernel with dilations of more taps than are written out. */
static gboolean
check_taps (HybLowering *lowering, const OnnxWindow *window)
{
  gint64 n = 1;

  for (guint i = 0; i < window->n; i++)
    n = MIN (n * MIN (window->kernel[i], MAX_TAPS + 1), MAX_TAPS + 1);
  if (n <= MAX_TAPS)
    return TRUE;
  hyb_lowering_fail (lowering, NULL,
                     "dilations and places are not supported with a window of more than %u "
                     "elements",
                     MAX_TAPS);
  return FALSE;
}

/* The sum of each window of a padded input. */
static HybValueId
sum_windows (HybLowering *lowering, const OnnxWindow *window, HybValueId x)
{
  return has_dilation (window) ? join_taps (lowering, window, x, "broadcast_add")
                               : emit_pool (lowering, window, "sum", FALSE, x);
}

/* --- MaxPool --- */

/* The number of each element of an image without padding, [1, 1, …]; with storage_order 1 the first axis counts fastest. */
static HybValueId
number_elements (HybLowering *lowering, const HybType *x, guint n)
{
  gboolean   is_column = hyb_onnx_int (lowering, "storage_order", 0) != 0;
  HybValueId numbers = HYB_NO_ID;
  gint64     step = 1;

  for (guint i = 0; i < n; i++)
    {
      int        axis = is_column ? (int) i + 2 : (int) (n - i) + 1;
      HybValueId along =
          onnx_scale (lowering, onnx_count (lowering, x->shape.dim[axis], axis, (int) n + 2),
                      (double) step);

      numbers = i == 0 ? along : onnx_add (lowering, numbers, along);
      step *= x->shape.dim[axis];
    }
  return numbers;
}

/* Where the largest element of each window is, in the order of all images and channels. */
static HybValueId
find_places (HybLowering *lowering, const OnnxWindow *window, const HybType *type, HybValueId x)
{
  OnnxWindow padding = *window;
  HybValueId numbers =
      onnx_window_pad (lowering, &padding, number_elements (lowering, type, window->n), 0);
  HybValueId best = HYB_NO_ID, place = HYB_NO_ID, image;
  gint64     tap[HYB_MAX_RANK] = { 0 };
  gint64     size = hyb_shape_count (&type->shape, 2, type->shape.rank);
  HybShape   by_channel = type->shape;

  padding = *window;
  x = onnx_window_pad (lowering, &padding, x, -INFINITY);
  do
    {
      HybValueId value = slice_tap (lowering, window, x, tap);
      HybValueId number = slice_tap (lowering, window, numbers, tap), is_larger;

      if (best == HYB_NO_ID)
        {
          best = value;
          place = number;
          continue;
        }
      is_larger = hyb_onnx_binary (lowering, "_npi_greater", value, best);
      best = hyb_onnx_binary (lowering, "broadcast_maximum", best, value);
      place = onnx_where (lowering, is_larger, number, place);
    }
  while (next_tap (window, tap) && place != HYB_NO_ID);
  for (int i = 2; i < by_channel.rank; i++)
    by_channel.dim[i] = 1;
  image = onnx_count (lowering, type->shape.dim[0] * type->shape.dim[1], 0, 1);
  image = onnx_scale (lowering, onnx_reshape_to (lowering, image, &by_channel), (double) size);
  return onnx_add (lowering, place, image);
}

/* The places of a float array whose windows are not too large to be written out; else only their type. */
static void
set_places (HybLowering *lowering, const OnnxWindow *window, HybValueId y)
{
  HybType x = *hyb_onnx_type (lowering, 0), type = *hyb_lowering_get_type (lowering, y);

  if (hyb_lowering_get_node (lowering)->n_outputs < 2 || y == HYB_NO_ID)
    return;
  type.dtype = HYB_I64;
  hyb_lowering_set_type (lowering, 1, &type);
  if (hyb_type_is_known (&x) && hyb_dtype_is_float (x.dtype) && check_taps (lowering, window))
    hyb_lowering_set_output (lowering, 1,
                             find_places (lowering, window, &x, hyb_onnx_input (lowering, 0)));
}

static void
lower_max_pool (HybLowering *lowering)
{
  HybType    x_type = *hyb_onnx_type (lowering, 0);
  OnnxWindow window, whole;
  HybValueId x;
  gboolean   is_full;

  if (!onnx_window_read (lowering, &window, &x_type, NULL))
    return;
  x = hyb_onnx_input (lowering, 0);
  if (!fits_pooling (lowering, &x_type, &window, &whole, &is_full))
    {
      if (has_dilation (&window) && !check_taps (lowering, &window))
        return;
      x = onnx_window_pad (lowering, &window, x,
                           hyb_dtype_is_float (x_type.dtype) ? -INFINITY
                           : x_type.dtype == HYB_U8          ? 0
                                                             : -128);
    }
  x = has_dilation (&window) ? join_taps (lowering, &window, x, "broadcast_maximum")
                             : emit_pool (lowering, &window, "max", is_full, x);
  hyb_lowering_set_output (lowering, 0, x);
  set_places (lowering, &whole, x);
}

/* --- AveragePool --- */

/* How many elements each window has that count, from an input of ones. */
static HybValueId
count_elements (HybLowering      *lowering,
                const OnnxWindow *padded,
                const OnnxWindow *counted,
                const HybType    *x_type)
{
  OnnxWindow outside = *padded, inside = *counted;
  gint64     dims[HYB_MAX_RANK] = { 1, 1 };
  HybValueId ones;

  for (guint i = 0; i < padded->n; i++)
    {
      dims[i + 2] = x_type->shape.dim[i + 2];
      outside.before[i] -= inside.before[i];
      outside.after[i] -= inside.after[i];
    }
  ones = hyb_lowering_emit (lowering, "_ones", 0, NULL, "shape",
                            hyb_lowering_text_ints (lowering, padded->n + 2, dims), "dtype",
                            hyb_dtype_name (x_type->dtype), NULL);
  ones = onnx_window_pad (lowering, &inside, ones, 1);
  ones = onnx_window_pad (lowering, &outside, ones, 0);
  return sum_windows (lowering, &outside, ones);
}

HybValueId
onnx_window_average (HybLowering *lowering, HybValueId x)
{
  HybType    x_type = *hyb_lowering_get_type (lowering, x);
  gboolean   counts_padding = hyb_onnx_int (lowering, "count_include_pad", 0) != 0;
  OnnxWindow window, counted, whole;
  HybValueId y;
  gboolean   is_full;

  if (!onnx_window_read (lowering, &window, &x_type, NULL))
    return HYB_NO_ID;
  counted = window;
  if (!counts_padding)
    {
      memset (counted.before, 0, sizeof counted.before);
      memset (counted.after, 0, sizeof counted.after);
    }
  if (fits_pooling (lowering, &x_type, &window, &whole, &is_full))
    return hyb_lowering_emit (lowering, "Pooling", 1, &x, "pool_type", "avg", "kernel",
                              onnx_window_text (lowering, &window, window.kernel), "stride",
                              onnx_window_text (lowering, &window, window.stride), "pad",
                              onnx_window_text (lowering, &window, window.before),
                              "pooling_convention", conventions[is_full], "count_include_pad",
                              counts_padding ? "True" : "False", NULL);
  if (has_dilation (&window) && !check_taps (lowering, &window))
    return HYB_NO_ID;
  y = count_elements (lowering, &window, &counted, &x_type);
  x = onnx_window_pad (lowering, &window, x, 0);
  return onnx_divide (lowering, sum_windows (lowering, &window, x), y);
}

static void
lower_average_pool (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0,
                           onnx_window_average (lowering, hyb_onnx_input (lowering, 0)));
}

/* --- LpPool and the global forms --- */

static void
lower_lp_pool (HybLowering *lowering)
{
  HybType    x_type = *hyb_onnx_type (lowering, 0);
  gint64     p = hyb_onnx_int (lowering, "p", 2);
  OnnxWindow window;
  HybValueId x, y;

  if (!onnx_window_read (lowering, &window, &x_type, NULL))
    return;
  extend_to_ceiling (lowering, &window, &x_type);
  if (has_dilation (&window) && !check_taps (lowering, &window))
    return;
  x = hyb_onnx_unary (lowering, "abs", hyb_onnx_input (lowering, 0));
  x = hyb_onnx_with_scalar (lowering, "_power_scalar", x, (double) p);
  x = onnx_window_pad (lowering, &window, x, 0);
  x = sum_windows (lowering, &window, x);
  y = hyb_onnx_with_scalar (lowering, "_power_scalar", x, 1.0 / (double) p);
  hyb_lowering_set_output (lowering, 0, y);
}

static HybValueId
reduce_all (HybLowering *lowering, const char *op, HybValueId x)
{
  int    rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  gint64 axes[HYB_MAX_RANK];

  if (rank < 3)
    {
      hyb_lowering_fail (lowering, NULL, "its input has no spatial axis, or its rank is not known");
      return HYB_NO_ID;
    }
  for (int i = 2; i < rank; i++)
    axes[i - 2] = i;
  return hyb_lowering_emit (lowering, op, 1, &x, "axis",
                            hyb_lowering_text_ints (lowering, (guint) rank - 2, axes), "keepdims",
                            "True", NULL);
}

static void
lower_global_max (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0, reduce_all (lowering, "max", hyb_onnx_input (lowering, 0)));
}

static void
lower_global_average (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), y;

  if (hyb_lowering_get_type (lowering, x)->shape.rank != 4)
    y = reduce_all (lowering, "mean", x);
  else
    y = hyb_lowering_emit (lowering, "Pooling", 1, &x, "pool_type", "avg", "global_pool", "True",
                           "kernel", "(1, 1)", NULL);
  hyb_lowering_set_output (lowering, 0, y);
}

static void
lower_global_lp (HybLowering *lowering)
{
  gint64     p = hyb_onnx_int (lowering, "p", 2);
  HybValueId x = hyb_onnx_unary (lowering, "abs", hyb_onnx_input (lowering, 0));

  x = hyb_onnx_with_scalar (lowering, "_power_scalar", x, (double) p);
  x = reduce_all (lowering, "sum", x);
  x = hyb_onnx_with_scalar (lowering, "_power_scalar", x, 1.0 / (double) p);
  hyb_lowering_set_output (lowering, 0, x);
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", "Indices", NULL };

#define POOL HYB_ONNX_ROW, .category = HYB_CATEGORY_REDUCTION, .inputs = inputs, .outputs = outputs

const HybOnnxOp hyb_onnx_ops_pooling[] = {
  { .op = { POOL, .name = "MaxPool", .doc = "The maximum of each window.",
            .lower = lower_max_pool },
    .since = 1 },
  { .op = { POOL, .name = "AveragePool", .doc = "The mean of each window.",
            .lower = lower_average_pool },
    .since = 1 },
  { .op = { POOL, .name = "LpPool", .doc = "The p-norm of each window.", .lower = lower_lp_pool },
    .since = 1 },
  { .op = { POOL, .name = "GlobalMaxPool", .doc = "The maximum of each channel.",
            .lower = lower_global_max },
    .since = 1 },
  { .op = { POOL, .name = "GlobalAveragePool", .doc = "The mean of each channel.",
            .lower = lower_global_average },
    .since = 1 },
  { .op = { POOL, .name = "GlobalLpPool", .doc = "The p-norm of each channel.",
            .lower = lower_global_lp },
    .since = 1 },
  { .since = 0 },
};
