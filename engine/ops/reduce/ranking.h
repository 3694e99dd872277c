/* ranking.h — rules, forward and gradient that topk, sort and argsort share.
 *
 * axis is the attribute of these operators: negative counts from the end, HYB_NONE is the flattened
 * array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/kernels/rank.h"
#include "engine/op/run.h"

/* --- Types --- */

/* FALSE if dtype is none, or cannot hold every index along the axis exactly. */
gboolean
hyb_ranking_check_dtype (const HybShape *data, gint64 axis, HybDType dtype, GError **error);
/* Sets *out to the shape of the ranked elements: size k along the axis, or all if k < 1.  FALSE if
 * the axis is shorter than k or does not exist. */
gboolean
hyb_ranking_shape (const HybShape *data, gint64 axis, gint64 k, HybShape *out, GError **error);

/* --- Forward --- */

/* The bytes of workspace that hyb_ranking_run() needs. */
gsize hyb_ranking_workspace (const HybShape *data, gint64 axis);
/* Ranks input 0.  The caller sets the order and the requested results in *ranking; this function
 * fills in the other members and runs hyb_rank(). */
void hyb_ranking_run (const HybCall *call,
                      const HybRun  *run,
                      gint64         axis,
                      gint64         k,
                      HybRanking    *ranking);
/* For HybOp.cost: about log₂ n comparisons for each of n elements. */
void hyb_ranking_cost (const HybCall *call, HybCost *cost);

/* --- Gradient: an operator with the inputs gradient, indices and data (for its shape) --- */

/* For infer_dtype of the gradient operator: all operands except indices have the same dtype. */
gboolean hyb_ranking_backward_dtype (HybCall *call, GError **error);
/* Forward of the gradient operator: zeros, with each element of the gradient at the index that its
 * value came from. */
void hyb_ranking_scatter (const HybCall *call, const HybRun *run, gint64 axis);
