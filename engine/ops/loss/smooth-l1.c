/* smooth-l1.c — smooth_l1: a parabola around 0, continued by the absolute value (Huber loss), and
 * its gradient.  Start at KERNELS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-formula.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

typedef struct
{
  double   scalar;
  gboolean is_int;
} SmoothParams;

static const HybParam smooth_params[] = {
  { HYB_FIELD (SmoothParams, scalar), HYB_PARAM_FLOAT, "1",
    .doc = "sigma: the parabola ends at ±1 / sigma²" },
  { HYB_FIELD (SmoothParams, is_int), HYB_PARAM_BOOL, "True", .doc = "has no effect" },
  { 0 },
};

/* With s = sigma²: y = ½ s x² where |x| ≤ 1/s and |x| − ½/s elsewhere; the slopes are s x and ±1. */
#define KERNELS(T, suffix)                                                          \
  static void smooth_##suffix (gint64 n, T s, const T *x, T *y)                     \
  {                                                                                 \
    for (gint64 i = 0; i < n; i++)                                                  \
      y[i] = fabs (x[i]) > 1 / s ? fabs (x[i]) - 1 / (2 * s) : x[i] * x[i] * s / 2; \
  }                                                                                 \
                                                                                    \
  static void slope_##suffix (gint64 n, T s, const T *x, const T *dy, T *dx)        \
  {                                                                                 \
    for (gint64 i = 0; i < n; i++)                                                  \
      dx[i] = dy[i] * (x[i] > 1 / s ? 1 : x[i] < -1 / s ? -1 : s * x[i]);           \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
smooth_forward (const HybCall *call, const HybRun *run)
{
  const SmoothParams *params = call->params;
  double              square = params->scalar * params->scalar;
  gint64              n = hyb_shape_size (&call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    smooth_f64 (n, square, run->input[0], run->output[0]);
  else
    smooth_f32 (n, (float) square, run->input[0], run->output[0]);
}

/* Inputs: gradient, data. */
static void
smooth_backward (const HybCall *call, const HybRun *run)
{
  const SmoothParams *params = call->params;
  double              square = params->scalar * params->scalar;
  gint64              n = hyb_shape_size (&call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    slope_f64 (n, square, run->input[1], run->input[0], run->output[0]);
  else
    slope_f32 (n, (float) square, run->input[1], run->input[0], run->output[0]);
}

static const char *const smooth_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_smooth_l1[] = {
  {
      .name = "smooth_l1",
      .doc = "A parabola around 0, continued by the absolute value.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .inputs = smooth_inputs,
      HYB_PARAMS (smooth_params, SmoothParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = smooth_forward,
      HYB_GRADIENT ("_backward_smooth_l1* (g0, i0) > i0"),
      .flops_per_output = 4,
  },
  {
      .name = "_backward_smooth_l1",
      .doc = "Gradient of smooth_l1.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .inputs = backward_inputs,
      HYB_PARAMS (smooth_params, SmoothParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = smooth_backward,
      .flops_per_output = 4,
  },
  { 0 },
};
