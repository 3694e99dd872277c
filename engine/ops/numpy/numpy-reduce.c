/* numpy-reduce.c — _np_sum, _np_prod, _npi_mean, _np_max, _np_min, _np_any and _np_all: reductions of the
 * NumPy interface.
 *
 * They differ from those of reduce.c in their attributes and types: a sum or product of bool is
 * int64, a mean of integers float32, results may have no dimensions.  reduce-axes.h finds the axes,
 * kernels/reduction.c has the loops.  Start with ROWS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/kernels/fill.h"
#include "engine/kernels/reduction/reduction.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/numpy/operand-types.h"
#include "engine/ops/reduce/reduce-backward.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  HybInts  axis;
  HybDType dtype;
  gboolean keepdims;
  double   initial;
} ReduceParams;

#define AXIS_PARAM                                                                             \
  {                                                                                            \
    HYB_FIELD (ReduceParams, axis), HYB_PARAM_INTS, "None", .doc = "axes to reduce; None: all" \
  }
#define KEEPDIMS_PARAM                                           \
  {                                                              \
    HYB_FIELD (ReduceParams, keepdims), HYB_PARAM_BOOL, "False", \
        .doc = "reduced axes stay, with length one"              \
  }
#define INITIAL_PARAM                                                    \
  {                                                                      \
    HYB_FIELD (ReduceParams, initial), HYB_PARAM_OPTIONAL_FLOAT, "None", \
        .doc = "first operand; only None is possible"                    \
  }
#define DTYPE_PARAM                                                                       \
  {                                                                                       \
    HYB_FIELD (ReduceParams, dtype), HYB_PARAM_DTYPE, "None", .doc = "type of the result" \
  }

static const HybParam sum_params[] = { AXIS_PARAM,
                                       DTYPE_PARAM,
                                       KEEPDIMS_PARAM,
                                       INITIAL_PARAM,
                                       { 0 } };
static const HybParam max_params[] = { AXIS_PARAM, KEEPDIMS_PARAM, INITIAL_PARAM, { 0 } };
static const HybParam any_params[] = { AXIS_PARAM, KEEPDIMS_PARAM, { 0 } };

#undef AXIS_PARAM
#undef KEEPDIMS_PARAM
#undef INITIAL_PARAM
#undef DTYPE_PARAM

static gboolean
reduce_check (gconstpointer values, GError **error)
{
  const ReduceParams *params = values;

  return isnan (params->initial) ||
         hyb_refuse_attribute (error, "Leave out initial and combine it with the result",
                               "initial is %g, but MXNet 1.9.1 takes None only", params->initial);
}

static HybReduceAxes
reduce_axes (const HybCall *call)
{
  const ReduceParams *params = call->params;

  return (HybReduceAxes){ .axis = &params->axis, .keepdims = params->keepdims, .is_numpy = TRUE };
}

static gboolean
reduce_infer_shape (HybCall *call, GError **error)
{
  HybReduceAxes axes = reduce_axes (call);

  return hyb_reduce_infer_shape (call, 0, &axes, error);
}

/* The type that attribute dtype gives; without it `replaced` becomes `type`. */
static gboolean
infer_result (HybCall *call, HybDType type, gboolean is_replaced, GError **error)
{
  const ReduceParams *params = call->params;
  HybDType            dtype = call->input[0].dtype;

  if (params->dtype != HYB_DTYPE_UNKNOWN)
    return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);
  if (dtype != HYB_DTYPE_UNKNOWN && is_replaced)
    return hyb_dtype_assign (&call->output[0].dtype, type, error);
  return hyb_rule_dtype_first (call, error);
}

static gboolean
sum_infer_dtype (HybCall *call, GError **error)
{
  return infer_result (call, HYB_I64, call->input[0].dtype == HYB_BOOL, error);
}

static gboolean
mean_infer_dtype (HybCall *call, GError **error)
{
  return infer_result (call, HYB_F32, !hyb_dtype_is_float (call->input[0].dtype), error);
}

static gboolean
any_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_BOOL, error);
}

