/* ranking.h — what topk, sort and argsort have in common.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/kernels/rank.h"
#include "engine/op/run.h"

/* Whether a dtype holds every index along the axis exactly. */
gboolean
hyb_ranking_check_dtype (const HybShape *data, gint64 axis, HybDType dtype, GError **error);
/* The shape of what is ranked: k along the axis, k < 1 meaning all. */
gboolean
hyb_ranking_shape (const HybShape *data, gint64 axis, gint64 k, HybShape *out, GError **error);

gsize hyb_ranking_workspace (const HybShape *data, gint64 axis);
/* The caller has said what it wants to know; the rest is filled in from the call. */
void hyb_ranking_run (const HybCall *call,
                      const HybRun  *run,
                      gint64         axis,
                      gint64         k,
                      HybRanking    *ranking);
void hyb_ranking_cost (const HybCall *call, HybCost *cost);

/* Gradients: an operator op with inputs gradient, indices (output 1) and data. */
void     hyb_ranking_emit_backward (HybGrad *grad, const char *op);
gboolean hyb_ranking_backward_shape (HybCall *call, GError **error);
gboolean hyb_ranking_backward_dtype (HybCall *call, GError **error);
void     hyb_ranking_put_back (const HybCall *call, const HybRun *run, gint64 axis);
