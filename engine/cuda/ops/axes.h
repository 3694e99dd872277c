/* axes.h — the axes of strided walks over tensors, joined where neighbours lie side by side.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/kernels/arguments.h"
#include "engine/tensor/shape.h"

/* A walk over dim[0] × … × dim[rank - 1] elements of n operands, each with its strides. */
typedef struct
{
  int    rank;
  guint  n;
  gint64 dim[HYB_MAX_RANK];
  gint64 stride[EACH_MOST][HYB_MAX_RANK]; /* in elements; may be 0 or negative */
} HybAxes;

/* A walk over a shape with n operands, whose strides are 0. */
HybAxes hyb_axes_new (const HybShape *shape, guint n);
/* Appends an axis, inside the axes so far, with the strides of operands 0 and 1.  FALSE if there are
 * HYB_MAX_RANK axes already; an axis of size one is left out. */
gboolean hyb_axes_append (HybAxes *axes, gint64 dim, gint64 first, gint64 second);
/* The strides of a contiguous tensor of this shape; (out) strides[rank]. */
void hyb_axes_contiguous (const HybShape *shape, gint64 *strides);
/* Sets the strides of an operand of this shape, which is broadcast to the walk's; from_left: its
 * axes are the first ones, else the last. */
void hyb_axes_broadcast (HybAxes *axes, guint operand, const HybShape *shape, gboolean from_left);
/* Drops axes of size one and joins neighbours.  FALSE if more than AXES_MOST are left. */
gboolean hyb_axes_join (HybAxes *axes);
/* Says that more than AXES_MOST axes are left; FALSE. */
gboolean hyb_axes_refuse (GError **error);