#define prod_infer_dtype sum_infer_dtype
#define max_infer_dtype  hyb_rule_same_dtype
#define min_infer_dtype  hyb_rule_same_dtype

/* The largest of no elements does not exist. */
static gboolean
extreme_prepare (HybCall *call, GError **error)
{
  return hyb_shape_size (&call->input[0].shape) > 0 ||
         hyb_refuse_types (error, "Give it at least one element",
                           "an empty array has no largest or smallest element");
}

/* The type to compute in, one that both input and result fit into. */
static HybDType
computed_dtype (const HybCall *call)
{
  HybDType dtype = hyb_dtype_common (call->input[0].dtype, call->output[0].dtype);

  return dtype == HYB_BOOL ? HYB_U8 : dtype;
}

/* Room for the input and for the result in that type. */
static gsize
reduce_workspace (const HybCall *call)
{
  HybDType dtype = computed_dtype (call);
  gsize    bytes = hyb_operands_workspace (call, dtype);

  hyb_workspace_take (&bytes,
                      (gsize) hyb_shape_size (&call->output[0].shape) * hyb_dtype_size (dtype));
  return bytes;
}

static void
reduce_as (const HybCall *call, const HybRun *run, HybReduction *reduction)
{
  HybReduceAxes  axes = reduce_axes (call);
  HybDType       dtype = computed_dtype (call);
  char          *room = run->workspace;
  const HybType *result = &call->output[0];
  gsize          n = (gsize) hyb_shape_size (&result->shape);

  hyb_reduce_mask (call->input[0].shape.rank, &axes, &reduction->axes, NULL);
  reduction->dtype = dtype;
  reduction->shape = &call->input[0].shape;
  reduction->x = hyb_operand_as (call, run, 0, dtype, &room);
  reduction->y = result->dtype == dtype ? run->output[0] : room;
  hyb_reduce (reduction);
  if (reduction->y != run->output[0])
    hyb_dtype_convert (run->output[0], result->dtype, reduction->y, dtype, n);
}

/* As in MXNet the sum, product and mean of no elements are 0. */
static void
reduce_forward (const HybCall *call, const HybRun *run, HybReduceKind kind, HybReduceFinish finish)
{
  const HybType *result = &call->output[0];
  HybReduction   reduction = { .kind = kind, .finish = finish };

  if (hyb_shape_size (&call->input[0].shape) == 0)
    hyb_fill (run->output[0], result->dtype, 0, (gsize) hyb_shape_size (&result->shape));
  else
    reduce_as (call, run, &reduction);
}

/* --- any and all: the largest and smallest truth value --- */

static gsize
truth_workspace (const HybCall *call)
{
  return (gsize) hyb_shape_size (&call->input[0].shape);
}

static void
truth_forward (const HybCall *call, const HybRun *run, HybReduceKind kind)
{
  const HybShape *shape = &call->input[0].shape;
  HybReduceAxes   axes = reduce_axes (call);
  gsize           n = (gsize) hyb_shape_size (shape);
  HybReduction    reduction = {
       .kind = kind,
       .dtype = HYB_U8,
       .shape = shape,
       .x = run->workspace,
       .y = run->output[0],
  };

  if (n == 0)
    {
      hyb_fill (run->output[0], HYB_BOOL, kind == HYB_REDUCE_MIN,
                (gsize) hyb_shape_size (&call->output[0].shape));
      return;
    }
  hyb_reduce_mask (shape->rank, &axes, &reduction.axes, NULL);
  hyb_dtype_convert (run->workspace, HYB_BOOL, run->input[0], call->input[0].dtype, n);
  hyb_reduce (&reduction);
}

static void
any_forward (const HybCall *call, const HybRun *run)
{
  truth_forward (call, run, HYB_REDUCE_MAX);
}

static void
all_forward (const HybCall *call, const HybRun *run)
{
  truth_forward (call, run, HYB_REDUCE_MIN);
}

/* --- The others --- */

/* row name; name in files; operand of the gradient that is called y (output, or incoming where the
 * formula does not use y); reduction; what is done with its result; table of attributes; prepare();
 * description; gradient of an element; aliases. */
