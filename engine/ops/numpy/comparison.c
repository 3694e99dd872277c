/* comparison.c — _npi_equal, _npi_less_scalar …: comparisons of two tensors, which are broadcast, or
 * of a tensor and a number, and tests of single elements.  The result is bool.
 *
 * Tensors are compared in their own type, numbers as doubles except with float data, whose type they
 * get first.  Start with compare_rows().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/kernels/compare.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/ops/elementwise/scalar-family.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

/* name after “_npi_”, HybBinary function, description */
#define ROWS(ROW)                                                     \
  ROW (equal, EQUAL, "whether both are equal")                        \
  ROW (not_equal, NOT_EQUAL, "whether they differ")                   \
  ROW (greater, GREATER, "whether the first is greater")              \
  ROW (less, LESSER, "whether the first is less")                     \
  ROW (greater_equal, GREATER_EQUAL, "whether the first is not less") \
  ROW (less_equal, LESSER_EQUAL, "whether the first is not greater")

/* name after “_npi_”, condition of an element x, of an integer x, description; without a branch */
#define TESTS(ROW)                                               \
  ROW (logical_not, x == 0, x == 0, "zero")                      \
  ROW (isnan, x != x, 0, "not a number")                         \
  ROW (isinf, (x == INFINITY) | (x == -INFINITY), 0, "infinite") \
  ROW (isposinf, x == INFINITY, 0, "positive infinity")          \
  ROW (isneginf, x == -INFINITY, 0, "negative infinity")         \
  ROW (isfinite, x - x == 0, 1, "neither infinite nor not a number")

/* Elements that are converted to doubles on the stack before they are compared or tested. */
#define PIECE 512

typedef struct
{
  HybCompareLoop loop;
  gint64         size; /* bytes of an element of the operands */
  const char    *a, *b;
  guint8        *y; /* bool */
} Comparison;

/* One row of a HybEach walk with the operands y, a and b. */
static void
compare_rows (const gint64 *offset, const gint64 *stride, gint64 n, gpointer data)
{
  const Comparison *comparison = data;

  comparison->loop (comparison->a + offset[1] * comparison->size, stride[1],
                    comparison->b + offset[2] * comparison->size, stride[2],
                    comparison->y + offset[0], n);
}

static void
compare_forward (const HybCall *call, const HybRun *run, HybBinary function)
{
  HybDType   dtype = call->input[0].dtype;
  Comparison comparison = {
    .loop = hyb_compare_loop (function, dtype),
    .size = (gint64) hyb_dtype_size (dtype),
    .a = run->input[0],
    .b = run->input[1],
    .y = run->output[0],
  };
  HybEach each;

  hyb_each_init (&each, &call->output[0].shape, 3,
                 (const HybShape *[]){ &call->output[0].shape, &call->input[0].shape,
                                       &call->input[1].shape });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, compare_rows, &comparison);
}

/* Both operands have one type; the result is bool. */
static gboolean
compare_infer_dtype (HybCall *call, GError **error)
{
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_dtype_unify (&call->input[0].dtype, &call->input[i].dtype, error))
      return FALSE;
  return hyb_dtype_assign (&call->output[0].dtype, HYB_BOOL, error);
}

/* --- A tensor and a number --- */

typedef struct
{
  HybBinary   function;
  const char *x;
  HybDType    dtype;
  double      scalar;
  guint8     *y; /* bool */
} ScalarComparison;

static void
compare_scalar_slice (gint64 begin, gint64 end, gpointer data)
{
  const ScalarComparison *comparison = data;
  HybCompareLoop          loop = hyb_compare_loop (comparison->function, HYB_F64);
  double                  x[PIECE];

  if (comparison->dtype == HYB_F32)
    {
      float scalar = (float) comparison->scalar;

      hyb_compare_loop (comparison->function,
                        HYB_F32) (comparison->x + begin * (gint64) sizeof scalar, 1, &scalar, 0,
                                  comparison->y + begin, end - begin);
      return;
    }
  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      hyb_dtype_get_doubles (comparison->x, comparison->dtype, (gsize) at, (gsize) n, x);
      loop (x, 1, &comparison->scalar, 0, comparison->y + at, n);
    }
}

static void
compare_scalar_forward (const HybCall *call, const HybRun *run, HybBinary function)
{
  const HybScalarParams *params = call->params;
  ScalarComparison       comparison = {
          .function = function,
          .x = run->input[0],
          .dtype = call->input[0].dtype,
          .scalar = params->scalar,
          .y = run->output[0],
  };

  if (hyb_dtype_is_float (comparison.dtype))
    {
      gint64 element;

      hyb_dtype_set_double (&element, comparison.dtype, 0, params->scalar);
      comparison.scalar = hyb_dtype_get_double (&element, comparison.dtype, 0);
    }
  hyb_parallel_for (hyb_shape_size (&call->input[0].shape), HYB_EACH_GRAIN, compare_scalar_slice,
                    &comparison);
}

