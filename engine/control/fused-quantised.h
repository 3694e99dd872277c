/* fused-quantised.h — the attributes of fused layers, and those layers that compute on integers.
 *
 * MXNet writes these operators where it optimises or quantises a model for oneDNN.  fused-layer.c
 * defines them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/control-flow.h"

/* One struct for all of them; a table has only the members that its operator takes. */
typedef struct
{
  gboolean quantized, with_bn, with_act, with_sum, with_postsum_act, with_eltwise;
  gboolean with_relu, with_postsum_relu; /* older spellings */
  gboolean enable_float_output;
  int      channel_wise_quantize; /* HYB_PARAM_OPTIONAL_BOOL */
  gint64   heads;
  double   min_calib_range, max_calib_range;
} HybFusedParams;

/* TRUE if calibration fixed the range of the result. */
static inline gboolean
hyb_fused_is_calibrated (const HybFusedParams *params)
{
  return params->min_calib_range == params->min_calib_range &&
         params->max_calib_range == params->max_calib_range;
}

/* Plans a quantised layer: HybOp.prepare.  FALSE if its body cannot be computed on integers. */
gboolean hyb_fused_quantised_prepare (HybCall *call, GError **error);
/* Frees the data set by that function: HybOp.release. */
void hyb_fused_quantised_release (HybCall *call);
/* The bytes of scratch memory that it needs: HybOp.workspace. */
gsize hyb_fused_quantised_workspace (const HybCall *call);
/* Computes a quantised layer: HybOp.forward. */
void hyb_fused_quantised_forward (const HybCall *call, const HybRun *run);
