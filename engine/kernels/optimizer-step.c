/* optimizer-step.c — the formulas of MXNet's optimizers, for float and double.
 *
 * optimizer-step-kernel.h has the loops.  They compute in double and round the results.  No element
 * depends on another, so threads share them out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/optimizer-step.h"

#include "engine/base/parallel.h"

#include <float.h>
#include <math.h>

static double
clipped (const HybOptimizerStep *step, double x)
{
  if (isnan (step->clip))
    return x;
  return x > step->clip ? step->clip : x < -step->clip ? -step->clip : x;
}

static double
sign_of (double x)
{
  return (x > 0) - (x < 0);
}

double
hyb_lamb_ratio (double weight_norm, double direction_norm, double lower, double upper)
{
  if (!isnan (lower))
    weight_norm = MAX (weight_norm, lower);
  if (!isnan (upper))
    weight_norm = MIN (weight_norm, upper);
  return weight_norm == 0 || direction_norm == 0 ? 1 : weight_norm / direction_norm;
}

#define REAL_KERNEL "engine/kernels/optimizer-step-kernel.h"
#include "engine/kernels/each-real.h"

/* Elements below which a slice is not worth a thread. */
#define GRAIN 32768

typedef struct
{
  const HybOptimizerStep *step;
  HybStepFunc             func;
} Job;

static gpointer
advance (gconstpointer array, gint64 n, HybDType dtype)
{
  return array ? (char *) array + n * (gint64) hyb_dtype_size (dtype) : NULL;
}

static void
step_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job       *job = data;
  HybOptimizerStep slice = *job->step;

  slice.n = end - begin;
  slice.weight = advance (slice.weight, begin, slice.dtype);
  slice.gradient = advance (slice.gradient, begin, slice.dtype);
  slice.to = advance (slice.to, begin, slice.dtype);
  for (guint i = 0; i < HYB_STEP_MAX_STATES; i++)
    slice.state[i] = advance (slice.state[i], begin, slice.dtype);
  job->func (&slice);
}

#define STEP(name)                                                        \
  void hyb_step_##name (const HybOptimizerStep *step)                     \
  {                                                                       \
    Job job = { step, step->dtype == HYB_F64 ? name##_f64 : name##_f32 }; \
                                                                          \
    hyb_parallel_for (step->n, GRAIN, step_slice, &job);                  \
  }

STEP (sgd)
STEP (nag)
STEP (adam)
STEP (rmsprop)
STEP (adadelta)
STEP (adagrad)
STEP (adagrad_outside)
STEP (ftml)
STEP (ftrl)
STEP (sign)
STEP (signum)
STEP (adamw)
STEP (lamb_direction)
STEP (along)

#undef STEP

double
hyb_sum_of_squares (HybDType dtype, gconstpointer x, gint64 n)
{
  return dtype == HYB_F64 ? sum_of_squares_f64 (x, n) : sum_of_squares_f32 (x, n);
}
