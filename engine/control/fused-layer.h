/* fused-layer.h — the attributes and the plan of a fused layer: an operator whose body is a
 * convolution, a product or attention with what follows it.
 *
 * MXNet writes these operators where it optimises or quantises a model for oneDNN.  fused-layer.c
 * defines them, fused-body.c reads their bodies, fused-quantised.c computes on integers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/control-flow.h"
#include "engine/graph/graph.h"
#include "engine/ops/quantised/scale.h"
#include "engine/ops/quantised/wide-call.h"

/* More operators than this follow the first one in no body. */
#define HYB_FUSED_MAX_STEPS 8

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

/* A body as a sequence: variable i is input i of the node. */
typedef struct
{
  const HybNode *first;                     /* computes sums of products */
  const HybNode *norm;                      /* BatchNorm after it; or NULL */
  const HybNode *step[HYB_FUSED_MAX_STEPS]; /* what follows, each on the result before it */
  guint          n_steps;
  guint          sum;        /* the step that adds a variable; G_MAXUINT if there is none */
  guint          norm_input; /* the variable that is gamma; beta, mean and variance follow */
  guint          sum_input;  /* the variable that is added */
  guint          n_variables;
} HybFusedBody;

/* Reads a body.  FALSE and an error if it is not such a sequence. */
gboolean hyb_fused_body_read (HybFusedBody *body, const HybGraph *graph, GError **error);
/* The dtype in which a calibrated layer returns its result: uint8 if its last step has no negative
 * results. */
HybDType hyb_fused_body_result (const HybFusedBody *body);

/* TRUE if calibration fixed the range of the result. */
static inline gboolean
hyb_fused_is_calibrated (const HybFusedParams *params)
{
  return params->min_calib_range == params->min_calib_range &&
         params->max_calib_range == params->max_calib_range;
}

/* Plans a quantised layer: HybOp.prepare.  FALSE if its body cannot be computed on integers. */
gboolean hyb_fused_quantised_prepare (HybCall *call, GError **error);
/* Frees what that set: HybOp.release. */
void hyb_fused_quantised_release (HybCall *call);
/* The bytes of scratch memory that it needs: HybOp.workspace. */
gsize hyb_fused_quantised_workspace (const HybCall *call);
/* Computes a quantised layer: HybOp.forward. */
void hyb_fused_quantised_forward (const HybCall *call, const HybRun *run);
