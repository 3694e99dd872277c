/* reduce-axes.h — the axes that a reduction goes over, and the shape that remains.
 *
 * Masks have bit i set if axis i of the input is reduced.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The attributes that choose the axes. */
typedef struct
{
  const HybInts *axis;     /* the listed axes, negative from the end; None or empty: all axes */
  gboolean       exclude;  /* reduce the axes that are not listed */
  gboolean       keepdims; /* reduced axes remain, with size 1 */
  gboolean       is_numpy; /* an empty list reduces nothing, and results may have no dimensions */
} HybReduceAxes;

/* Sets *mask for an input of this rank.  FALSE if an axis does not exist or is listed twice. */
gboolean hyb_reduce_mask (int rank, const HybReduceAxes *axes, guint32 *mask, GError **error);

/* For HybOp.infer_shape: relates the shapes of input 0 and output number `output`, in both
 * directions.  FALSE for a contradiction. */
gboolean
hyb_reduce_infer_shape (HybCall *call, guint output, const HybReduceAxes *axes, GError **error);

/* The shape with size 1 along reduced axes. */
HybShape hyb_reduce_kept_shape (const HybShape *shape, guint32 mask);
