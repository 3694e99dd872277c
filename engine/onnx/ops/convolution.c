/* convolution.c — Conv and ConvTranspose.
 *
 * Padding that differs between the two ends of an axis is added before; in a transposed convolution it is cut off
 * afterwards where Deconvolution cannot.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/window.h"

#include <string.h>

/* Spatial sizes of a weight, for files that leave kernel_shape out. */
static const gint64 *
kernel_of (const HybType *weight)
{
  return weight->shape.rank >= 3 ? weight->shape.dim + 2 : NULL;
}

HybValueId
onnx_window_emit (HybLowering      *lowering,
                  const char       *op,
                  const OnnxWindow *window,
                  const HybValueId  inputs[3],
                  gint64            n_filters)
{
  guint n = inputs[2] != HYB_NO_ID ? 3 : 2;

  return hyb_lowering_emit (lowering, op, n, inputs, "kernel",
                            onnx_window_text (lowering, window, window->kernel), "stride",
                            onnx_window_text (lowering, window, window->stride), "dilate",
                            onnx_window_text (lowering, window, window->dilation), "pad",
                            onnx_window_text (lowering, window, window->before), "num_filter",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n_filters),
                            "num_group",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                               hyb_onnx_int (lowering, "group", 1)),
                            "no_bias", n == 3 ? "False" : "True", NULL);
}

HybValueId
onnx_window_convolve (HybLowering *lowering)
{
  HybType    x = *hyb_onnx_type (lowering, 0), weight = *hyb_onnx_type (lowering, 1);
  OnnxWindow window;
  HybValueId inputs[3] = { HYB_NO_ID, HYB_NO_ID, HYB_NO_ID };

  if (!onnx_window_read (lowering, &window, &x, kernel_of (&weight)))
    return HYB_NO_ID;
  if (weight.shape.rank != x.shape.rank || weight.shape.dim[0] < 0)
    {
      hyb_lowering_fail (lowering, NULL, "the shape of its weights does not fit its input");
      return HYB_NO_ID;
    }
  inputs[0] = hyb_onnx_input (lowering, 0);
  inputs[1] = hyb_onnx_input (lowering, 1);
  if (hyb_onnx_has_input (lowering, 2))
    inputs[2] = hyb_onnx_input (lowering, 2);
  if (!onnx_window_is_symmetric (&window))
    inputs[0] = onnx_window_pad (lowering, &window, inputs[0], 0);
  return onnx_window_emit (lowering, "Convolution", &window, inputs, weight.shape.dim[0]);
}

static void
lower_conv (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0, onnx_window_convolve (lowering));
}

/* --- ConvTranspose --- */

/* The elements cut off at both ends of each axis so that the output has the size that the file
 * requests. */
static gboolean
read_output_shape (HybLowering *lowering, OnnxWindow *window, const HybType *x, gint64 *added)
{
  const char   *automatic = hyb_onnx_string (lowering, "auto_pad", "NOTSET");
  gboolean      is_same = g_str_has_prefix (automatic, "SAME_");
  guint         n_given;
  const gint64 *given;

  hyb_onnx_ints (lowering, "output_shape", &n_given, &given);
  if (!given && !is_same)
    return TRUE;
  /* Some exporters list batch and channels too. */
  if (given && n_given == window->n + 2)
    given += 2;
  else if (given && n_given != window->n)
    {
      hyb_lowering_fail (lowering, NULL, "the attribute output_shape does not fit its input");
      return FALSE;
    }
  for (guint i = 0; i < window->n; i++)
    {
      gint64 full = window->stride[i] * (x->shape.dim[i + 2] - 1) + added[i] +
                    (window->kernel[i] - 1) * window->dilation[i] + 1;
      gint64 wanted = given ? given[i] : x->shape.dim[i + 2] * window->stride[i];
      gint64 total = full - wanted;

      if (x->shape.dim[i + 2] < 0)
        {
          hyb_lowering_fail (lowering, NULL, "its padding depends on a size that is not known");
          return FALSE;
        }
      /* A larger output than the windows reach is filled with zeros at the end. */
      if (total < 0)
        {
          added[i] -= total;
          total = 0;
        }
      window->before[i] = strcmp (automatic, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
      window->after[i] = total - window->before[i];
    }
  return TRUE;
}

/* Whether Deconvolution can cut off the padding itself, which it does at both ends alike, and add what then lacks at the
 * end: fewer elements than a stride. */
static gboolean
find_padding (const OnnxWindow *window, const gint64 *added, gint64 *adj)
{
  for (guint i = 0; i < window->n; i++)
    {
      adj[i] = added[i] + window->before[i] - window->after[i];
      if (adj[i] < 0 || adj[i] >= window->stride[i])
        return FALSE;
    }
  return TRUE;
}

static HybValueId
deconvolve (HybLowering      *lowering,
            const OnnxWindow *window,
            const gint64     *adj,
            HybValueId        bias,
            gint64            n_filters)
{
  HybValueId inputs[3] = { hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1), bias };
  guint      n = bias != HYB_NO_ID ? 3 : 2;

  return hyb_lowering_emit (lowering, "Deconvolution", n, inputs, "kernel",
                            onnx_window_text (lowering, window, window->kernel), "stride",
                            onnx_window_text (lowering, window, window->stride), "dilate",
                            onnx_window_text (lowering, window, window->dilation), "pad",
                            onnx_window_text (lowering, window, window->before), "adj",
                            onnx_window_text (lowering, window, adj), "num_filter",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n_filters),
                            "num_group",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                               hyb_onnx_int (lowering, "group", 1)),
                            "no_bias", n == 3 ? "False" : "True", NULL);
}

