/* numpy-unary.c — _npi_around, _npi_nan_to_num and _npi_bitwise_not: functions of one tensor.
 *
 * Floats are computed as doubles in pieces, except where they are rounded to whole numbers.  Start with unary_slice().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/kernels/each.h"
#include "engine/kernels/simd/vector-steps.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct
{
  gint64   decimals;
  gboolean copy;
  double   nan, posinf, neginf;
} UnaryParams;

static const HybParam around_params[] = {
  { HYB_FIELD (UnaryParams, decimals), HYB_PARAM_INT, "0", .low = -300, .high = 300,
    .doc = "digits after the point; negative: zeros before it" },
  { 0 },
};

static const HybParam nan_params[] = {
  { HYB_FIELD (UnaryParams, copy), HYB_PARAM_BOOL, "True", .doc = "not used" },
  { HYB_FIELD (UnaryParams, nan), HYB_PARAM_FLOAT, "0.0", .doc = "what replaces NaN" },
  { HYB_FIELD (UnaryParams, posinf), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "replacement for ∞; None: the largest number of the type" },
  { HYB_FIELD (UnaryParams, neginf), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "replacement for −∞; None: the lowest number of the type" },
  { 0 },
};

/* The function of one element of this type. */
typedef double (*Unary) (double x, const UnaryParams *params, HybDType dtype);

/* The nearest multiple of 10^−decimals, halves to even. */
static double
around (double x, const UnaryParams *params, HybDType dtype)
{
  double scale = pow (10, (double) (params->decimals < 0 ? -params->decimals : params->decimals));

  return params->decimals < 0 ? rint (x / scale) * scale : rint (x * scale) / scale;
}

static double
largest (HybDType dtype)
{
  return dtype == HYB_F64 ? DBL_MAX : dtype == HYB_F16 ? 65504 : FLT_MAX;
}

static double
nan_to_num (double x, const UnaryParams *params, HybDType dtype)
{
  if (isnan (x))
    return params->nan;
  if (isfinite (x))
    return x;
  if (x > 0)
    return isnan (params->posinf) ? largest (dtype) : params->posinf;
  return isnan (params->neginf) ? -largest (dtype) : params->neginf;
}

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  Unary          function;
} UnaryJob;

#define PIECE 512

static void
unary_slice (gint64 begin, gint64 end, gpointer data)
{
  const UnaryJob *job = data;
  HybDType        dtype = job->call->output[0].dtype;
  double          x[PIECE];

  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      hyb_dtype_get_doubles (job->run->input[0], dtype, (gsize) at, (gsize) n, x);
      for (gint64 i = 0; i < n; i++)
        x[i] = job->function (x[i], job->call->params, dtype);
      hyb_dtype_convert ((char *) job->run->output[0] + at * (gint64) hyb_dtype_size (dtype), dtype,
                         x, HYB_F64, (gsize) n);
    }
}

/* Integers stay unchanged, except that negative decimals round them. */
static void
unary_forward (const HybCall *call, const HybRun *run, Unary function, gboolean keeps_integers)
{
  UnaryJob job = { call, run, function };

  if (keeps_integers && !hyb_dtype_is_float (call->output[0].dtype))
    memmove (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  else
    hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN, unary_slice, &job);
}

/* Rounding to whole floats, the case of almost all models. */
static void
even_slice (gint64 begin, gint64 end, gpointer data)
{
  const HybRun *run = data;

  hyb_vector_even ((gsize) (end - begin), (const float *) run->input[0] + begin,
                   (float *) run->output[0] + begin);
}

static void
around_forward (const HybCall *call, const HybRun *run)
{
  gint64 decimals = ((const UnaryParams *) call->params)->decimals;

  if (decimals == 0 && call->output[0].dtype == HYB_F32)
    hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN, even_slice,
                      (gpointer) run);
  else
    unary_forward (call, run, around, decimals >= 0);
}

static void
nan_forward (const HybCall *call, const HybRun *run)
{
  unary_forward (call, run, nan_to_num, TRUE);
}

/* --- bitwise_not --- */

static gboolean
not_prepare (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  return !hyb_dtype_is_float (dtype) ||
         hyb_refuse_types (error, "Convert the operand to an integer type first",
                           "this needs integers, but the operand has type %s",
                           hyb_dtype_name (dtype));
}

/* Bytes do not depend on each other, so the size of the integers does not matter. */
static void
not_forward (const HybCall *call, const HybRun *run)
{
  const guint8 *x = run->input[0];
  guint8       *y = run->output[0];
  gsize         n = hyb_type_bytes (&call->output[0]);
  gboolean      is_bool = call->output[0].dtype == HYB_BOOL;

  for (gsize i = 0; i < n; i++)
    y[i] = is_bool ? x[i] == 0 : (guint8) ~x[i];
}

static const char *const inputs[] = { "x", NULL };

#define COMMON                                                                           \
  .category = HYB_CATEGORY_ELEMENTWISE, .inputs = inputs, .infer_shape = hyb_rule_unary, \
  .dtypes = HYB_DTYPES_ALL

const HybOp hyb_ops_numpy_unary[] = {
  {
      .name = "_npi_around",
      .doc = "Rounds to a number of decimals, halves to even.",
      COMMON,
      .flags = HYB_OP_IN_PLACE | HYB_OP_NO_GRADIENT,
      HYB_PARAMS (around_params, UnaryParams),
      .forward = around_forward,
  },
  {
      .name = "_npi_nan_to_num",
      .doc = "Replaces infinities and NaN.",
      COMMON,
      .flags = HYB_OP_IN_PLACE,
      HYB_PARAMS (nan_params, UnaryParams),
      .forward = nan_forward,
      HYB_GRADIENT ("_npi_where_rscalar [scalar=0.0] (_npi_isfinite (i0), g0) > i0"),
  },
  {
      .name = "_npi_bitwise_not",
      .doc = "The opposite of each bit, or of each truth value.",
      COMMON,
      .flags = HYB_OP_IN_PLACE | HYB_OP_NO_GRADIENT,
      .prepare = not_prepare,
      .forward = not_forward,
  },
  { 0 },
};

#undef COMMON
