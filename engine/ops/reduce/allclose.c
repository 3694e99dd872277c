/* allclose.c — _contrib_allclose: 1 if all elements of two arrays are nearly equal, else 0.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

typedef struct
{
  double   rtol, atol;
  gboolean equal_nan;
} AllcloseParams;

static const HybParam allclose_params[] = {
  { HYB_FIELD (AllcloseParams, rtol), HYB_PARAM_FLOAT, "1e-05", .doc = "relative tolerance" },
  { HYB_FIELD (AllcloseParams, atol), HYB_PARAM_FLOAT, "1e-08", .doc = "absolute tolerance" },
  { HYB_FIELD (AllcloseParams, equal_nan), HYB_PARAM_BOOL, "True", .doc = "NaN equals NaN" },
  { 0 },
};

static gboolean
allclose_infer_shape (HybCall *call, GError **error)
{
  HybShape scalar = { .rank = 0 };

  return hyb_shape_unify (&call->input[0].shape, &call->input[1].shape, error) &&
         hyb_shape_assign (&call->output[0].shape, &scalar, error);
}

static gboolean
allclose_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[0].dtype, &call->input[1].dtype, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_U8, error);
}

/* As MXNet: |a − b| ≤ atol + rtol |b|, which holds for every a if b is infinite. */
static gboolean
is_close (const AllcloseParams *params, double a, double b)
{
  if (isnan (a) || isnan (b))
    return params->equal_nan && isnan (a) && isnan (b);
  return a == b || fabs (a - b) <= params->atol + params->rtol * fabs (b);
}

static void
allclose_forward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->input[0].dtype;
  gint64   n = hyb_shape_size (&call->input[0].shape);
  guint8   result = 1;

  for (gint64 i = 0; i < n && result; i++)
    result = is_close (call->params, hyb_dtype_get_double (run->input[0], dtype, (gsize) i),
                       hyb_dtype_get_double (run->input[1], dtype, (gsize) i));
  *(guint8 *) run->output[0] = result;
}

static const char *const allclose_inputs[] = { "a", "b", NULL };

const HybOp hyb_ops_allclose[] = {
  {
      .name = "_contrib_allclose",
      .doc = "1 if all elements of two arrays are nearly equal, else 0.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = allclose_inputs,
      HYB_PARAMS (allclose_params, AllcloseParams),
      .infer_shape = allclose_infer_shape,
      .infer_dtype = allclose_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = allclose_forward,
      .flops_per_input = 4,
  },
  { 0 },
};