/* Cuts before … after off the spatial axes of an output. */
static HybValueId
crop (HybLowering *lowering, const OnnxWindow *window, HybValueId y)
{
  for (guint i = 0; i < window->n && y != HYB_NO_ID; i++)
    {
      const char *end = window->after[i] > 0
                            ? hyb_lowering_text (lowering, "-%" G_GINT64_FORMAT, window->after[i])
                            : "None";

      if (window->before[i] == 0 && window->after[i] == 0)
        continue;
      y = hyb_lowering_emit (lowering, "slice_axis", 1, &y, "axis",
                             hyb_lowering_text (lowering, "%u", i + 2), "begin",
                             hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, window->before[i]),
                             "end", end, NULL);
    }
  return y;
}

/* Adds the bias to each channel. */
static HybValueId
add_bias (HybLowering *lowering, const OnnxWindow *window, HybValueId y)
{
  gint64 dims[HYB_MAX_RANK] = { 1, -1 };

  if (!hyb_onnx_has_input (lowering, 2))
    return y;
  for (guint i = 0; i < window->n; i++)
    dims[i + 2] = 1;
  return hyb_onnx_binary (lowering, "broadcast_add", y,
                          hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 2), window->n + 2,
                                            dims));
}

/* Adds the elements of output_padding behind each axis. */
static HybValueId
extend (HybLowering *lowering, const OnnxWindow *window, const gint64 *added, HybValueId y)
{
  OnnxWindow behind = { .n = window->n };

  for (guint i = 0; i < window->n; i++)
    behind.after[i] = added[i];
  return onnx_window_pad (lowering, &behind, y, 0);
}

/* Whether Deconvolution can add the bias itself: elements of output_padding get it like all others. */
static gboolean
has_plain_bias (HybLowering *lowering, const OnnxWindow *window, const gint64 *added, gint64 n)
{
  const HybShape *shape =
      hyb_onnx_has_input (lowering, 2) ? &hyb_onnx_type (lowering, 2)->shape : NULL;

  if (!shape || shape->rank != 1 || shape->dim[0] != n)
    return FALSE;
  for (guint i = 0; i < window->n; i++)
    if (added[i] != 0)
      return FALSE;
  return TRUE;
}

static void
lower_conv_transpose (HybLowering *lowering)
{
  HybType       x = *hyb_onnx_type (lowering, 0), weight = *hyb_onnx_type (lowering, 1);
  gint64        group = hyb_onnx_int (lowering, "group", 1);
  gint64        added[HYB_MAX_RANK] = { 0 }, adj[HYB_MAX_RANK] = { 0 };
  guint         n_added;
  const gint64 *given;
  OnnxWindow    window, cut;
  HybValueId    y;
  gboolean      is_plain, pads;

  if (!onnx_window_read (lowering, &window, &x, kernel_of (&weight)))
    return;
  if (weight.shape.rank != x.shape.rank || weight.shape.dim[1] < 1 || group < 1 ||
      weight.shape.dim[1] > G_MAXINT32 || group > G_MAXINT32)
    {
      hyb_lowering_fail (lowering, NULL, "the shape of its weights does not fit its input");
      return;
    }
  if (hyb_onnx_ints (lowering, "output_padding", &n_added, &given))
    for (guint i = 0; i < MIN (n_added, window.n); i++)
      added[i] = CLAMP (given[i], 0, G_MAXINT32);
  if (!read_output_shape (lowering, &window, &x, added))
    return;
  cut = window;
  pads = find_padding (&window, added, adj);
  if (pads)
    memset (added, 0, sizeof added);
  else
    {
      memset (adj, 0, sizeof adj);
      memset (window.before, 0, sizeof window.before);
    }
  is_plain = has_plain_bias (lowering, &window, added, weight.shape.dim[1] * group);
  y = deconvolve (lowering, &window, adj, is_plain ? hyb_onnx_input (lowering, 2) : HYB_NO_ID,
                  weight.shape.dim[1] * group);
  if (!pads)
    y = crop (lowering, &cut, extend (lowering, &window, added, y));
  hyb_lowering_set_output (lowering, 0, is_plain ? y : add_bias (lowering, &window, y));
}

static const char *const inputs[] = { "X", "W", "B", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_convolution[] = {
  { .op = { HYB_ONNX_ROW, .name = "Conv", .doc = "A convolution.",
            .category = HYB_CATEGORY_CONVOLUTION, .inputs = inputs, .outputs = outputs,
            .lower = lower_conv },
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "ConvTranspose", .doc = "A transposed convolution.",
            .category = HYB_CATEGORY_CONVOLUTION, .inputs = inputs, .outputs = outputs,
            .lower = lower_conv_transpose },
    .since = 1 },
  { .since = 0 },
};
