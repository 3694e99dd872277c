/* layer-rules.h — what the rules of layers share: operands sized by their data,
 * and windows that slide over images.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* shape learns what want knows; a contradiction is reported with the operand's name. */
gboolean
hyb_layer_expect (HybShape *shape, const char *operand, const HybShape *want, GError **error);
/* The same, for one size: a vector of n. */
gboolean hyb_layer_expect_vector (HybShape *shape, const char *operand, gint64 n, GError **error);
/* FALSE and an error if the rank is known and not within low … high. */
gboolean hyb_layer_expect_rank (const HybShape *shape,
                                const char     *operand,
                                int             low,
                                int             high,
                                GError        **error);

/* The same with one rank, and with sizes small enough that rules may multiply two of them. */
gboolean
hyb_layer_expect_image (const HybShape *shape, const char *operand, int rank, GError **error);

/* Product of the dimensions [from, to); HYB_UNKNOWN if one of them is. */
gint64 hyb_layer_extent (const HybShape *shape, int from, int to);

/* Gradient operators: output i like input i of the forward operator, which the
 * gradient operator gets as its last inputs in the same order. */
gboolean hyb_layer_like_last_inputs (HybCall *call, GError **error);

/* Of a gradient operator with these three inputs: its output is like the data. */
gboolean hyb_layer_infer_data_gradient (HybCall *call, GError **error);

/* Input 1 is a label: of any dtype, that of all the rest where nothing is known. */
gboolean hyb_layer_label_dtype (HybCall *call, GError **error);

/* Where a kernel stops along one to three spatial axes. */
typedef struct
{
  int    rank;
  gint64 kernel[3], stride[3], dilate[3], pad[3];
} HybWindow;

/* Attribute tuples; an empty one means 1 (pad: 0) on every axis, dilate may be NULL. */
void hyb_window_init (HybWindow      *window,
                      const HybShape *kernel,
                      const HybShape *stride,
                      const HybShape *dilate,
                      const HybShape *pad);
/* Lengths and ranges of those tuples; for HybOp.check. */
gboolean hyb_window_check (const HybShape *kernel,
                           const HybShape *stride,
                           const HybShape *dilate,
                           const HybShape *pad,
                           GError        **error);
/* Cells that the kernel spans along an axis, gaps included. */
gint64 hyb_window_span (const HybWindow *window, int axis);
