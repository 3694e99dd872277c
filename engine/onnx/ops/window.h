/* window.h — kernel, strides, dilations and padding of convolutions and pooling, as ONNX states them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* Spatial axes; at most HYB_MAX_RANK of them. */
typedef struct
{
  guint  n;
  gint64 kernel[HYB_MAX_RANK];
  gint64 stride[HYB_MAX_RANK];
  gint64 dilation[HYB_MAX_RANK];
  gint64 before[HYB_MAX_RANK]; /* padding */
  gint64 after[HYB_MAX_RANK];
} OnnxWindow;

/* Reads the attributes for an input x of that type.  kernel: used if the attribute kernel_shape is missing; may be
 * NULL.  FALSE after a failure. */
gboolean onnx_window_read (HybLowering   *lowering,
                           OnnxWindow    *window,
                           const HybType *x,
                           const gint64  *kernel);
/* Reads an attribute with n numbers, or the fallback for all of them if it is missing.  FALSE after a failure. */
gboolean onnx_window_numbers (HybLowering *lowering,
                              const char  *name,
                              guint        n,
                              gint64       fallback,
                              gint64      *values);
/* TRUE if as much is added before as after every axis. */
gboolean onnx_window_is_symmetric (const OnnxWindow *window);
/* x with `before` and `after` elements of a value added to its spatial axes, all others unchanged; the window then
 * has no padding. */
HybValueId onnx_window_pad (HybLowering *lowering, OnnxWindow *window, HybValueId x, double value);
/* “(3, 3)” of one of the arrays. */
const char *
onnx_window_text (HybLowering *lowering, const OnnxWindow *window, const gint64 *values);
/* Convolution, or Deconvolution, with this window and the node's groups.  inputs: data, weight and bias, which may be
 * HYB_NO_ID. */
HybValueId onnx_window_emit (HybLowering      *lowering,
                             const char       *op,
                             const OnnxWindow *window,
                             const HybValueId  inputs[3],
                             gint64            n_filters);
/* The convolution that a node of the form of Conv computes. */
HybValueId onnx_window_convolve (HybLowering *lowering);
/* The means of the windows of x that a node of the form of AveragePool has. */
HybValueId onnx_window_average (HybLowering *lowering, HybValueId x);
