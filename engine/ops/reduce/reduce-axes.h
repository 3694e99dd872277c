/* reduce-axes.h — which axes a reduction takes away, and what shape is left.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* Bit i of *mask: axis i of an input of this rank is reduced.  No axes: all of them;
 * exclude: those not listed. */
gboolean
hyb_reduce_mask (int rank, const HybInts *axis, gboolean exclude, guint32 *mask, GError **error);

/* Relates the shapes of input 0 and output number `output`, in both directions. */
gboolean hyb_reduce_infer_shape (HybCall       *call,
                                 guint          output,
                                 const HybInts *axis,
                                 gboolean       exclude,
                                 gboolean       keepdims,
                                 GError       **error);

/* The shape with length 1 along reduced axes. */
HybShape hyb_reduce_kept_shape (const HybShape *shape, guint32 mask);