#define ROWS(ROW)                                                                                  \
  ROW (sum, "_np_sum", "g0", SUM, PLAIN, sum, NULL, "Sum.", g, NULL)                               \
  ROW (mean, "_npi_mean", "g0", SUM, MEAN, sum, NULL, "Mean, of integers in float32.",             \
       g / (T) count, NULL)                                                                        \
  ROW (prod, "_np_prod", "o0", PROD, PLAIN, sum, NULL, "Product.", y / x * g, "_np_product")       \
  ROW (max, "_np_max", "o0", MAX, PLAIN, max, extreme_prepare, "Largest element.", x == y ? g : 0, \
       "_np_amax")                                                                                 \
  ROW (min, "_np_min", "o0", MIN, PLAIN, max, extreme_prepare, "Smallest element.",                \
       x == y ? g : 0, "_np_amin")

static void
reduce_backward (const HybCall *call, const HybRun *run, HybEachRow row)
{
  HybReduceAxes axes = reduce_axes (call);

  hyb_reduce_backward (call, run, &axes, row);
}

#define ROW(id, text, source, REDUCTION, FINISH, table, prepares, summary, derivative, alias) \
  REDUCE_FUNCTIONS (id, REDUCTION, FINISH, derivative)
ROWS (ROW)
#undef ROW

static const char *const inputs[] = { "a", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "output", NULL };

#define COMMON(table) \
  .category = HYB_CATEGORY_REDUCTION, .params = table##_params, .params_size = sizeof (ReduceParams)

/* The gradient is computed in the type of the data. */
#define ROW(id, text, source, REDUCTION, FINISH, table, prepares, summary, derivative, alias) \
  {                                                                                           \
    .name = text,                                                                             \
    .aliases = (const char *const[]){ alias, NULL },                                          \
    .doc = summary,                                                                           \
    COMMON (table),                                                                           \
    .inputs = inputs,                                                                         \
    .check = reduce_check,                                                                    \
    .infer_shape = reduce_infer_shape,                                                        \
    .infer_dtype = id##_infer_dtype,                                                          \
    .dtypes = HYB_DTYPES_REDUCE | HYB_DTYPE_BIT (HYB_BOOL),                                   \
    .prepare = prepares,                                                                      \
    .workspace = reduce_workspace,                                                            \
    .forward = id##_forward,                                                                  \
    HYB_GRADIENT ("_cast_like (g0, i0) > x; "                                                 \
                  "_backward_np_" #id "* (x, i0, _cast_like (" source ", i0)) > i0"),         \
    .flops_per_input = 1,                                                                     \
  },                                                                                          \
      {                                                                                       \
        .name = "_backward_np_" #id,                                                          \
        .doc = "Gradient of " text ".",                                                       \
        COMMON (table),                                                                       \
        .flags = HYB_OP_INTERNAL,                                                             \
        .gradient_of = text,                                                                  \
        .operands = "g0 i0 o0 > i0",                                                          \
        .inputs = backward_inputs,                                                            \
        .dtypes = HYB_DTYPES_FLOAT,                                                           \
        .forward = id##_backward,                                                             \
      },

#define TRUTH_OP(id, text, summary)                                                            \
  .name = text, .doc = summary, COMMON (any), .flags = HYB_OP_NO_GRADIENT, .inputs = inputs,   \
  .infer_shape = reduce_infer_shape, .infer_dtype = any_infer_dtype, .dtypes = HYB_DTYPES_ALL, \
  .workspace = truth_workspace, .forward = id##_forward, .flops_per_input = 1

const HybOp hyb_ops_numpy_reduce[] = {
  ROWS (ROW) //
  {
      TRUTH_OP (any, "_np_any", "Whether an element is not zero."),
      .aliases = (const char *const[]){ "_np_sometrue", NULL },
  },
  {
      TRUTH_OP (all, "_np_all", "Whether all elements are not zero."),
  },
  { 0 },
};

#undef ROW
#undef COMMON
#undef TRUTH_OP
#undef ROWS
#undef prod_infer_dtype
#undef max_infer_dtype
#undef min_infer_dtype
