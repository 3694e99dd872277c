/* layer-rules.h — parts shared by the inference rules of layers: operands whose shapes follow from
 * the data, and windows that slide over images (convolution, pooling).
 *
 * Functions that return a gboolean return FALSE, with a message that names the operand, only for a
 * contradiction.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* --- Expected shapes --- */

/* *shape takes over the known dimensions of *want.  operand is the name for messages. */
gboolean
hyb_layer_expect (HybShape *shape, const char *operand, const HybShape *want, GError **error);
/* The same for a vector of n elements. */
gboolean hyb_layer_expect_vector (HybShape *shape, const char *operand, gint64 n, GError **error);
/* FALSE if the rank is known and not within [low, high]. */
gboolean hyb_layer_expect_rank (const HybShape *shape,
                                const char     *operand,
                                int             low,
                                int             high,
                                GError        **error);
/* FALSE if the rank is known and differs, or if a dimension exceeds 2³⁰ (so that a rule may
 * multiply two of them without overflow). */
gboolean
hyb_layer_expect_image (const HybShape *shape, const char *operand, int rank, GError **error);

/* The product of dimensions [from, to); HYB_UNKNOWN if the rank or one of them is unknown, or if
 * it overflows. */
gint64 hyb_layer_extent (const HybShape *shape, int from, int to);

/* --- Rules for HybOp --- */

/* infer_shape of a gradient operator whose last inputs are the inputs of the forward operator:
 * output i has the shape of the i-th of those. */
gboolean hyb_layer_like_last_inputs (HybCall *call, GError **error);

/* infer_dtype of a loss whose input 1 is a label: the label may have any dtype (if nothing else
 * determines it, the dtype of input 0); all other operands have the same one. */
gboolean hyb_layer_label_dtype (HybCall *call, GError **error);

/* --- Windows --- */

/* The positions of a kernel along one to three spatial axes.  Axes beyond rank have kernel, stride
 * and dilate 1 and pad 0. */
typedef struct
{
  int    rank;
  gint64 kernel[3], stride[3], dilate[3], pad[3];
} HybWindow;

/* Fills window from attributes.  An empty or missing (NULL) tuple means 1 on every axis, or 0 for
 * pad. */
void hyb_window_init (HybWindow      *window,
                      const HybShape *kernel,
                      const HybShape *stride,
                      const HybShape *dilate,
                      const HybShape *pad);
/* For HybOp.check: FALSE if the tuples differ in length or hold a number out of range. */
gboolean hyb_window_check (const HybShape *kernel,
                           const HybShape *stride,
                           const HybShape *dilate,
                           const HybShape *pad,
                           GError        **error);
/* The number of cells between the first and the last that the kernel reads along an axis, both
 * included: dilate × (kernel − 1) + 1. */
gint64 hyb_window_span (const HybWindow *window, int axis);
