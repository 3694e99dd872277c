/* reduce.c — sum, mean, prod, max, min, nansum, nanprod and _square_sum over any axes.
 *
 * The table of rows expands to one operator and its gradient each.  reduce-axes.c finds the axes,
 * kernels/reduction.c has the loops.  Start with ROWS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/gradient.h"
#include "engine/kernels/reduction/reduction.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/reduce/reduce-axes.h"
#include "engine/ops/reduce/reduce-backward.h"

#include "engine/kernels/vectorise.h"

typedef struct
{
  HybInts  axis;
  gboolean keepdims, exclude;
} ReduceParams;

static const HybParam reduce_params[] = {
  { HYB_FIELD (ReduceParams, axis), HYB_PARAM_INTS, "None", .doc = "axes to reduce; None: all" },
  { HYB_FIELD (ReduceParams, keepdims), HYB_PARAM_BOOL, "False",
    .doc = "reduced axes stay, with length one" },
  { HYB_FIELD (ReduceParams, exclude), HYB_PARAM_BOOL, "False",
    .doc = "reduce the axes that are not listed" },
  { 0 },
};

static HybReduceAxes
reduce_axes (const HybCall *call)
{
  const ReduceParams *params = call->params;

  return (HybReduceAxes){ &params->axis, params->exclude, params->keepdims };
}

static gboolean
reduce_infer_shape (HybCall *call, GError **error)
{
  HybReduceAxes axes = reduce_axes (call);

  return hyb_reduce_infer_shape (call, 0, &axes, error);
}

static void
reduce_forward (const HybCall *call, const HybRun *run, HybReduceKind kind, HybReduceFinish finish)
{
  HybReduceAxes   axes = reduce_axes (call);
  const HybShape *shape = &call->input[0].shape;
  guint32         mask;

  hyb_reduce_mask (shape->rank, &axes, &mask, NULL);
  hyb_reduce (&(HybReduction){ .kind = kind,
                               .finish = finish,
                               .dtype = call->output[0].dtype,
                               .shape = shape,
                               .axes = mask,
                               .x = run->input[0],
                               .y = run->output[0] });
}

/* row name; name in files; operand of the gradient that is called y (output, or incoming where the
 * formula does not use y, so that the output need not be kept); reduction; what is done with its
 * result; dtypes; description; gradient of an element x, from the incoming gradient g, the result y
 * and the number of reduced elements, count; alias. */
#define ROWS(ROW)                                                                                  \
  ROW (sum, "sum", incoming, SUM, PLAIN, REDUCE, "Sum.", g, "sum_axis")                            \
  ROW (mean, "mean", incoming, SUM, MEAN, REDUCE, "Mean.", g / (T) count, NULL)                    \
  ROW (prod, "prod", output, PROD, PLAIN, REDUCE, "Product.", y / x * g, NULL)                     \
  ROW (max, "max", output, MAX, PLAIN, REDUCE, "Largest element.", x == y ? g : 0, "max_axis")     \
  ROW (min, "min", output, MIN, PLAIN, REDUCE, "Smallest element.", x == y ? g : 0, "min_axis")    \
  ROW (nansum, "nansum", incoming, NAN_SUM, PLAIN, FLOAT, "Sum of the elements that are not NaN.", \
       x == x ? g : 0, NULL)                                                                       \
  ROW (nanprod, "nanprod", output, NAN_PROD, PLAIN, FLOAT,                                         \
       "Product of the elements that are not NaN.", x == x ? y / x * g : 0, NULL)                  \
  ROW (square_sum, "_square_sum", incoming, SUM_SQUARE, PLAIN, FLOAT, "Sum of squares.",           \
       2 * x * g, NULL)

static void
reduce_backward (const HybCall *call, const HybRun *run, HybEachRow row)
{
  HybReduceAxes axes = reduce_axes (call);

  hyb_reduce_backward (call, run, &axes, row);
}

#define ROW(id, text, source, REDUCTION, FINISH, DTYPES, summary, derivative, alias)        \
  REDUCE_FUNCTIONS (id, REDUCTION, FINISH, derivative)                                      \
  static void id##_gradient (HybGrad *grad)                                                 \
  {                                                                                         \
    HybValueId operands[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0),        \
                              hyb_grad_##source (grad, 0) };                                \
                                                                                            \
    hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "_backward_" #id, 3, operands)); \
  }
ROWS (ROW)
#undef ROW

/* The gradients of sum and mean only broadcast, so that their gradients are the reductions again. */
#define LINEAR(id)                                                       \
  static void id##_second_gradient (HybGrad *grad)                       \
  {                                                                      \
    HybValueId h = hyb_grad_incoming (grad, 0);                          \
                                                                         \
    hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, #id, 1, &h)); \
  }
LINEAR (sum)
LINEAR (mean)
#undef LINEAR

/* The others cannot be differentiated again; asking for it is an error that names the operator. */
#define prod_second_gradient       NULL
#define max_second_gradient        NULL
#define min_second_gradient        NULL
#define nansum_second_gradient     NULL
#define nanprod_second_gradient    NULL
#define square_sum_second_gradient NULL

/* Relates the data and its gradient; HybOp.gradient_of relates the other operands. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error);
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "output", NULL };

#define COMMON \
  .category = HYB_CATEGORY_REDUCTION, .params = reduce_params, .params_size = sizeof (ReduceParams)

#define ROW(id, text, source, REDUCTION, FINISH, DTYPES, summary, derivative, alias) \
  {                                                                                  \
    .name = text,                                                                    \
    .aliases = (const char *const[]){ alias, NULL },                                 \
    .doc = summary,                                                                  \
    COMMON,                                                                          \
    .inputs = inputs,                                                                \
    .infer_shape = reduce_infer_shape,                                               \
    .dtypes = HYB_DTYPES_##DTYPES,                                                   \
    .forward = id##_forward,                                                         \
    .gradient = id##_gradient,                                                       \
    .flops_per_input = 1,                                                            \
  },                                                                                 \
      {                                                                              \
        .name = "_backward_" #id,                                                    \
        .doc = "Gradient of " #id ".",                                               \
        COMMON,                                                                      \
        .flags = HYB_OP_INTERNAL,                                                    \
        .gradient_of = text,                                                         \
        .operands = "g0 i0 o0 > i0",                                                 \
        .inputs = backward_inputs,                                                   \
        .infer_shape = backward_infer_shape,                                         \
        .dtypes = HYB_DTYPES_FLOAT,                                                  \
        .forward = id##_backward,                                                    \
        .gradient = id##_second_gradient,                                            \
      },

const HybOp hyb_ops_reduce[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef COMMON
#undef ROWS
#undef prod_second_gradient
#undef max_second_gradient
#undef min_second_gradient
#undef nansum_second_gradient
#undef nanprod_second_gradient
#undef square_sum_second_gradient
