/* window.c — kernel, strides, dilations and padding of convolutions and pooling, as ONNX states them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/window.h"

#include <string.h>

gboolean
onnx_window_numbers (HybLowering *lowering,
                     const char  *name,
                     guint        n,
                     gint64       fallback,
                     gint64      *values)
{
  guint         n_given;
  const gint64 *given;

  if (hyb_onnx_ints (lowering, name, &n_given, &given) && n_given != n)
    {
      hyb_lowering_fail (lowering, NULL, "the attribute %s has %u values instead of %u", name,
                         n_given, n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    values[i] = given && i < n_given ? given[i] : fallback;
  return TRUE;
}

/* Strides or dilations, which are at least 1. */
static gboolean
read_steps (HybLowering *lowering, const char *name, guint n, gint64 *values)
{
  if (!onnx_window_numbers (lowering, name, n, 1, values))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (values[i] < 1)
      {
        hyb_lowering_fail (lowering, NULL, "the attribute %s has a value below 1", name);
        return FALSE;
      }
  return TRUE;
}

static gint64
extent_of (const OnnxWindow *window, guint i)
{
  return (window->kernel[i] - 1) * window->dilation[i] + 1;
}

/* As much padding as makes the output ⌈size / stride⌉ long. */
static gboolean
pad_same (HybLowering *lowering, OnnxWindow *window, const HybType *x, gboolean is_upper)
{
  for (guint i = 0; i < window->n; i++)
    {
      gint64 size = x->shape.dim[i + 2], outputs, total;

      if (size < 0)
        {
          hyb_lowering_fail (lowering, NULL, "its padding depends on a size that is not known");
          return FALSE;
        }
      outputs = (size + window->stride[i] - 1) / window->stride[i];
      total = MAX ((outputs - 1) * window->stride[i] + extent_of (window, i) - size, 0);
      window->before[i] = is_upper ? total / 2 : total - total / 2;
      window->after[i] = total - window->before[i];
    }
  return TRUE;
}

static gboolean
read_pads (HybLowering *lowering, OnnxWindow *window, const HybType *x)
{
  const char   *automatic = hyb_onnx_string (lowering, "auto_pad", "NOTSET");
  guint         n_given;
  const gint64 *given;

  if (g_str_has_prefix (automatic, "SAME_"))
    return pad_same (lowering, window, x, strcmp (automatic, "SAME_UPPER") == 0);
  if (strcmp (automatic, "VALID") == 0 || !hyb_onnx_ints (lowering, "pads", &n_given, &given))
    return TRUE;
  if (n_given != 2 * window->n)
    {
      hyb_lowering_fail (lowering, NULL, "the attribute pads has %u values for %u spatial axes",
                         n_given, window->n);
      return FALSE;
    }
  for (guint i = 0; i < window->n; i++)
    {
      window->before[i] = given[i];
      window->after[i] = given[i + window->n];
      if (given[i] < 0 || given[i + window->n] < 0)
        {
          hyb_lowering_fail (lowering, NULL, "the attribute pads has a negative value");
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
onnx_window_read (HybLowering *lowering, OnnxWindow *window, const HybType *x, const gint64 *kernel)
{
  guint         n_given;
  const gint64 *given;

  *window = (OnnxWindow){ 0 };
  if (x->shape.rank < 3)
    {
      hyb_lowering_fail (lowering, NULL,
                         x->shape.rank < 0 ? "the rank of its input is not known"
                                           : "its input has no spatial axis");
      return FALSE;
    }
  window->n = (guint) x->shape.rank - 2;
  hyb_onnx_ints (lowering, "kernel_shape", &n_given, &given);
  if (!given && !kernel)
    {
      hyb_lowering_fail (lowering, NULL, "the attribute kernel_shape is missing");
      return FALSE;
    }
  if (given && n_given != window->n)
    {
      hyb_lowering_fail (lowering, NULL,
                         "the attribute kernel_shape has %u values for %u spatial axes", n_given,
                         window->n);
      return FALSE;
    }
  for (guint i = 0; i < window->n; i++)
    {
      window->kernel[i] = given ? given[i] : kernel[i];
      if (window->kernel[i] < 1)
        {
          hyb_lowering_fail (lowering, NULL, "its kernel is not known or has a size below 1");
          return FALSE;
        }
    }
  return read_steps (lowering, "strides", window->n, window->stride) &&
         read_steps (lowering, "dilations", window->n, window->dilation) &&
         read_pads (lowering, window, x);
}

gboolean
onnx_window_is_symmetric (const OnnxWindow *window)
{
  return memcmp (window->before, window->after, window->n * sizeof window->before[0]) == 0;
}

HybValueId
onnx_window_pad (HybLowering *lowering, OnnxWindow *window, HybValueId x, double value)
{
  g_autoptr (GString) pairs = g_string_new ("((0, 0), (0, 0)");
  gboolean has_padding = FALSE;

  for (guint i = 0; i < window->n; i++)
    {
      g_string_append_printf (pairs, ", (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                              window->before[i], window->after[i]);
      has_padding |= window->before[i] != 0 || window->after[i] != 0;
      window->before[i] = window->after[i] = 0;
    }
  if (!has_padding)
    return x;
  g_string_append_c (pairs, ')');
  return hyb_lowering_emit (lowering, "_npi_pad", 1, &x, "pad_width", pairs->str, "mode",
                            "constant", "constant_value",
                            hyb_lowering_text (lowering, "%.17g", value), NULL);
}

const char *
onnx_window_text (HybLowering *lowering, const OnnxWindow *window, const gint64 *values)
{
  return hyb_lowering_text_ints (lowering, window->n, values);
}