/* --- Tests of single elements --- */

typedef struct
{
  gconstpointer x;
  HybDType      dtype;
  guint8       *y;
} Test;

static void
test_forward (const HybCall *call, const HybRun *run, HybParallelFunc slice)
{
  Test test = { run->input[0], call->input[0].dtype, run->output[0] };

  hyb_parallel_for (hyb_shape_size (&call->input[0].shape), HYB_EACH_GRAIN, slice, &test);
}

/* Bytes may alias anything, so the pointers are copied before the loop. */
#define TEST_LOOP(T, from, to, condition)             \
  {                                                   \
    const T *xs = from;                               \
    guint8  *ys = to;                                 \
                                                      \
    HYB_INDEPENDENT                                   \
    for (gint64 i = 0; i < n; i++)                    \
      {                                               \
        T x = xs[i];                                  \
                                                      \
        (void) x; /* the condition may be constant */ \
        ys[i] = condition;                            \
      }                                               \
  }

/* Floats and bytes are tested as they are, other elements as doubles. */
#define ROW(id, condition, integer, summary)                                          \
  static void id##_slice (gint64 begin, gint64 end, gpointer data)                    \
  {                                                                                   \
    const Test *test = data;                                                          \
    double      piece[PIECE];                                                         \
    gint64      n = end - begin;                                                      \
                                                                                      \
    if (test->dtype == HYB_F32)                                                       \
      TEST_LOOP (float, (const float *) test->x + begin, test->y + begin, condition)  \
    else if (test->dtype == HYB_BOOL)                                                 \
      TEST_LOOP (guint8, (const guint8 *) test->x + begin, test->y + begin, integer)  \
    else                                                                              \
      for (gint64 at = begin; at < end; at += PIECE)                                  \
        {                                                                             \
          n = MIN (PIECE, end - at);                                                  \
          hyb_dtype_get_doubles (test->x, test->dtype, (gsize) at, (gsize) n, piece); \
          TEST_LOOP (double, piece, test->y + at, condition)                          \
        }                                                                             \
  }                                                                                   \
  static void id##_forward (const HybCall *call, const HybRun *run)                   \
  {                                                                                   \
    test_forward (call, run, id##_slice);                                             \
  }
TESTS (ROW)
#undef ROW

#define ROW(id, FUNCTION, summary)                                         \
  static void id##_forward (const HybCall *call, const HybRun *run)        \
  {                                                                        \
    compare_forward (call, run, HYB_BINARY_##FUNCTION);                    \
  }                                                                        \
  static void id##_scalar_forward (const HybCall *call, const HybRun *run) \
  {                                                                        \
    compare_scalar_forward (call, run, HYB_BINARY_##FUNCTION);             \
  }
ROWS (ROW)
#undef ROW

static const char *const two_inputs[] = { "lhs", "rhs", NULL };
static const char *const one_input[] = { "data", NULL };

#define COMMON                                                       \
  .category = HYB_CATEGORY_ELEMENTWISE, .flags = HYB_OP_NO_GRADIENT, \
  .infer_dtype = compare_infer_dtype

#define ROW(id, FUNCTION, summary)                                                  \
  {                                                                                 \
    .name = "_npi_" #id,                                                            \
    .doc = "For each pair of elements " summary "; axes of size one are repeated.", \
    COMMON,                                                                         \
    .inputs = two_inputs,                                                           \
    .infer_shape = hyb_rule_broadcast,                                              \
    .dtypes = HYB_DTYPES_ELEMENTWISE,                                               \
    .forward = id##_forward,                                                        \
  },                                                                                \
      {                                                                             \
        .name = "_npi_" #id "_scalar",                                              \
        .doc = "For each element and a number " summary ".",                        \
        COMMON,                                                                     \
        .inputs = one_input,                                                        \
        .params = hyb_scalar_params,                                                \
        .params_size = sizeof (HybScalarParams),                                    \
        .infer_shape = hyb_rule_unary,                                              \
        .dtypes = HYB_DTYPES_ALL,                                                   \
        .forward = id##_scalar_forward,                                             \
      },
#define TEST(id, condition, integer, summary)      \
  {                                                \
    .name = "_npi_" #id,                           \
    .doc = "Whether each element is " summary ".", \
    COMMON,                                        \
    .inputs = one_input,                           \
    .infer_shape = hyb_rule_unary,                 \
    .dtypes = HYB_DTYPES_ALL,                      \
    .forward = id##_forward,                       \
  },

const HybOp hyb_ops_comparison[] = {
  ROWS (ROW)   //
  TESTS (TEST) //
  { 0 },
};

#undef ROW
#undef TEST
#undef COMMON
#undef TESTS
#undef ROWS
