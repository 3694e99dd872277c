/* softmax.c — softmax along one axis, and its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/op.h"

#include "engine/autograd/gradient.h"
#include "engine/base/parallel.h"
#include "engine/exec/run.h"
#include "engine/ops/rules.h"

#include <math.h>

typedef struct
{
  gint64 axis;
  double temperature;
} SoftmaxParams;

static const HybParam softmax_params[] = {
  { HYB_FIELD (SoftmaxParams, axis), HYB_PARAM_INT, "-1", .doc = "axis that sums to one" },
  { HYB_FIELD (SoftmaxParams, temperature),
    HYB_PARAM_OPTIONAL_FLOAT,
    "None",
    .doc = "divides the input" },
  { 0 },
};

/* A tensor seen from one axis: outer × length × inner. */
typedef struct
{
  gint64 outer, length, inner;
} AxisView;

static AxisView
view_axis (const HybCall *call)
{
  const SoftmaxParams *params = call->params;
  const HybShape      *shape = &call->input[0].shape;
  int                  axis = hyb_shape_axis (shape, params->axis, NULL);

  return (AxisView){
    .outer = hyb_shape_count (shape, 0, axis),
    .length = shape->dim[axis],
    .inner = hyb_shape_count (shape, axis + 1, shape->rank),
  };
}

static gboolean
softmax_infer_shape (HybCall *call, GError **error)
{
  const SoftmaxParams *params = call->params;

  if (!hyb_rule_same_shape (call, error))
    return FALSE;

  /* The axis can be checked only once the rank is known. */
  return call->input[0].shape.rank == HYB_UNKNOWN ||
         hyb_shape_axis (&call->input[0].shape, params->axis, error) >= 0;
}

typedef struct
{
  AxisView      view;
  double        scale; /* 1 / temperature */
  gconstpointer x, dy;
  gpointer      y;
} SoftmaxWork;

/* The loops are the same for every float type: T is the type, EXP its function. */
#define SOFTMAX_LOOPS(T, suffix, EXP)                                                         \
  /* Subtracting the maximum keeps exp() finite and cancels out in the quotient. */           \
  static void softmax_row_##suffix (const SoftmaxWork *work, gint64 base)                     \
  {                                                                                           \
    const T *x = (const T *) work->x + base;                                                  \
    T       *y = (T *) work->y + base;                                                        \
    gint64   length = work->view.length, inner = work->view.inner;                            \
    T        max = -(T) INFINITY, sum = 0;                                                    \
                                                                                              \
    for (gint64 k = 0; k < length; k++)                                                       \
      max = x[k * inner] > max ? x[k * inner] : max;                                          \
    for (gint64 k = 0; k < length; k++)                                                       \
      sum += y[k * inner] = EXP ((x[k * inner] - max) * (T) work->scale);                     \
    for (gint64 k = 0; k < length; k++)                                                       \
      y[k * inner] /= sum;                                                                    \
  }                                                                                           \
                                                                                              \
  /* dx = (y ∘ dy − y · Σ(y ∘ dy)) / temperature; x holds y here. */                  \
  static void softmax_gradient_row_##suffix (const SoftmaxWork *work, gint64 base)            \
  {                                                                                           \
    const T *y = (const T *) work->x + base;                                                  \
    const T *dy = (const T *) work->dy + base;                                                \
    T       *dx = (T *) work->y + base;                                                       \
    gint64   length = work->view.length, inner = work->view.inner;                            \
    T        sum = 0;                                                                         \
                                                                                              \
    for (gint64 k = 0; k < length; k++)                                                       \
      sum += y[k * inner] * dy[k * inner];                                                    \
    for (gint64 k = 0; k < length; k++)                                                       \
      dx[k * inner] = y[k * inner] * (dy[k * inner] - sum) * (T) work->scale;                 \
  }                                                                                           \
                                                                                              \
  static void softmax_slice_##suffix (gint64 begin, gint64 end, gpointer data)                \
  {                                                                                           \
    const SoftmaxWork *work = data;                                                           \
                                                                                              \
    for (gint64 o = begin; o < end; o++)                                                      \
      for (gint64 i = 0; i < work->view.inner; i++)                                           \
        if (work->dy != NULL)                                                                 \
          softmax_gradient_row_##suffix (work, o * work->view.length * work->view.inner + i); \
        else                                                                                  \
          softmax_row_##suffix (work, o * work->view.length * work->view.inner + i);          \
  }

SOFTMAX_LOOPS (float, f32, expf)
SOFTMAX_LOOPS (double, f64, exp)

#undef SOFTMAX_LOOPS

static void
softmax_compute (const HybCall *call, SoftmaxWork *work)
{
  const SoftmaxParams *params = call->params;
  gint64               grain;

  work->view = view_axis (call);
  work->scale = isnan (params->temperature) ? 1 : 1 / params->temperature;
  grain = MAX (1, 16384 / MAX (1, work->view.length * work->view.inner));
  hyb_parallel_for (work->view.outer,
                    grain,
                    call->input[0].dtype == HYB_F64 ? softmax_slice_f64 : softmax_slice_f32,
                    work);
}

static void
softmax_forward (const HybCall *call, const HybRun *run)
{
  SoftmaxWork work = { .x = run->input[0], .y = run->output[0] };

  softmax_compute (call, &work);
}

static void
softmax_backward (const HybCall *call, const HybRun *run)
{
  SoftmaxWork work = { .x = run->input[0], .dy = run->input[1], .y = run->output[0] };

  softmax_compute (call, &work);
}

static void
softmax_gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_output (grad, 0), hyb_grad_incoming (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "_backward_softmax", 2, inputs));
}

/* max, subtract, exp, sum, divide: five passes over the elements. */
static void
softmax_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_elementwise (call, 5.0, cost);
}

static const char *const softmax_inputs[] = { "data", NULL };
static const char *const softmax_outputs[] = { "output", NULL };
static const char *const backward_inputs[] = { "output", "gradient", NULL };

const HybOp hyb_ops_softmax[] = {
  {
      .name = "softmax",
      .doc = "Exponentials of the input, scaled to sum to one along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_IN_PLACE,
      .inputs = softmax_inputs,
      .outputs = softmax_outputs,
      .params = softmax_params,
      .params_size = sizeof (SoftmaxParams),
      .infer_shape = softmax_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = softmax_forward,
      .gradient = softmax_gradient,
      .cost = softmax_cost,
  },
  {
      .name = "_backward_softmax",
      .doc = "Gradient of softmax from its output and the gradient of that.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .outputs = softmax_outputs,
      .params = softmax_params,
      .params_size = sizeof (SoftmaxParams),
      .infer_shape = softmax_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = softmax_backward,
      .cost = softmax_cost,
  },
  { 0 },
};
